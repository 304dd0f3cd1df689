package outbox_test

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	const early, last, after, late = "019caef5-0000-7000-8000-000000000000", "019caef5-ac70-7d02-9a6b-21f4c8e05b93",
		"019caef5-ac70-7d02-9a6b-21f4c8e05b94", "019caef6-0000-7000-8000-000000000000"
	of := func(partnerID, eventID string) *delivery.Event {
		return &delivery.Event{PartnerID: partnerID, EventID: eventID}
	}
	events := []*delivery.Event{of("b", early), of("a", late), of("b", last), of("c", early), of("b", late), of("b", early)}
	got := outbox.Follow(events, map[string]string{"a": last, "b": last, "c": ""})
	want := []outbox.Latest{{"a", late}, {"b", "019caef6-0000-7000-8000-000000000001"}, {"c", early}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	ids := []string{after, late, "019caef5-ac70-7d02-9a6b-21f4c8e05b95", early, late, "019caef6-0000-7000-8000-000000000001"}
	for i, e := range events {
		if e.EventID != ids[i] {
			t.Errorf("event %d: got %s, want %s", i, e.EventID, ids[i])
		}
	}
}
