// Package order has the use cases of delivery orders: quote, create, read, list,
// cancel, advance. It decides what happens together. What is allowed is decided in
// package delivery, what it costs in pricing, and how it is stored in store.
package order

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/record"
)

// Config holds what the service needs.
type Config struct {
	Store Store
	// ByPartner settles each partner's commands in transactions of their own,
	// for a store that keeps each partner's rows together on one of its nodes.
	ByPartner bool
	Now       func() time.Time
	Random    io.Reader
	// Card returns the rate card in effect for a partner at a time.
	Card     func(ctx context.Context, partnerID string, at time.Time) (*pricing.Card, error)
	Calendar *pricing.Calendar
	// Zone is that of the service's days and months; nil is UTC.
	Zone   *time.Location
	Quoter *pricing.Quoter
	// Quota returns the limits of a partner; nil means that there are none.
	Quota func(ctx context.Context, partnerID string) (Quota, error)
	// Admits returns an error if a partner is unknown or may not have new orders now; it is called
	// for orders by the desk.
	Admits func(ctx context.Context, partnerID string) error
	// Editable returns an error while orders cannot be edited; nil if they always can be.
	Editable func(ctx context.Context) error
	// TrackingURL returns the public address of an order.
	TrackingURL func(orderID string) string
	// ProofURL returns the public address of a proof of delivery.
	ProofURL func(name string) string
	// Mail returns the mail to an order's recipient about a move, given the order before
	// it and the facts of its event; nil if there is none to send. With a nil Mail
	// recipients get none.
	Mail func(ctx context.Context, before *delivery.Order, facts *delivery.EventFacts) (*mail.Mail, error)
	// Announce is called with the partners whose events have been committed and
	// wait to be sent.
	Announce func(keys ...outbox.EndpointKey)
	// Created is called with the partners whose new orders have been committed.
	Created func(partnerIDs ...string)
	// HandedOver is called after orders have been assigned to another courier, with
	// the couriers who had them, by order id; nil if it does not matter.
	HandedOver func(ctx context.Context, to string, from map[string]string)
	// Committed is called with the board's rows of orders that were created or have
	// moved, and with the orders that have ended, after that was committed; it may be nil.
	Committed func(shown []*board.Row, ended []OrderKey)
	// Written is called with the orders that were created, or whose content was edited, after
	// that was committed; it may be nil.
	Written func(keys []OrderKey)
	// Observer is called by the committer, for metrics; nil observes nothing.
	Observer Observer
	// Tracer records the waits and groups of requests that are recorded; nil records nothing.
	Tracer *tracing.Tracer
	// Damaged is called for each stored order that was needed and cannot be read.
	Damaged delivery.DamageReport
}

// zones returns those by which acts belong to days.
func (c *Config) zones() zones {
	z := zones{of: c.Calendar.Clock, service: time.UTC}
	if c.Zone != nil {
		z.service = c.Zone
	}
	return z
}

// Service carries out the use cases of orders.
type Service struct {
	config    Config
	committer *committer
	progress  progress
}

// NewService returns a service whose committer runs until Close.
func NewService(config Config) *Service {
	return &Service{config: config, committer: startCommitter(config)}
}

// At returns the service by another clock, for orders that a demo shows as those of earlier hours and days.
// Its commands wait for the same committer, and so share transactions with those of the others. It ends
// with the service that it was made from.
func (s *Service) At(now func() time.Time) *Service {
	config := s.config
	config.Now = now
	return &Service{config: config, committer: s.committer}
}

// Close settles the commands that wait and stops the committer. No other method may
// be running or be called afterwards.
func (s *Service) Close() { s.committer.close() }

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// Answer is the record to answer with.
type Answer struct {
	Record   []byte
	Replayed bool // it is the original answer to an earlier, equal request
}

// Quote prices a shipment without storing anything. City and province may be missing.
func (s *Service) Quote(ctx context.Context, partnerID string, shipment delivery.Shipment) (pricing.Quote, error) {
	now := s.now()
	card, err := s.config.Card(ctx, partnerID, now)
	if err != nil {
		return pricing.Quote{}, err
	}
	return s.quote(card, partnerID, shipment, now)
}

