package store

import (
	"context"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/saved"
)

var (
	savedEntries = db.NewTable("saved_entries",
		db.Key(
			db.Text("partner_id", func(e *saved.Entry) *string { return &e.PartnerID }),
			db.Text("kind", func(e *saved.Entry) *string { return (*string)(&e.Kind) }),
			db.Text("entry_id", func(e *saved.Entry) *string { return &e.EntryID })),
		db.Text("name", func(e *saved.Entry) *string { return &e.Name }),
		db.Text("email", func(e *saved.Entry) *string { return &e.Email }),
		db.JSON("document", func(e *saved.Entry) *map[string]string { return &e.Fields },
			func(fields map[string]string) bool { return len(fields) == 0 },
			func(e *saved.Entry, _ error) { e.Fields = nil }), // the entry has its name
		db.Moment("updated_at", func(e *saved.Entry) *time.Time { return &e.UpdatedAt }),
	)
	addEntries  = savedEntries.Insert()
	saveEntries = savedEntries.Upsert()
	lockEntries = db.LockBy(db.Key(
		db.Text("partner_id", func(k *entryKey) *string { return &k.partnerID }),
		db.Text("kind", func(k *entryKey) *string { return (*string)(&k.kind) }),
		db.Text("entry_id", func(k *entryKey) *string { return &k.entryID })), savedEntries)

	importDrafts = db.NewTable("import_drafts",
		db.Key(
			db.Text("partner_id", func(d *saved.Draft) *string { return &d.PartnerID }),
			db.Text("draft_id", func(d *saved.Draft) *string { return &d.DraftID })),
		db.Blob("file", func(d *saved.Draft) *[]byte { return &d.File }),
		db.JSON("document", func(d *saved.Draft) *saved.DraftState { return &d.DraftState },
			func(saved.DraftState) bool { return false },
			func(d *saved.Draft, _ error) { d.DraftState = saved.DraftState{} }),
		db.Moment("created_at", func(d *saved.Draft) *time.Time { return &d.CreatedAt }),
	)
	draftTimes = importDrafts.Only("created_at")
	addDrafts  = importDrafts.Insert()
	saveDrafts = importDrafts.Upsert()
	lockDrafts = db.LockBy(db.Key(
		db.Text("partner_id", func(k *draftKey) *string { return &k.partnerID }),
		db.Text("draft_id", func(k *draftKey) *string { return &k.draftID })), importDrafts)
)

// entryKey is the key of an entry.
type entryKey struct {
	partnerID string
	kind      saved.Kind
	entryID   string
}

// draftKey is the key of a draft.
type draftKey struct{ partnerID, draftID string }

// Saved is the store as package saved sees it.
func (s *Store) Saved() saved.Store {
	return view[saved.Reader, saved.Writer]{s.Database,
		func(c db.Conn) saved.Reader { return savedTx{c} }, func(c db.Conn) saved.Writer { return savedTx{c} }}
}

// savedTx is a transaction of package saved.
type savedTx struct{ conn db.Conn }

// Entries lists the entries of a kind by name.
func (tx savedTx) Entries(ctx context.Context, partnerID string, kind saved.Kind) ([]*saved.Entry, error) {
	return savedEntries.All(ctx, tx.conn, "WHERE partner_id = $1 AND kind = $2 ORDER BY name, entry_id", partnerID,
		string(kind))
}

// Entry returns an entry; nil if there is none.
func (tx savedTx) Entry(
	ctx context.Context, partnerID string, kind saved.Kind, entryID string,
) (*saved.Entry, error) {
	found, err := savedEntries.All(ctx, tx.conn, "WHERE partner_id = $1 AND kind = $2 AND entry_id = $3", partnerID,
		string(kind), entryID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// EntryIDs lists the ids of the entries of a kind, those first that were not changed for the longest.
func (tx savedTx) EntryIDs(ctx context.Context, partnerID string, kind saved.Kind) ([]string, error) {
	return db.IDs(ctx, tx.conn,
		"SELECT entry_id FROM saved_entries WHERE partner_id = $1 AND kind = $2 ORDER BY updated_at, entry_id", partnerID,
		string(kind))
}

// LockEntry reads an entry, locked until the transaction ends; nil if there is none.
func (tx savedTx) LockEntry(
	ctx context.Context, partnerID string, kind saved.Kind, entryID string,
) (*saved.Entry, error) {
	return db.FindOne(ctx, tx.conn, lockEntries, entryKey{partnerID, kind, entryID})
}

// AddEntry adds an entry, unless there is one with its id, and reports whether it did.
func (tx savedTx) AddEntry(ctx context.Context, entry *saved.Entry) (bool, error) {
	written, err := db.WriteNow(ctx, tx.conn, addEntries, entry)
	return written > 0, err
}

// SaveEntry adds or replaces an entry.
func (tx savedTx) SaveEntry(ctx context.Context, entry *saved.Entry) error {
	return db.WriteAllNow(ctx, tx.conn, saveEntries, entry)
}

// RemoveEntry removes an entry, if there is one.
func (tx savedTx) RemoveEntry(ctx context.Context, partnerID string, kind saved.Kind, entryID string) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM saved_entries WHERE partner_id = $1 AND kind = $2 AND entry_id = $3",
		partnerID, string(kind), entryID)
	return err
}

