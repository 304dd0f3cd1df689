package saved

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const (
	// MaxFile is how many bytes a file may have.
	MaxFile = 1 << 20
	// MaxColumns is how many columns a file may have: the page of a draft lists all fields for each.
	MaxColumns = 200
	// MaxDrafts is how many drafts a partner may have, live and test ones together.
	MaxDrafts = 5
	// MaxState is how many bytes may have been decided about a file, besides the orders that exist or are being created,
	// of which there is at most one for each line.
	MaxState = 1 << 20
)

// Draft is a file of orders that is being imported.
type Draft struct {
	PartnerID string // an account, which may be a test account
	DraftID   string
	File      []byte
	DraftState
	CreatedAt time.Time
}

// DraftState is what has been decided about the file of a draft.
type DraftState struct {
	Columns     []string          `json:"columns"`     // the field of each column
	Defaults    map[string]string `json:"defaults"`    // by field; nil for a draft whose document is damaged
	Corrections []Correction      `json:"corrections"` // of cells
	Created     []Created         `json:"created"`
	// LeaveOut are the lines of what is not to be created: the first line of an order, or one that belongs to none.
	LeaveOut []int `json:"leave_out"`
	// Include are the first lines of orders that are created though their shop has closed them.
	Include []int `json:"include,omitempty"`
	// Begun is the batch that is being created, until its orders are in Created.
	Begun *Batch `json:"begun,omitempty"`
}

// Batch is a batch of orders that is created once under its key.
type Batch struct {
	Key    string    `json:"key"`    // a UUID
	Orders []Created `json:"orders"` // without order_id
}

// Correction is what a person has typed in the place of a cell.
type Correction struct {
	Line  int    `json:"line"`
	Field string `json:"field"`
	Text  string `json:"text"`
}

// Created is an order of the file that was created.
type Created struct {
	Line           int    `json:"line"` // its first
	Lines          []int  `json:"lines"`
	OrderID        string `json:"order_id"`
	PartnerOrderID string `json:"partner_order_id"`
}

// Note adds the orders of a batch to those that were created. The ids are empty for orders that do not exist.
func (d *DraftState) Note(batch *Batch, ids []string) {
	for i, one := range batch.Orders {
		one.OrderID = ids[i]
		if one.OrderID != "" && !slices.ContainsFunc(d.Created, func(c Created) bool { return c.Line == one.Line }) {
			d.Created = append(d.Created, one)
		}
	}
	if d.Begun != nil && d.Begun.Key == batch.Key {
		d.Begun = nil
	}
}

// Correct replaces the text of a cell.
func (d *DraftState) Correct(line int, field, text string) {
	for i, c := range d.Corrections {
		if c.Line == line && c.Field == field {
			d.Corrections[i].Text = text
			return
		}
	}
	d.Corrections = append(d.Corrections, Correction{line, field, text})
}

// tooLarge reports whether more was decided about a file than is kept.
func (d DraftState) tooLarge() bool {
	d.Created, d.Begun = nil, nil
	encoded, err := json.Marshal(d)
	return err != nil || len(encoded) > MaxState
}

// StartDraft keeps a file under an id, unless there is one with it: a form that is sent twice starts one draft. The
// oldest drafts beyond MaxDrafts are removed.
func (s *Service) StartDraft(ctx context.Context, draft *Draft) error {
	if len(draft.File) > MaxFile {
		return refusal.New(refusal.CodePayloadTooLarge, "the file is larger than 1 MiB: import it in parts")
	}
	if err := s.config.Admit(ctx, delivery.LiveAccount(draft.PartnerID)); err != nil {
		return err
	}
	draft.CreatedAt = s.now()
	return s.config.Store.Write(ctx, func(tx Writer) error {
		if err := makeRoom(ctx, tx, draft); err != nil {
			return err
		}
		return tx.AddDraft(ctx, draft)
	})
}

// makeRoom removes the oldest drafts of a partner that are too many beside a new one.
func makeRoom(ctx context.Context, tx Writer, added *Draft) error {
	live := delivery.LiveAccount(added.PartnerID)
	found, err := tx.Drafts(ctx, live)
	if err != nil {
		return err
	}
	tests, err := tx.Drafts(ctx, delivery.TestAccount(live))
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(append(found, tests...), func(d *Draft) bool { return d.DraftID == added.DraftID })
	slices.SortStableFunc(others, func(a, b *Draft) int { return b.CreatedAt.Compare(a.CreatedAt) })
	for _, old := range others[min(len(others), MaxDrafts-1):] {
		if err := tx.RemoveDraft(ctx, old.PartnerID, old.DraftID); err != nil {
			return err
		}
	}
	return nil
}

// Draft returns a draft. It refuses with not_found, also for one that was kept for a day or can no longer be read.
func (s *Service) Draft(ctx context.Context, account, draftID string) (found *Draft, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Draft(ctx, account, draftID)
		return err
	})
	return s.fresh(found, err)
}

func (s *Service) fresh(found *Draft, err error) (*Draft, error) {
	if err != nil {
		return nil, err
	}
	if found == nil || found.Defaults == nil || s.now().Sub(found.CreatedAt) > delivery.ImportKept {
		return nil, refusal.NotFound("this import")
	}
	return found, nil
}

// ChangeDraft changes a draft, and returns it.
func (s *Service) ChangeDraft(
	ctx context.Context, account, draftID string, change func(*Draft) error,
) (changed *Draft, err error) {
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		found, err := tx.LockDraft(ctx, account, draftID)
		if changed, err = s.fresh(found, err); err != nil {
			return err
		}
		if err := change(changed); err != nil {
			return err
		}
		if changed.tooLarge() {
			return refusal.New(refusal.CodePayloadTooLarge, "what is to change in the file is larger than 1 MiB: edit the file")
		}
		return tx.SaveDraft(ctx, changed)
	})
	return changed, err
}

// KeepColumns keeps what a person has chosen the columns of files with a header to mean. A choice that is what is
// proposed anyway is not kept, and removes an earlier one. Of the header only a hash is kept: the first line of a file
// without one is a person's data, which an erasure would not find here.
func (s *Service) KeepColumns(ctx context.Context, account string, titles, proposed, chosen []string) error {
	entry := &Entry{
		PartnerID: delivery.LiveAccount(account), Kind: Columns, EntryID: idOfTitles(titles), Fields: map[string]string{},
		UpdatedAt: s.now(),
	}
	if slices.Equal(proposed, chosen) {
		return s.Remove(ctx, account, Columns, entry.EntryID)
	}
	for i, field := range chosen {
		entry.Fields[strconv.Itoa(i)] = field
	}
	return s.keep(ctx, entry)
}

// ColumnsOf returns what the columns of files with a header mean, by their titles; nil if that is not kept.
func (s *Service) ColumnsOf(ctx context.Context, account string, titles []string) (map[string]string, error) {
	found, err := s.Entry(ctx, account, Columns, idOfTitles(titles))
	if err != nil || found == nil {
		return nil, err
	}
	fields := map[string]string{}
	for i, title := range titles {
		if field, kept := found.Fields[strconv.Itoa(i)]; kept {
			fields[title] = field
		}
	}
	return fields, nil
}

func idOfTitles(titles []string) string {
	digest := sha256.Sum256([]byte(strings.Join(titles, "\x00")))
	return hex.EncodeToString(digest[:12])
}
