package courier_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// tables are what the app's modules repeat of the service's rules, so that they apply
// without a connection.
type tables struct {
	Moves            map[delivery.Status][]delivery.Status
	Fills            map[delivery.Status]string
	Oldest, Earliest int // in milliseconds
	MaxNotes         int
}

// readTables returns the tables of the modules.
func readTables(t *testing.T) (read tables) {
	t.Helper()
	testkit.NeedNode.OrSkip(t)
	const script = `import { moves } from "./assets/courier/round.js";
import { oldest, earliest } from "./assets/courier/outbox.js";
import { maxNotes } from "./assets/courier/cash.js";
import { fills } from "dropyard/html.js";
console.log(JSON.stringify({ moves, fills, oldest, earliest, maxNotes }));`
	out, err := exec.CommandContext(t.Context(), "node", "--import", "../types/resolve.mjs", "--input-type=module",
		"--eval", script).Output()
	if err == nil {
		err = json.Unmarshal(out, &read)
	}
	if err != nil {
		t.Fatalf("read the tables of the modules: %v\n%s", err, out)
	}
	return read
}

// TestTablesAreTheServices compares the moves, the statuses and the limits of the app's
// modules with those of the service.
func TestTablesAreTheServices(t *testing.T) {
	t.Parallel()
	got := readTables(t)
	for _, status := range delivery.Statuses {
		want := slices.DeleteFunc(delivery.NextStatuses(status),
			func(to delivery.Status) bool { return !slices.Contains(delivery.CourierStatuses, to) })
		if !slices.Equal(got.Moves[status], want) {
			t.Errorf("round.js: got the moves %q from %s, want %q", got.Moves[status], status, want)
		}
	}
	if fills := slices.Sorted(maps.Keys(got.Fills)); !slices.Equal(fills,
		slices.Sorted(slices.Values(delivery.Statuses))) {
		t.Errorf("html.js: got icons for %q, want one for each status: %q", fills, delivery.Statuses)
	}
	if got.MaxNotes != delivery.MaxReason {
		t.Errorf("cash.js: got notes of up to %d characters, want the service's %d", got.MaxNotes, delivery.MaxReason)
	}
	now := time.Date(2026, 1, 14, 15, 0, 0, 0, time.UTC)
	for name, limit := range map[string][2]int{"oldest": {-got.Oldest, -1}, "earliest": {got.Earliest, 1}} {
		at := now.Add(time.Duration(limit[0]) * time.Millisecond)
		if !delivery.MayHaveOccurred(at, now) ||
			delivery.MayHaveOccurred(at.Add(time.Duration(limit[1])*time.Millisecond), now) {
			t.Errorf("outbox.js: got %d ms as the limit %s, want the service's", limit[0], name)
		}
	}
}

// TestReadingsAreTheServices compares what the app reads in what a scanner types with what the
// service reads in it.
func TestReadingsAreTheServices(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	typed := []string{
		"ORD_3KQ9W0ZT01HB7M2X9P4C6R8D0F1G2H3J", "https:ééaétrackéord_1", "]C10100036000291452\r\n", "Ç10100036000291452",
		"çC10100036000291452", "]Q31726123110A-1\x1d0100036000291452", "(10)LOT 7 (01) 00036000291452",
		"]C100003401234500000017", "0 36000 29145 2", "em-1", "¨¸`^É", " \x1d",
	}
	draw := repeatable.Rand(t)
	letters := []rune("]()01023456789 CEQordA_-:/éÉçÇèàÀ¸^`¨\"'?.<\x1dêñ")
	for range 300 {
		text := make([]rune, 1+draw.IntN(20))
		for i := range text {
			text[i] = letters[draw.IntN(len(letters))]
		}
		typed = append(typed, string(text))
	}
	want := make([][]string, len(typed))
	for i, text := range typed {
		want[i] = append([]string{}, barcode.Readings(text)...)
	}
	sent, err := json.Marshal(typed)
	if err != nil {
		t.Fatal(err)
	}
	script := `import { readings } from "./assets/courier/readings.js";
console.log(JSON.stringify(` + string(sent) + `.map(readings)));`
	out, err := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", script).Output()
	var got [][]string
	if err == nil {
		err = json.Unmarshal(out, &got)
	}
	if err != nil || len(got) != len(want) {
		t.Fatalf("got %d readings, %v, want %d\n%s", len(got), err, len(want), out)
	}
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("%q: got %q, want the service's %q", typed[i], got[i], want[i])
		}
	}
}

// TestFieldsOfChangesHaveNames fails for a field that couriers see when it was edited, and that the app would name
// by its path.
func TestFieldsOfChangesHaveNames(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("assets/courier/changes.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range delivery.Parts {
		name := part.Field[strings.LastIndexByte(part.Field, '.')+1:]
		if shown := delivery.ShownToCouriers([]string{part.Field}); len(shown) > 0 &&
			!strings.Contains(string(script), " "+name+`: t("courier.field.`) {
			t.Errorf("changes.js: got no name for %s", part.Field)
		}
	}
}
