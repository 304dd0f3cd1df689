package api

import (
	"net/http"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/record"
)

func (s *Server) handleOrderAdvance(c *call) (reply, error) {
	courierID, err := c.ownCourier()
	if err != nil {
		return reply{}, err
	}
	request, err := c.operatorsRequest()
	if err != nil {
		return reply{}, err
	}
	body, err := c.json()
	if err != nil {
		return reply{}, err
	}
	move, refused := form.Decode(body, s.config.Orders.ReadAdvance(courierID))
	move.Refused = refused
	answer, err := s.config.Orders.Advance(c.Context(), request, c.pathID("order_id"), move)
	return c.recordReply(http.StatusOK, answer, err)
}

// bulkResult is the outcome for one order of a bulk move.
type bulkResult struct {
	OrderID string          `json:"order_id"`
	OK      bool            `json:"ok"`
	Status  delivery.Status `json:"status,omitzero"`
	Error   *errorDetail    `json:"error,omitzero"`
}

func (s *Server) handleOrdersAdvance(c *call) (reply, error) {
	request, err := c.operatorsRequest()
	if err != nil {
		return reply{}, err
	}
	move, err := decode(c, s.config.Orders.ReadBulkAdvance)
	if err != nil {
		return reply{}, err
	}
	moved, err := s.config.Orders.AdvanceAll(c.Context(), request, move)
	if err != nil {
		return reply{}, err
	}
	results := make([]bulkResult, len(moved))
	for i, m := range moved {
		results[i] = bulkResult{OrderID: m.OrderID, OK: m.Err == nil, Status: m.Status}
		if m.Err != nil {
			detail := s.detailOf(s.publicError(c, m.Err))
			results[i].Error = &detail
		}
	}
	return ok(struct {
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

func (s *Server) handleNoteCreate(c *call) (reply, error) {
	text, err := decode(c, dispatch.ReadNote)
	if err != nil {
		return reply{}, err
	}
	note, err := s.config.Dispatch.AddNote(c.Context(), c.pathID("order_id"), text)
	if err != nil {
		return reply{}, err
	}
	return created(noteOf(note))
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
}

// operatorsOrder is what operators see of an order in addition to its record and its
// row of the board.
type operatorsOrder struct {
	Allocation []allocationAnswer `json:"allocation"`
	Notes      []noteAnswer       `json:"notes"`
	Proofs     []proofAnswer      `json:"proofs"`
	Moves      []moveAnswer       `json:"moves"`
	Operators  map[string]string  `json:"operators"`
}

func (s *Server) handleOrderRecord(c *call) (reply, error) {
	courierID, err := c.ownCourier()
	if err != nil {
		return reply{}, err
	}
	found, err := s.config.Dispatch.Order(c.Context(), courierID, c.pathID("order_id"))
	if err != nil {
		return reply{}, err
	}
	answer := operatorsOrder{
		Allocation: make([]allocationAnswer, len(found.Order.Allocation)),
		Notes:      make([]noteAnswer, len(found.Notes)),
		Proofs:     make([]proofAnswer, len(found.Proofs)),
		Moves:      make([]moveAnswer, len(found.Moves)),
		Operators:  found.Operators,
	}
	for i, take := range found.Order.Allocation {
		answer.Allocation[i] = allocationAnswer{take.ProductID, take.Location, take.Quantity}
	}
	for i, proof := range found.Proofs {
		answer.Proofs[i] = s.proofOf(proof)
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
		return reply{}, err
	}
	// The record is spliced in, so that its metadata keeps its bytes.
	body := slices.Concat(row[:len(row)-1], []byte(","), rest[1:len(rest)-1], []byte(`,"order":`), record.EncodeForOperators(found.Order), []byte("}"))
	return reply{status: http.StatusOK, body: body}, nil
}
