package api

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/google/uuid"
)

// The bounds of the order list's parameter limit. The default is from the contract.
const (
	defaultOrders = 50
	maxOrders     = 500
)

type quoteAnswer struct {
	QuoteID           string                `json:"quote_id"`
	ServiceLevel      delivery.ServiceLevel `json:"service_level"`
	RateCents         int64                 `json:"rate_cents"`
	Currency          delivery.Currency     `json:"currency"`
	EstimatedDelivery time.Time             `json:"estimated_delivery"`
	TransitDays       int                   `json:"transit_days"` // business days
	ValidUntil        time.Time             `json:"valid_until"`
	Warnings          []delivery.Warning    `json:"warnings,omitzero"`
}

func (s *Server) handleQuote(c *call) (reply, error) {
	shipment, err := decode(c, delivery.ReadQuoteRequest)
	if err != nil {
		return reply{}, err
	}
	quote, err := s.config.Orders.Quote(c.Context(), c.partnerID, shipment)
	if err != nil {
		return reply{}, err
	}
	return ok(quoteAnswer{
		QuoteID:           quote.QuoteID,
		ServiceLevel:      quote.ServiceLevel,
		RateCents:         quote.RateCents,
		Currency:          quote.Currency,
		EstimatedDelivery: quote.EstimatedDelivery,
		TransitDays:       quote.TransitDays,
		ValidUntil:        quote.ValidUntil,
		Warnings:          quote.Warnings,
	})
}

// idempotencyKey returns the UUID in the header Idempotency-Key. Any version will
// do, but only the form with hyphens: uuid.Parse also takes braces and "urn:uuid:".
func (c *call) idempotencyKey() (uuid.UUID, error) {
	const textLength = 36
	header := c.Header.Get("Idempotency-Key")
	key, err := uuid.Parse(header)
	if err != nil || len(header) != textLength {
		return uuid.UUID{}, refusal.New(refusal.CodeBadRequest, "the header Idempotency-Key must be a UUID")
	}
	return key, nil
}

// idempotent returns the request as one that may be repeated under the
// Idempotency-Key it came with.
func (c *call) idempotent() (idempotency.Request, error) {
	key, err := c.idempotencyKey()
	return c.repeatable(c.partnerID, key), err
}

// repeatable returns the request as one that a partner may repeat under a key.
func (c *call) repeatable(partnerID string, key uuid.UUID) idempotency.Request {
	return idempotency.Request{
		Key:  idempotency.Key{PartnerID: partnerID, Scope: c.Method + " " + c.URL.Path, UUID: key},
		Body: c.body,
	}
}

// recordReply returns the record of an order. A replayed one is marked by a header.
func (c *call) recordReply(status int, answer order.Answer, err error) (reply, error) {
	if answer.Replayed {
		c.header.Set("Idempotent-Replayed", "true")
	}
	return reply{status: status, body: answer.Record}, err
}

func (s *Server) handleOrderCreate(c *call) (reply, error) {
	request, err := c.idempotent()
	if err != nil {
		return reply{}, err
	}
	wanted, err := decodeKeyed(c, &request, delivery.ReadOrderRequest)
	if err != nil {
		return reply{}, err
	}
	answer, err := s.config.Orders.Create(c.Context(), request, wanted)
	c.orderID = record.OrderID(answer.Record)
	return c.recordReply(http.StatusCreated, answer, err)
}

func (s *Server) handleOrderCancel(c *call) (reply, error) {
	request, err := c.idempotent()
	if err != nil {
		return reply{}, err
	}
	reason := ""
	if len(c.body) > 0 {
		reason, err = decodeKeyed(c, &request, delivery.ReadCancelRequest)
	}
	if err != nil {
		return reply{}, err
	}
	answer, err := s.config.Orders.Cancel(c.Context(), request, c.pathID("order_id"), reason)
	return c.recordReply(http.StatusOK, answer, err)
}

func (s *Server) handleOrderGet(c *call) (reply, error) {
	document, err := s.config.Orders.Record(c.Context(), c.partnerID, c.pathID("order_id"))
	return reply{status: http.StatusOK, body: document}, err
}

func (s *Server) handleOrderList(c *call) (reply, error) {
	filter, err := c.orderFilter()
	if err != nil {
		return reply{}, err
	}
	meter := &pageMeter{call: c, limit: int64(filter.Limit)}
	answer, err := s.listOrders(c, filter, meter)
	if errors.Is(err, errLargePage) {
		err = s.inSlot(c, SlotHeavy, func() (err error) {
			answer, err = s.listOrders(c, filter, &pageMeter{call: c, expected: meter.expected})
			return err
		})
	}
	return answer, err
}

func (s *Server) listOrders(c *call, filter order.Filter, meter *pageMeter) (reply, error) {
	if err := meter.hold(); err != nil {
		return reply{}, err
	}
	filter.Reserve = meter.add
	w := strictjson.Writer{Buffer: pageBuffers.get()}
	defer func() { pageBuffers.put(w.Buffer) }()
	w.Object("")
	w.List("orders")
	page, err := s.config.Orders.ListRecords(c.Context(), filter, w.Buffer)
	if err != nil {
		return reply{}, err
	}
	w.Buffer = page.Buffer
	w.EndList()
	w.Integer("count", int64(page.Count))
	w.Integer("limit", int64(filter.Limit))
	w.Integer("offset", filter.Offset)
	w.OptionalText("next_cursor", page.Next)
	w.EndObject()
	return reply{status: http.StatusOK, body: bytes.Clone(w.Buffer)}, nil
}

func (c *call) orderFilter() (order.Filter, error) {
	q, err := c.query()
	if err != nil {
		return order.Filter{}, err
	}
	filter := order.Filter{
		PartnerID:      c.partnerID,
		Status:         delivery.Status(q.oneOf("status", form.OneOf(delivery.Statuses...))),
		PartnerOrderID: q.text("partner_order_id"),
		CreatedFrom:    q.time("created_from"),
		CreatedTo:      q.time("created_to"),
		Before:         q.oneOf("cursor", form.TextRule{Rule: cursorRule, Allows: isCursor}),
		Limit:          int(q.integer("limit", defaultOrders, 1, maxOrders)),
		Offset:         q.integer("offset", 0, 0, maxOffset),
	}
	return filter, q.problems.Err()
}

// isCursor reports whether a text has the form of a cursor, which is the id of the
// last order before the page.
func isCursor(text string) bool {
	_, ok := delivery.PartnerOfOrder(text)
	return ok
}
