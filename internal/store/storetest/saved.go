package storetest

import (
	"context"
	"testing"

	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// testSaved: entries are listed by name, replaced and removed. A draft is started once, changed under a lock, and
// removed by its id.
func testSaved(t *testing.T, s *store.Store) {
	register(t, s)
	write := func(fn func(context.Context, saved.Writer) error) {
		t.Helper()
		must(t, s.Saved().Write(t.Context(), func(tx saved.Writer) error { return fn(t.Context(), tx) }))
	}
	for i, name := range []string{"Zoé", "Ann", "Zoé"} {
		write(func(ctx context.Context, tx saved.Writer) error {
			return tx.SaveEntry(ctx, &saved.Entry{
				PartnerID: partnerID, Kind: saved.Recipient, EntryID: name, Name: name, Email: "z@example.com",
				Fields: map[string]string{"phone": string(rune('0' + i))}, UpdatedAt: at(i),
			})
		})
	}
	write(func(ctx context.Context, tx saved.Writer) error {
		locked, err := tx.LockEntry(ctx, partnerID, saved.Recipient, "Ann")
		if err != nil || locked == nil || locked.Name != "Ann" {
			t.Errorf("got %v, %v, want the entry that was locked", locked, err)
		}
		if locked, err = tx.LockEntry(ctx, partnerID, saved.Sender, "Ann"); err != nil || locked != nil {
			t.Errorf("got %v, %v, want no entry of another kind", locked, err)
		}
		for _, entry := range []*saved.Entry{{EntryID: "Ann", Name: "Other"}, {EntryID: "Kim", Name: "Kim"}} {
			entry.PartnerID, entry.Kind, entry.UpdatedAt = partnerID, saved.Recipient, at(3)
			added, err := tx.AddEntry(ctx, entry)
			if err != nil || added != (entry.Name == "Kim") {
				t.Errorf("%s: got %t, %v, want only an entry with a new id added", entry.Name, added, err)
			}
		}
		return tx.RemoveEntry(ctx, partnerID, saved.Recipient, "Kim")
	})
	first := &saved.Draft{
		PartnerID: partnerID, DraftID: "1a", File: []byte("a;b\n\xff"), CreatedAt: testkit.Epoch,
		DraftState: saved.DraftState{Columns: []string{"x"}},
	}
	second := *first
	second.File = []byte("other")
	for _, draft := range []*saved.Draft{first, &second} {
		write(func(ctx context.Context, tx saved.Writer) error { return tx.AddDraft(ctx, draft) })
	}
	write(func(ctx context.Context, tx saved.Writer) error {
		found, err := tx.LockDraft(ctx, partnerID, "1a")
		if err != nil {
			return err
		}
		found.Correct(2, "x", "y")
		return tx.SaveDraft(ctx, found)
	})
	checkSaved(t, s, 2, true)
	must(t, s.Saved().Write(t.Context(), func(tx saved.Writer) error {
		ids, err := tx.EntryIDs(t.Context(), partnerID, saved.Recipient)
		same(t, "EntryIDs", ids, []string{"Ann", "Zoé"})
		must(t, err)
		drafts, err := tx.Drafts(t.Context(), partnerID)
		same(t, "Drafts", drafts, []*saved.Draft{{PartnerID: partnerID, DraftID: "1a", CreatedAt: testkit.Epoch}})
		return err
	}))
	write(func(ctx context.Context, tx saved.Writer) error {
		if err := tx.RemoveEntry(ctx, partnerID, saved.Recipient, "Ann"); err != nil {
			return err
		}
		return tx.RemoveDraft(ctx, partnerID, "1a")
	})
	checkSaved(t, s, 1, false)
}

func checkSaved(t *testing.T, s *store.Store, entries int, hasDraft bool) {
	t.Helper()
	must(t, s.Saved().Read(t.Context(), func(tx saved.Reader) error {
		found, err := tx.Entries(t.Context(), partnerID, saved.Recipient)
		if err != nil {
			return err
		}
		if last := len(found) - 1; len(found) != entries || found[last].Name != "Zoé" || found[last].Fields["phone"] != "2" {
			t.Errorf("got the entries %v, want %d and the last one as it was saved last", found, entries)
		}
		none, err := tx.Entry(t.Context(), partnerID, saved.Sender, "Zoé")
		if err != nil || none != nil {
			t.Errorf("got %v, %v, want no entry of another kind", none, err)
		}
		draft, err := tx.Draft(t.Context(), partnerID, "1a")
		if err != nil {
			return err
		}
		if (draft != nil) != hasDraft {
			t.Errorf("got the draft %v, want one: %t", draft, hasDraft)
		}
		if draft != nil && (string(draft.File) != "a;b\n\xff" || len(draft.Corrections) != 1 || draft.Columns[0] != "x") {
			t.Errorf("got %+v, want the first file with a correction", draft)
		}
		return nil
	}))
}
