package portal

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/google/uuid"
)

// importNamespace is the UUIDv5 namespace of the keys of imports on pages.
var importNamespace = uuid.MustParse("0d3c5e8a-9a4b-5f7e-8c21-6b1f2a94d7e3")

// createImported creates the orders of a file that are ready, if they are those that the page has shown for that price.
func (pages *Pages) createImported(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	draft, err := s.importDraft()
	if err != nil {
		return 0, nil, err
	}
	plan, err := s.planImport(draft)
	if err != nil {
		return 0, nil, err
	}
	if sent.Values.Get(countField) != strconv.Itoa(len(plan.Ready)) ||
		sent.Values.Get(priceField) != strconv.FormatInt(plan.cents, 10) {
		if len(draft.Created) > 0 && len(plan.Ready) == 0 { // the form was sent twice
			return s.LeadTo(s.Link(draftPath(draft.DraftID)), page.Flash{})
		}
		return s.showImport(draft, http.StatusConflict, s.Text("import.changed"))
	}
	created, err := s.createBatch(draft, plan)
	if errors.As(err, new(*refusal.Error)) && !refusal.HasCode(err, refusal.CodeIdempotencyInProgress) {
		var refused *refusal.Error
		errors.As(err, &refused)
		return s.showImport(draft, http.StatusUnprocessableEntity,
			s.Text("import.refused", "why", s.Language.Refusal(refused.Code)))
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(s.Link(draftPath(draft.DraftID)),
		page.Flash{Key: "import.created", Arguments: []string{"count", s.Language.Count("import.orders", created)}})
}

// createBatch creates the orders that are ready, and returns how many of them exist then. The key of the batch follows
// from the draft and the orders: the same form never creates them twice, however late. The draft has the batch before
// it is created, so that importDraft finds its orders if this process ends in between.
func (s *sheet) createBatch(draft *saved.Draft, plan *importPlan) (created int, err error) {
	var body bytes.Buffer
	wanted := make([]order.Wanted, 0, len(plan.Ready))
	batch := &saved.Batch{}
	for _, one := range plan.Ready {
		body.Write(one.body)
		body.WriteByte('\n')
		wanted = append(wanted, one.wanted)
		batch.Orders = append(batch.Orders, saved.Created{Line: one.line, Lines: one.Lines, PartnerOrderID: one.Reference})
	}
	batch.Key = uuid.NewSHA1(importNamespace, append([]byte(draft.DraftID), body.Bytes()...)).String()
	orders := s.pages.config.Orders
	prepared, err := orders.PrepareBatch(s.Context(), s.requestOf(batch), body.Len(), wanted)
	if err != nil {
		return 0, err
	}
	_, err = s.pages.config.Saved.ChangeDraft(s.Context(), s.Account, draft.DraftID, func(d *saved.Draft) error {
		d.Begun = batch
		return nil
	})
	if err != nil {
		return 0, err
	}
	results, err := orders.CreateBatch(s.Context(), prepared)
	if err != nil {
		return 0, err
	}
	_, err = s.noteBatch(draft.DraftID, batch, results)
	for _, result := range results {
		if result.Err == nil { // the page shows other errors, when the order is validated again
			created++
		}
	}
	return created, err
}

// requestOf returns the request for a batch, of which the key contains the content.
func (s *sheet) requestOf(batch *saved.Batch) idempotency.Request {
	key := idempotency.Key{PartnerID: s.Account, Scope: "POST /v1/orders/batch"}
	key.UUID, _ = uuid.Parse(batch.Key) // it was written as one
	return idempotency.NewRequest(key, nil)
}

// noteBatch notes the orders of a batch that exist, and returns the draft.
func (s *sheet) noteBatch(draftID string, batch *saved.Batch, results []order.Result) (*saved.Draft, error) {
	ids := make([]string, len(results))
	for i, result := range results {
		if result.Err == nil {
			ids[i] = record.OrderID(result.Record)
		}
	}
	return s.pages.config.Saved.ChangeDraft(s.Context(), s.Account, draftID, func(d *saved.Draft) error {
		d.Note(batch, ids)
		return nil
	})
}

// importDraft returns the draft that the page is about, with all of its orders that exist.
func (s *sheet) importDraft() (*saved.Draft, error) {
	draft, err := s.pages.config.Saved.Draft(s.Context(), s.Account, s.ID("draft_id"))
	if err != nil || draft.Begun == nil {
		return draft, err
	}
	batch := draft.Begun
	results, err := s.pages.config.Orders.RecallBatch(s.Context(), s.requestOf(batch), len(batch.Orders))
	if err != nil {
		return nil, err
	}
	return s.noteBatch(draft.DraftID, batch, results)
}
