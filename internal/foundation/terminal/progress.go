package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Bar shows how far work has come, on one line of a terminal that it draws again. If the
// writer is not a terminal it prints nothing. One goroutine may use it at a time.
type Bar struct {
	to    *os.File // nil: not a terminal
	now   func() time.Time
	stage string
	begun time.Time // of the stage
	drawn time.Time // last time
	shown bool      // something is on the line
}

// NewBar returns a bar on a writer.
func NewBar(to io.Writer, now func() time.Time) *Bar {
	b := &Bar{now: now}
	if Is(to) {
		b.to = to.(*os.File)
	}
	return b
}

// redrawAfter is how long a drawn bar stays at least.
const redrawAfter = 100 * time.Millisecond

// Show shows that done of total units of a stage of the work are done. If the total is 0
// it is not known.
func (b *Bar) Show(stage string, done, total int64) {
	if b.to == nil {
		return
	}
	now := b.now()
	if stage != b.stage {
		b.stage, b.begun, b.drawn = stage, now, time.Time{}
	}
	if now.Sub(b.drawn) < redrawAfter && done != total {
		return
	}
	b.drawn, b.shown = now, true
	width, _, err := term.GetSize(int(b.to.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	_, _ = fmt.Fprint(b.to, "\r"+Line(stage, done, total, now.Sub(b.begun), width-1)+eraseLine)
}

// Clear removes the bar, so that something else can be printed.
func (b *Bar) Clear() {
	if b.shown {
		b.shown, b.stage = false, ""
		_, _ = fmt.Fprint(b.to, "\r"+eraseLine)
	}
}

// eraseLine erases from the cursor to the end of the line (ECMA-48, EL).
const eraseLine = "\x1b[K"

// Line returns a bar with the stage, the share of the total that is done, and the time
// that the rest will take, in at most width characters.
func Line(stage string, done, total int64, took time.Duration, width int) string {
	switch {
	case total <= 0 && done == 0:
		return cut(stage+" …", width)
	case total <= 0:
		return cut(fmt.Sprintf("%s  %d", stage, done), width)
	}
	done = min(max(done, 0), total)
	share := float64(done) / float64(total)
	text := fmt.Sprintf("%3d %%", int(share*100))
	if left := time.Duration(float64(took) * (1 - share) / max(share, 1e-9)); took > 2*time.Second && done < total &&
		share > 0.01 {
		text += fmt.Sprintf("  %v left", left.Round(time.Second))
	}
	const longest = 40
	room := min(longest, width-len([]rune(stage))-len(text)-len(gap)*2-2)
	if room < 4 {
		return cut(stage+gap+text, width)
	}
	full := int(share * float64(room))
	return stage + gap + "[" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]" + gap + text
}

func cut(text string, width int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), max(width, 0))])
}