// Quotes prices a shipment at each service level, by one card at one time. Of a level that the card does not
// offer there it returns what Quote would refuse it for.
func (s *Service) Quotes(
	ctx context.Context, partnerID string, shipment delivery.Shipment,
) (quotes []pricing.Quote, notOffered form.Problems, err error) {
	now := s.now()
	card, err := s.config.Card(ctx, partnerID, now)
	if err != nil {
		return nil, nil, err
	}
	for _, shipment.ServiceLevel = range delivery.ServiceLevels {
		quote, err := s.quote(card, partnerID, shipment, now)
		problems := form.ProblemsOf(err)
		switch {
		case err == nil:
			quotes = append(quotes, quote)
		case problems == nil:
			return nil, nil, err
		}
		notOffered = append(notOffered, problems...)
	}
	return quotes, notOffered, nil
}

func (s *Service) quote(
	card *pricing.Card, partnerID string, shipment delivery.Shipment, now time.Time,
) (pricing.Quote, error) {
	assumed, cities := assume(&shipment)
	price, err := card.Price(s.config.Calendar, shipment, now)
	if err != nil {
		return pricing.Quote{}, err
	}
	quote := s.config.Quoter.Issue(partnerID, shipment, price, now)
	quote.Assumed = assumed
	if !cities {
		quote.QuoteID = ""
	}
	asked := &delivery.Order{OrderRequest: delivery.OrderRequest{Shipment: shipment}}
	quote.Warnings = s.warnings(asked, price.EstimatedDelivery)
	return quote, nil
}

// price prices a shipment by the rate card in effect for the partner now.
func (s *Service) price(
	ctx context.Context, partnerID string, shipment delivery.Shipment, now time.Time,
) (pricing.Price, error) {
	card, err := s.config.Card(ctx, partnerID, now)
	if err != nil {
		return pricing.Price{}, err
	}
	return card.Price(s.config.Calendar, shipment, now)
}

// ProposeWindows returns the next windows for a shipment, of which the service level, the places and the window of the
// pickup are read, which it keeps. It is not ok if the level is not offered there.
func (s *Service) ProposeWindows(
	ctx context.Context, partnerID string, shipment delivery.Shipment,
) (pickup, dropoff delivery.Window, ok bool, err error) {
	now := s.now()
	card, err := s.config.Card(ctx, partnerID, now)
	if err == nil {
		pickup, dropoff, ok = card.Propose(s.config.Calendar, shipment, now)
	}
	return pickup, dropoff, ok, err
}

// Wanted is a request to create an order.
type Wanted struct {
	form.Faults // which come after the answer to an equal request: the rules may have changed since
	delivery.OrderRequest
}

// ReadWanted reads a request to create an order.
func ReadWanted(f *form.Form) Wanted { return Wanted{OrderRequest: delivery.ReadOrderRequest(f)} }

// Create prices and stores an order. A refused request leaves nothing behind. A repeated
// request gets the answer to the first, even if the rules have changed since.
func (s *Service) Create(ctx context.Context, r idempotency.Request, wanted Wanted) (Answer, error) {
	return s.settleOnce(ctx, r.Key, s.creation(ctx, r, &wanted))
}

// creation returns the command that creates an order, or that refuses to.
func (s *Service) creation(ctx context.Context, r idempotency.Request, wanted *Wanted) command {
	order, err := s.prepare(ctx, r.PartnerID, wanted)
	return s.creating(ctx, r, order, wanted.Items, err)
}

// creating returns the command that creates an order, or that refuses to because of err. Items are
// those whose products are to be known.
func (s *Service) creating(
	ctx context.Context, r idempotency.Request, order *delivery.Order, items []delivery.Item, err error,
) command {
	var quota Quota
	if err == nil && s.config.Quota != nil {
		quota, err = s.config.Quota(ctx, r.PartnerID)
	}
	if err != nil {
		return &refuseCommand{kind: CommandCreate, request: r, items: items, refusal: err}
	}
	return &createCommand{order: order, request: r, encode: record.Encode, quota: quota}
}

func (s *Service) settle(ctx context.Context, cmd command) (Answer, error) {
	settled := s.committer.submit(ctx, cmd)
	return Answer{Record: settled.answer, Replayed: settled.replayed}, settled.err
}

