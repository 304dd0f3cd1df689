// Package terminal prints for people: aligned tables, colours and progress bars, and asks
// questions. Colours and bars appear on terminals only.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Is reports whether a reader or writer is a terminal.
func Is(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Style is a colour or another emphasis of text.
type Style string

// The styles, as parameters of the control sequence SGR (ECMA-48). They are the sixteen
// colours that the user's theme defines, so that they can be read on any background.
const (
	Plain   Style = ""
	Bold    Style = "1"
	Faint   Style = "2"
	Red     Style = "31"
	Green   Style = "32"
	Yellow  Style = "33"
	Blue    Style = "34"
	Magenta Style = "35"
	Cyan    Style = "36"
)

// Palette applies styles, or leaves text as it is.
type Palette bool

// Colours returns the palette for a writer: colours on a terminal, unless the user does
// not want them (https://no-color.org) or the terminal has none.
func Colours(to io.Writer, wanted bool, getenv func(string) string) Palette {
	return Palette(wanted && Is(to) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb")
}

// Apply returns the text in the style.
func (p Palette) Apply(style Style, text string) string {
	if !bool(p) || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Clean returns the text on one line and without control characters: what others wrote
// must not move the cursor, or look like something else.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		default:
			return r
		}
	}, text)
}

// CleanLines is Clean for a text of several lines, whose ends and tabs remain.
func CleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		cells := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		for j, cell := range cells {
			cells[j] = Clean(cell)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

// CleanJSON returns JSON that means the same and has no control characters: JSON need not
// escape all of them (RFC 8259 section 7).
func CleanJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, steers) {
		return text
	}
	var cleaned []byte
	for _, r := range string(text) {
		switch {
		case r == '\r': // which JSON has between values only
			cleaned = append(cleaned, ' ')
		case steers(r):
			cleaned = fmt.Appendf(cleaned, "\\u%04x", r)
		default:
			cleaned = utf8.AppendRune(cleaned, r)
		}
	}
	return cleaned
}

// steers reports whether a terminal may take a character of JSON for a command.
func steers(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// JSONWriter writes JSON as CleanJSON returns it, however the writes are cut.
type JSONWriter struct {
	to   io.Writer
	rest []byte // the beginning of a character
}

// NewJSONWriter returns a writer that cleans the JSON written to it.
func NewJSONWriter(to io.Writer) *JSONWriter { return &JSONWriter{to: to} }

// Write writes the text but for a character that is not whole yet.
func (w *JSONWriter) Write(text []byte) (int, error) {
	all := slices.Concat(w.rest, text)
	whole := len(all)
	for i := max(0, whole-utf8.UTFMax+1); i < whole; i++ {
		if utf8.RuneStart(all[i]) && !utf8.FullRune(all[i:]) {
			whole = i
		}
	}
	w.rest = all[whole:]
	if _, err := w.to.Write(CleanJSON(all[:whole])); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Sprintf is fmt.Sprintf with texts and errors that are cleaned. What the format says
// remains as it is.
func Sprintf(format string, args ...any) string {
	cleaned := slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			cleaned[i] = Clean(err.Error())
		} else if text := reflect.ValueOf(arg); text.Kind() == reflect.String {
			cleaned[i] = Clean(text.String())
		}
	}
	return fmt.Sprintf(format, cleaned...)
}

// Height returns the number of lines of a terminal, or 24 if it is not known.
func Height(of *os.File) int {
	if _, height, err := term.GetSize(int(of.Fd())); err == nil && height > 0 {
		return height
	}
	return 24
}
