package ops

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
)

// changeOrder reads a request that changes the order in the path, carries it out, and answers the
// order's record. A repeated request gets the answer to the first.
func changeOrder[T any](
	c *httpd.Call, read func(*form.Form) T,
	change func(context.Context, *httpd.KeyedRequest, string, T) (order.Answer, error),
) (httpd.Reply, error) {
	request, err := c.RepeatableByPerson()
	if err != nil {
		return httpd.Reply{}, err
	}
	wanted, err := httpd.Decode(c, read)
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, err := change(c.Context(), request, c.PathID("order_id"), wanted)
	c.MarkReplayed(answer.Replayed)
	return httpd.Reply{Status: http.StatusOK, Body: answer.Record}, err
}

// changeByCourier does the same for what couriers do with their own orders, and the desk with any.
func changeByCourier[T any](
	c *httpd.Call, read func(by string) func(*form.Form) T,
	change func(context.Context, *httpd.KeyedRequest, string, T) (order.Answer, error),
) (httpd.Reply, error) {
	courierID, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	return changeOrder(c, read(courierID), change)
}

func (s *Server) handleOrderAdvance(c *httpd.Call) (httpd.Reply, error) {
	return changeByCourier(c, s.config.Orders.ReadAdvance, s.config.Orders.Advance)
}

// handleCancellationAnswer answers a partner's request to cancel an order.
func (s *Server) handleCancellationAnswer(c *httpd.Call) (httpd.Reply, error) {
	return changeOrder(c, order.ReadCancellationAnswer, s.config.Orders.AnswerCancellation)
}

// bulkResult is the outcome for one order of a bulk move.
type bulkResult struct {
	OrderID string             `json:"order_id"`
	OK      bool               `json:"ok"`
	Status  delivery.Status    `json:"status,omitzero"`
	Version int64              `json:"version,omitzero"`
	Error   *httpd.ErrorDetail `json:"error,omitzero"`
}

func (s *Server) handleOrdersAdvance(c *httpd.Call) (httpd.Reply, error) {
	request, err := c.RepeatableByPerson()
	if err != nil {
		return httpd.Reply{}, err
	}
	move, err := httpd.Decode(c, s.config.Orders.ReadBulkAdvance)
	if err != nil {
		return httpd.Reply{}, err
	}
	moved, err := s.config.Orders.AdvanceAll(c.Context(), request, move)
	if err != nil {
		return httpd.Reply{}, err
	}
	results := make([]bulkResult, len(moved))
	for i, m := range moved {
		results[i] = bulkResult{OrderID: m.OrderID, OK: m.Err == nil, Status: m.Status, Version: m.Version}
		if m.Err != nil {
			detail := c.Detail(c.Public(m.Err))
			results[i].Error = &detail
		}
	}
	return httpd.OK(struct {
		Results []bulkResult `json:"results"`
	}{results})
}

type noteAnswer struct {
	NoteID     string    `json:"note_id"`
	At         time.Time `json:"at"`
	OperatorID string    `json:"operator_id"`
	Text       string    `json:"text"`
}

func noteOf(n *dispatch.Note) noteAnswer {
	return noteAnswer{n.NoteID, n.At, n.OperatorID, n.Text}
}

func (s *Server) handleNoteCreate(c *httpd.Call) (httpd.Reply, error) {
	text, err := httpd.Decode(c, dispatch.ReadNote)
	if err != nil {
		return httpd.Reply{}, err
	}
	note, err := s.config.Dispatch.AddNote(c.Context(), c.PathID("order_id"), text)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(noteOf(note))
}

// allocationAnswer says from which location items were taken.
type allocationAnswer struct {
	ProductID int64  `json:"product_id"`
	Location  string `json:"location"`
	Quantity  int64  `json:"quantity"`
}

// moveAnswer says which operator brought the order to a version.
type moveAnswer struct {
	Version    int64     `json:"version"`
	At         time.Time `json:"at"`
	OperatorID string    `json:"operator_id"`
	CourierID  string    `json:"courier_id,omitzero"`
}

// operatorsOrder is what operators see of an order in addition to its record and its
// row of the board.
type operatorsOrder struct {
	CreatedBy  *operatorNaming    `json:"created_by,omitzero"` // absent for an order by the partner
	Allocation []allocationAnswer `json:"allocation"`
	Notes      []noteAnswer       `json:"notes"`
	Proofs     []proofAnswer      `json:"proofs"`
	Scans      []scanAnswer       `json:"scans"`
	Custody    []heldAnswer       `json:"custody"`
	Moves      []moveAnswer       `json:"moves"`
	Operators  map[string]string  `json:"operators"`
	Couriers   map[string]string  `json:"couriers"`
	Failed     *failedAnswer      `json:"failed_attempt,omitzero"`
}

// failedAnswer is the latest attempt at an order that has failed.
type failedAnswer struct {
	Reason      delivery.FailureReason `json:"reason"`
	NextAttempt *time.Time             `json:"next_attempt"` // null if none is planned
}

func (s *Server) handleOrderRecord(c *httpd.Call) (httpd.Reply, error) {
	courierID, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.config.Dispatch.Order(c.Context(), courierID, c.PathID("order_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	answer := operatorsOrder{
		Allocation: make([]allocationAnswer, len(found.Order.Allocation)),
		Notes:      make([]noteAnswer, len(found.Notes)),
		Proofs:     make([]proofAnswer, len(found.Proofs)),
		Scans:      make([]scanAnswer, len(found.Scans)),
		Custody:    custodyOf(found.Order),
		Moves:      make([]moveAnswer, len(found.Moves)),
		Operators:  found.Operators,
		Couriers:   make(map[string]string, len(found.Couriers)),
	}
	if by := found.Order.Course.CreatedBy; by != "" {
		answer.CreatedBy = &operatorNaming{by, found.Operators[by]}
	}
	if failed := found.Failed; failed != nil {
		answer.Failed = &failedAnswer{failed.Reason, failed.Next}
	}
	for id, courier := range found.Couriers {
		answer.Couriers[id] = courier.Name
	}
	for i, take := range found.Order.Allocation {
		answer.Allocation[i] = allocationAnswer{take.ProductID, take.Location, take.Quantity}
	}
	for i, proof := range found.Proofs {
		answer.Proofs[i] = s.proofOf(proof)
	}
	for i, scan := range found.Scans {
		answer.Scans[i] = scanOf(scan)
	}
	for i, note := range found.Notes {
		answer.Notes[i] = noteOf(note)
	}
	for i, move := range found.Moves {
		answer.Moves[i] = moveAnswer(move)
	}
	row := boardRow(&found.Entry)
	rest, err := strictjson.Marshal(answer)
	if err != nil {
		return httpd.Reply{}, err
	}
	// The record is spliced in, so that its metadata keeps its bytes.
	body := slices.Concat(row[:len(row)-1], []byte(","), rest[1:len(rest)-1], []byte(`,"order":`),
		record.EncodeForOperators(found.Order), []byte("}"))
	return httpd.Reply{Status: http.StatusOK, Body: body}, nil
}