// prepare returns the order that a valid request asks for.
func (s *Service) prepare(ctx context.Context, partnerID string, wanted *Wanted) (*delivery.Order, error) {
	if err := wanted.Problems().Err(); err != nil {
		return nil, err
	}
	now := s.now()
	price, err := s.quoted(ctx, partnerID, &wanted.OrderRequest, now)
	if err != nil {
		return nil, err
	}
	return s.newOrder(partnerID, &wanted.OrderRequest, price, now)
}

// newOrder returns a new order with an id of its own. If it has no partner_order_id, that is its id.
func (s *Service) newOrder(
	partnerID string, wanted *delivery.OrderRequest, price *pricing.Price, now time.Time,
) (*delivery.Order, error) {
	orderID, err := delivery.NewOrderID(s.config.Random, partnerID, now)
	if err != nil {
		return nil, err
	}
	order := &delivery.Order{
		OrderID:           orderID,
		PartnerID:         partnerID,
		OrderRequest:      *wanted,
		RateCents:         price.RateCents,
		Currency:          price.Currency,
		TrackingURL:       s.config.TrackingURL(orderID),
		CreatedAt:         now,
		Status:            delivery.StatusPending,
		Version:           1,
		UpdatedAt:         now,
		EstimatedDelivery: price.EstimatedDelivery,
		Promised:          price.EstimatedDelivery,
		History:           []delivery.HistoryEntry{{Status: delivery.StatusPending, At: now, RecordedAt: now, Version: 1}},
	}
	order.PartnerOrderID = cmp.Or(order.PartnerOrderID, orderID)
	order.Warnings = s.warnings(order, price.EstimatedDelivery)
	return order, nil
}

// Get reads one order with its history.
func (s *Service) Get(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	if !ownedBy(partnerID, orderID) {
		return nil, refusal.NotFound("order")
	}
	return s.find(ctx, orderID)
}

// Record returns the record of one order as it is now. It is faster than encoding what
// Get returns.
func (s *Service) Record(ctx context.Context, partnerID, orderID string) ([]byte, error) {
	if !ownedBy(partnerID, orderID) {
		return nil, refusal.NotFound("order")
	}
	stored, err := s.stored(ctx, orderID)
	if err != nil {
		return nil, err
	}
	document, err := record.Current(stored)
	if err != nil {
		return nil, s.damaged(orderID, err)
	}
	return document, nil
}

// stored reads one order by its id alone, without decoding it.
func (s *Service) stored(ctx context.Context, orderID string) (*delivery.Stored, error) {
	return readOrder(s, orderID, func(partnerID string) (*delivery.Stored, error) {
		return s.config.Store.Stored(ctx, partnerID, orderID)
	})
}

// damaged reports that an order cannot be decoded, and returns the error for the caller.
func (s *Service) damaged(orderID string, err error) error {
	return s.config.Damaged.Of(&delivery.DamagedError{OrderID: orderID, Err: err})
}

// ownedBy reports whether an order's id names the partner.
func ownedBy(partnerID, orderID string) bool {
	owner, ok := delivery.PartnerOfOrder(orderID)
	return ok && owner == partnerID
}

// Track reads one order by its id alone, whoever asks; what strangers may know of it is
// what Follow returns.
func (s *Service) Track(ctx context.Context, orderID string) (*delivery.Order, error) {
	return s.find(ctx, orderID)
}

// find reads one order with its history by its id alone.
func (s *Service) find(ctx context.Context, orderID string) (*delivery.Order, error) {
	return readOrder(s, orderID,
		func(partnerID string) (*delivery.Order, error) { return s.config.Store.Order(ctx, partnerID, orderID) })
}

// head reads one order by its id alone, with the first entry of its history.
func (s *Service) head(ctx context.Context, orderID string) (*delivery.Order, error) {
	return readOrder(s, orderID, func(partnerID string) (found *delivery.Order, err error) {
		err = s.config.Store.Read(ctx, func(tx Reader) error {
			found, err = tx.Head(ctx, partnerID, orderID)
			return err
		})
		return found, err
	})
}

// readOrder reads one order of the partner that its id names, and refuses what does not
// exist.
func readOrder[T any](s *Service, orderID string, of func(partnerID string) (*T, error)) (*T, error) {
	partnerID, ok := delivery.PartnerOfOrder(orderID)
	if !ok {
		return nil, refusal.NotFound("order")
	}
	found, err := of(partnerID)
	if err == nil && found == nil {
		err = refusal.NotFound("order")
	}
	return found, s.config.Damaged.Of(err)
}

