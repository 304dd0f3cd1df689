package strictjson_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// TestTimesHaveThreeDecimals checks both ways in which this package writes times.
func TestTimesHaveThreeDecimals(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 14, 5, 9, 0, time.UTC)
	value := struct {
		At      time.Time  `json:"at"`
		Pointer *time.Time `json:"pointer"`
		None    *time.Time `json:"none"`
		Left    time.Time  `json:"left_out,omitzero"`
	}{At: at, Pointer: &at}
	got, err := strictjson.Marshal(value)
	if want := `{"at":"2026-03-02T14:05:09.000Z","pointer":"2026-03-02T14:05:09.000Z","none":null}`; err != nil ||
		string(got) != want {
		t.Errorf("Marshal: got %s, %v, want %s", got, err, want)
	}
	var w strictjson.Writer
	w.Object("")
	w.Time("at", at.Add(500*time.Millisecond))
	w.EndObject()
	if want := `{"at":"2026-03-02T14:05:09.500Z"}`; string(w.Buffer) != want {
		t.Errorf("Writer: got %s, want %s", w.Buffer, want)
	}
}
