package outbox_test

import (
	"maps"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	const early, newest, late = "019caef5-0000-7000-8000-000000000000", "019caef5-ac70-7d02-9a6b-21f4c8e05b93",
		"019caef6-0000-7000-8000-000000000000"
	of := func(partnerID, eventID string) *delivery.Event {
		return &delivery.Event{PartnerID: partnerID, EventID: eventID}
	}
	events := []*delivery.Event{
		of("b",
			early), of("a", late), of("b", newest), of("c", late), of("c", early), of("b", late), of("b", early), of("a", late),
	}
	before := map[string]string{"a": newest, "b": newest}
	given := maps.Clone(before)
	outbox.Follow(events, given)
	for i, want := range []string{
		"019caef5-ac70-7d02-9a6b-21f4c8e05b94", late, "019caef5-ac70-7d02-9a6b-21f4c8e05b95",
		late, "019caef6-0000-7000-8000-000000000001", // the first events of a partner
		late, "019caef6-0000-7000-8000-000000000001", "019caef6-0000-7000-8000-000000000001",
	} {
		if events[i].EventID != want {
			t.Errorf("event %d: got %s, want %s", i, events[i].EventID, want)
		}
	}
	if !maps.Equal(given, before) {
		t.Errorf("got %v as the ids of before, want %v", given, before)
	}
}