// Page is a part of a list, newest first. Next is the cursor for what follows,
// empty at the end.
type Page struct {
	Orders []*delivery.Order
	Next   string
}

// List lists a partner's orders. An order that cannot be read is reported, and left out
// unless the filter asks for it.
func (s *Service) List(ctx context.Context, filter Filter) (page Page, err error) {
	limit := filter.Limit
	filter.Limit++ // one more shows whether a next page exists
	stopped := false
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		page.Orders, stopped, err = tx.Orders(ctx, filter)
		return err
	})
	if len(page.Orders) > limit {
		page.Orders, stopped = page.Orders[:limit], true
	}
	if stopped {
		page.Next = page.Orders[len(page.Orders)-1].OrderID
	}
	if !filter.Damaged {
		page.Orders = s.config.Damaged.Readable(page.Orders)
	}
	for _, o := range page.Orders {
		_ = s.config.Damaged.Of(o.Damage) // reported, and listed
	}
	return page, err
}

// Records is a page of a list, newest first, as records.
type Records struct {
	Buffer []byte // ends with the records
	Count  int
	Next   string // the cursor for what follows, empty at the end
}

// ListRecords lists a partner's orders as List does, but appends their records to a
// buffer. An order that cannot be read is reported and left out.
func (s *Service) ListRecords(ctx context.Context, filter Filter, buffer []byte) (page Records, err error) {
	limit := filter.Limit
	filter.Limit++ // one more shows whether a next page exists
	err = s.config.Store.ReadOnce(ctx, func(tx Reader) error {
		page = Records{Buffer: buffer}
		found, last := 0, ""
		stopped, err := tx.EachStored(ctx, filter, func(o *delivery.Stored) (err error) {
			if found++; found > limit {
				return nil
			}
			last = o.OrderID
			page.Buffer, err = record.AppendListed(page.Buffer, o)
			if err == nil {
				page.Count++
				return nil
			}
			_ = s.damaged(o.OrderID, err) // reported
			return nil
		})
		if stopped || found > limit {
			page.Next = last
		}
		return err
	})
	return page, err
}

// CancelRequest is a request of a partner to cancel an order.
type CancelRequest struct {
	form.Faults
	Reason string // may be empty
}

// ReadCancelRequest reads a request to cancel an order.
func ReadCancelRequest(f *form.Form) CancelRequest {
	return CancelRequest{Reason: delivery.ReadCancelRequest(f)}
}

// Cancel cancels an order for its partner while that is allowed, and returns
// its items to stock.
func (s *Service) Cancel(
	ctx context.Context, r idempotency.Request, orderID string, wanted CancelRequest,
) (Answer, error) {
	if err := wanted.Problems().Err(); err != nil {
		return s.settleOnce(ctx, r.Key, &refuseCommand{kind: CommandCancel, request: r, refusal: err})
	}
	return decideAgain(func() (Answer, error) {
		order, err := s.Get(ctx, r.PartnerID, orderID)
		if err != nil {
			return Answer{}, err
		}
		now := s.now()
		eventID, err := identifier.NewUUID(s.config.Random, now)
		if err != nil {
			return Answer{}, err
		}
		return s.settleOnce(ctx, r.Key, &cancelCommand{
			target:   OrderKey{r.PartnerID, orderID},
			origin:   originOf(order),
			products: productsOf(order),
			reason:   wanted.Reason,
			at:       now,
			eventID:  eventID,
			request:  r,
			encode:   record.Encode,
		})
	})
}

// productsOf returns the products that go back to stock if the order is cancelled.
// They may be read ahead of the transaction: if an edit has changed them, it is decided again.
func productsOf(order *delivery.Order) []movement.ProductKey {
	if order.Course.Origin != nil { // whose items are in no stock until they are received
		return keysOf(order.PartnerID, order.Items)
	}
	keys := make([]movement.ProductKey, len(order.Allocation))
	for i, take := range order.Allocation {
		keys[i] = movement.ProductKey{PartnerID: order.PartnerID, ProductID: take.ProductID}
	}
	return keys
}