// Draft returns a draft; nil if there is none.
func (tx savedTx) Draft(ctx context.Context, partnerID, draftID string) (*saved.Draft, error) {
	found, err := importDrafts.All(ctx, tx.conn, "WHERE partner_id = $1 AND draft_id = $2", partnerID, draftID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// LockDraft reads a draft, locked until the transaction ends; nil if there is none.
func (tx savedTx) LockDraft(ctx context.Context, partnerID, draftID string) (*saved.Draft, error) {
	return db.FindOne(ctx, tx.conn, lockDrafts, draftKey{partnerID, draftID})
}

// AddDraft adds a draft, unless there is one with its id.
func (tx savedTx) AddDraft(ctx context.Context, draft *saved.Draft) error {
	_, err := db.WriteNow(ctx, tx.conn, addDrafts, draft)
	return err
}

// SaveDraft replaces a draft.
func (tx savedTx) SaveDraft(ctx context.Context, draft *saved.Draft) error {
	return db.WriteAllNow(ctx, tx.conn, saveDrafts, draft)
}

// Drafts lists the drafts of an account without what is in them.
func (tx savedTx) Drafts(ctx context.Context, partnerID string) ([]*saved.Draft, error) {
	return draftTimes.All(ctx, tx.conn, "WHERE partner_id = $1 ORDER BY draft_id", partnerID)
}

// RemoveDraft removes a draft, if there is one.
func (tx savedTx) RemoveDraft(ctx context.Context, partnerID, draftID string) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM import_drafts WHERE partner_id = $1 AND draft_id = $2", partnerID, draftID)
	return err
}

// removeSaved removes the addresses of a person, and all drafts, which may have them.
func removeSaved(ctx context.Context, c db.Conn, partnerID, email string, entryIDs []string) error {
	partnerID = delivery.LiveAccount(partnerID)
	if email != "" {
		_, err := c.Exec(ctx,
			"DELETE FROM saved_entries WHERE partner_id = $1 AND kind IN ('sender', 'recipient') AND email = $2", partnerID,
			strings.ToLower(email))
		if err != nil {
			return err
		}
	}
	for _, entryID := range entryIDs {
		_, err := c.Exec(ctx,
			"DELETE FROM saved_entries WHERE partner_id = $1 AND kind IN ('sender', 'recipient') AND entry_id = $2", partnerID,
			entryID)
		if err != nil {
			return err
		}
	}
	for _, account := range []string{partnerID, delivery.TestAccount(partnerID)} {
		if _, err := c.Exec(ctx, "DELETE FROM import_drafts WHERE partner_id = $1", account); err != nil {
			return err
		}
	}
	return nil
}

// SavedEntries lists what a partner's people keep for forms.
func (tx retentionTx) SavedEntries(ctx context.Context, partnerID string) (listed []retention.SavedEntry, err error) {
	err = savedEntries.Each(ctx, tx.conn, "WHERE partner_id = $1 ORDER BY kind, name, entry_id", []any{partnerID},
		func(e *saved.Entry) error {
			listed = append(listed,
				retention.SavedEntry{Kind: string(e.Kind), Name: e.Name, Fields: e.Fields, UpdatedAt: e.UpdatedAt})
			return nil
		})
	return listed, err
}

// titlesOfColumns selects entries in which titles of files were kept as they are. They may be data of persons.
const titlesOfColumns = "partner_id = $1 AND kind = 'columns'"

// HasDrafts reports whether RemoveDrafts would remove anything.
func (tx retentionTx) HasDrafts(ctx context.Context, partnerID string, before time.Time) (bool, error) {
	return db.Exists(ctx, tx.conn, `SELECT 1 FROM import_drafts WHERE partner_id = $1 AND created_at < $2
		UNION ALL SELECT 1 FROM saved_entries WHERE `+titlesOfColumns+" LIMIT 1", partnerID, before)
}

// RemoveDrafts removes the drafts of an account that were made before a time, and the titles of files that earlier
// versions have kept.
func (tx retentionTx) RemoveDrafts(ctx context.Context, partnerID string, before time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM import_drafts WHERE partner_id = $1 AND created_at < $2", partnerID, before)
	if err != nil {
		return err
	}
	_, err = tx.conn.Exec(ctx, "DELETE FROM saved_entries WHERE "+titlesOfColumns, partnerID)
	return err
}

// RemoveSaved removes the saved addresses of a person, by an e-mail address and by ids, and all drafts of imports.
func (tx retentionTx) RemoveSaved(ctx context.Context, partnerID, email string, entryIDs []string) error {
	return removeSaved(ctx, tx.conn, partnerID, email, entryIDs)
}
