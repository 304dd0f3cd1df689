package console_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/page"
)

// textCase is a text that the board's modules must write as the pages do.
type textCase struct {
	Language page.Language `json:"language"`
	Writer   string        `json:"writer"` // of testdata/text.test.mjs
	Value    int64         `json:"value"`
	Key      string        `json:"key,omitzero"` // of a phrase
	Want     string        `json:"want"`
}

// texts returns the phrasebook, and what the pages write with it.
func texts() []byte {
	books, cases := map[page.Language]map[string]string{}, []textCase(nil)
	for _, l := range page.Languages {
		books[l] = l.Phrases("")
		for _, value := range []int64{0, 1, 2, 12345, 1000000} {
			cases = append(cases,
				textCase{l, "count", value, "form.faults", l.Count("form.faults", int(value))},
				textCase{l, "number", value, "", l.Number(int(value))},
				textCase{l, "dollars", -value, "", l.Dollars(-value)},
			)
		}
	}
	moves := map[delivery.Status][]delivery.Status{}
	for _, status := range delivery.Statuses {
		moves[status] = delivery.NextStatuses(status)
	}
	folded := map[string]string{}
	for _, text := range []string{
		"Jean-Pierre CÔTÉ", "sœur Æsa", "12, rue de l’Église", "Saint‑Jérôme", "L'Île – Nord", "A-1042",
	} {
		folded[text] = board.Fold(text)
	}
	encoded, err := json.Marshal(map[string]any{
		"books": books, "cases": cases, "moves": moves, "folded": folded, "clocks": clocksOf(2026),
	})
	if err != nil {
		panic(err) // texts can always be encoded
	}
	return encoded
}

// clocksOf returns the clocks of all places in a year, as the board's document has them.
func clocksOf(year int) map[string]any {
	from := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
	calendar := pricing.NewCalendar(zone.Own())
	places, zones := map[string]string{}, map[string][][2]int64{}
	for place, location := range calendar.Clocks() {
		name := location.String()
		places[place], zones[name] = name, nil
		for _, shift := range zone.Shifts(location, from, from.AddDate(1, 0, 0)) {
			zones[name] = append(zones[name], [2]int64{shift.At.Unix(), int64(shift.East.Seconds())})
		}
	}
	return map[string]any{"zones": zones, "places": places}
}

// TestBoardModules runs the tests of the board's modules that need no browser.
func TestBoardModules(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	file := filepath.Join(t.TempDir(), "texts.json")
	if err := os.WriteFile(file, texts(), 0o600); err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Glob("testdata/*.test.mjs")
	if err != nil || len(modules) == 0 {
		t.Fatalf("got the tests %q, %v, want those of the modules", modules, err)
	}
	command := exec.CommandContext(t.Context(), "node",
		append([]string{"--import", "../types/resolve.mjs", "--test"}, modules...)...)
	command.Env = append(os.Environ(), "DROPYARD_TEXTS="+file)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}

// TestHistoryNamesParts fails for a part of an order that the board's panel would name by its path, when it was
// edited.
func TestHistoryNamesParts(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("assets", "board", "history.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range delivery.Parts {
		name := strings.TrimPrefix(strings.TrimPrefix(part.Field, "pickup."), "dropoff.")
		if part.Service > delivery.StageNever && !strings.Contains(string(script), strconv.Quote(name)+": t(") {
			t.Errorf("history.js: got no words for %s: see fieldWords", part.Field)
		}
	}
}
