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
// The key of the batch follows from the draft and the orders: the same form never creates them twice, however late.
func (pages *Pages) createImported(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	draft, err := pages.config.Saved.Draft(s.Context(), s.Account, s.ID("draft_id"))
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
	created, err := pages.createBatch(s, draft, plan)
	if errors.As(err, new(*refusal.Error)) && !refusal.HasCode(err, refusal.CodeIdempotencyInProgress) {
		var refused *refusal.Error
		errors.As(err, &refused)
		return s.showImport(draft, http.StatusUnprocessableEntity,
			s.Text("import.refused", "why", s.Language.Refusal(refused.Code)))
	}
	if err != nil {
		return 0, nil, err
	}
	_, err = pages.config.Saved.ChangeDraft(s.Context(), s.Account, draft.DraftID, func(d *saved.Draft) error {
		d.Created = append(d.Created, withoutKnown(d.Created, created)...)
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(s.Link(draftPath(draft.DraftID)),
		page.Flash{Key: "import.created", Arguments: []string{"count", s.Language.Count("import.orders", len(created))}})
}

// createBatch creates the orders that are ready, and returns those that exist then.
func (pages *Pages) createBatch(s *sheet, draft *saved.Draft, plan *importPlan) (created []saved.Created, err error) {
	var body bytes.Buffer
	wanted := make([]order.Wanted, 0, len(plan.Ready))
	for _, one := range plan.Ready {
		body.Write(one.body)
		body.WriteByte('\n')
		wanted = append(wanted, one.wanted)
	}
	key := idempotency.Key{
		PartnerID: s.Account, Scope: "POST /v1/orders/batch",
		UUID: uuid.NewSHA1(importNamespace, append([]byte(draft.DraftID), body.Bytes()...)),
	}
	request := idempotency.NewRequest(key, body.Bytes())
	batch, err := pages.config.Orders.PrepareBatch(s.Context(), request, body.Len(), wanted)
	if err != nil {
		return nil, err
	}
	results, err := pages.config.Orders.CreateBatch(s.Context(), batch)
	if err != nil {
		return nil, err
	}
	for i, result := range results {
		if result.Err != nil { // the page shows why, when the order is validated again
			continue
		}
		one := plan.Ready[i]
		created = append(created, saved.Created{
			Line: one.line, OrderID: record.OrderID(result.Record), PartnerOrderID: one.Reference,
		})
	}
	return created, nil
}

// withoutKnown returns the orders that are not among known ones.
func withoutKnown(known, created []saved.Created) (added []saved.Created) {
	lines := map[int]bool{}
	for _, c := range known {
		lines[c.Line] = true
	}
	for _, c := range created {
		if !lines[c.Line] {
			added = append(added, c)
		}
	}
	return added
}
