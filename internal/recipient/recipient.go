// Package recipient keeps the recipients of orders informed by mail, for partners that
// wish it: an order is on its way, was delivered, could not be delivered, or is late.
// Recipients stop these mails, each for one order.
package recipient

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/mail"
)

// Store is what this package needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads what recipients have been sent, and want.
type Reader interface {
	// Stopped reports whether the recipient of an order wants no mail about it.
	Stopped(ctx context.Context, orderID string) (bool, error)
	// Informing lists the partners whose recipients get mail.
	Informing(ctx context.Context) (partnerIDs []string, err error)
	// LateOrders lists orders of a partner that are under way, whose estimated delivery
	// is after from and not after until, and whose recipients have no mail about that.
	// It leaves out orders whose latest attempt has failed, and those whose recipients
	// want no mail.
	LateOrders(ctx context.Context, partnerID string, from, until time.Time, limit int) (orderIDs []string, err error)
}

// Writer writes the same.
type Writer interface {
	Reader
	mail.Writer
	// Stop writes since when the recipient of an order wants no mail; zero if that is
	// no longer so.
	Stop(ctx context.Context, orderID string, since time.Time) error
	// MarkLate writes when the mail that an order is late was written. It is false if
	// there was one before.
	MarkLate(ctx context.Context, orderID string, at time.Time) (first bool, err error)
	// LockOrder reads an order, locked until the transaction ends; nil if there is none.
	LockOrder(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
}

// Sender is a partner as its recipients see it.
type Sender struct {
	Informs    bool   // its recipients get mail
	PublicName string // empty if it has set none
	Name       string // the public name, or else that of the account
	SupportURL string // empty if there is none
	French     bool   // it addresses recipients in French, wherever they are
	Email      string // of the account, which orders have whose recipients have no address
}

// Config holds what a service needs.
type Config struct {
	Store Store
	// Sender returns how a partner appears. It is called for many moves, and must be quick.
	Sender func(ctx context.Context, partnerID string) (Sender, error)
	// Seal returns a mail as it is stored; nil if the service sends no mail.
	Seal func(*mail.Message) (*mail.Mail, error)
	// Clock returns the time zone of an address.
	Clock func(delivery.Address) *time.Location
	// BaseURL returns the public address that links begin with.
	BaseURL func() string
	Now     func() time.Time
	At      func(time.Time) <-chan time.Time // fires at a time by the clock of Now
	Log     *slog.Logger
}

// Service writes mails to recipients. It may be used by many goroutines.
type Service struct {
	config Config
	cancel context.CancelFunc
	ended  chan struct{}
}

// NewService returns a service that looks for nothing by itself before Run.
func NewService(config Config) *Service { return &Service{config: config} }

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// kinds says which mail a move causes. Other moves cause none.
var kinds = map[delivery.Status]mail.Kind{
	delivery.StatusOutForDelivery: mail.OnItsWay,
	delivery.StatusDelivered:      mail.Delivered,
	delivery.StatusFailed:         mail.Failed,
}

// returnKinds maps moves of a return order to mails. They go to the recipient, who hands the goods over and
// needs no more of them between the pickup and the end.
var returnKinds = map[delivery.Status]mail.Kind{
	delivery.StatusAccepted:  mail.ReturnPlanned,
	delivery.StatusFailed:    mail.ReturnFailed,
	delivery.StatusDelivered: mail.ReturnArrived,
}

// kindOf returns which mail a move of an order causes; empty for none.
func kindOf(o *delivery.Order, to delivery.Status) mail.Kind {
	isReturn := o.Course.Origin != nil
	if to == delivery.StatusFailed && isReturn == delivery.PicksUp(o.Status) {
		return "" // the attempt was not at the recipient's door
	}
	if isReturn {
		return returnKinds[to]
	}
	return kinds[to]
}

// OfMove returns the mail about a move of an order; nil if there is none to send. The
// order is as it was before the move, whose facts are those of the event about it.
func (s *Service) OfMove(ctx context.Context, o *delivery.Order, facts *delivery.EventFacts) (*mail.Mail, error) {
	kind := kindOf(o, facts.Status)
	if kind == "" {
		return nil, nil
	}
	return s.write(ctx, o, kind, facts)
}

// write returns a mail to the recipient of an order, unless there is no one to write to.
func (s *Service) write(
	ctx context.Context, o *delivery.Order, kind mail.Kind, facts *delivery.EventFacts,
) (*mail.Mail, error) {
	to := o.Recipient().Email
	isNone := to == "" || to == delivery.ErasedEmail || kind == mail.Late && o.Course.Origin != nil
	if s.config.Seal == nil || delivery.IsTest(o.PartnerID) || isNone {
		return nil, nil
	}
	sender, err := s.config.Sender(ctx, o.PartnerID)
	if err != nil || !sender.Informs || strings.EqualFold(to, sender.Email) {
		return nil, err
	}
	return s.config.Seal(s.message(o, kind, facts, sender))
}

// message returns what a mail says.
func (s *Service) message(o *delivery.Order, kind mail.Kind, facts *delivery.EventFacts, sender Sender) *mail.Message {
	person := o.Recipient()
	clock := s.config.Clock(person.Address)
	about := &mail.Order{
		OrderID: o.OrderID, Name: o.PartnerOrderID, SupportURL: sender.SupportURL,
		StopURL: s.config.BaseURL() + "/track/" + o.OrderID + "/mail",
		Zones:   mail.Zones{At: zone.Abbreviation(facts.At.In(clock))},
	}
	arrival := delivery.ArrivalOf(o.Dropoff.Window, o.Promised, facts.ETA, clock)
	if kind == mail.ReturnPlanned {
		arrival = delivery.Arrival{From: person.Window.Start, Until: person.Window.End}
	}
	// A time that has passed says nothing about when the courier will come.
	if kind == mail.Late || arrival.Until.After(facts.At) {
		about.Expected, about.IsLater = arrival.Until.In(clock), arrival.Late
		about.Zones.Expected = zone.Abbreviation(about.Expected)
		if !arrival.From.IsZero() {
			about.From = arrival.From.In(clock)
			about.Zones.From = zone.Abbreviation(about.From)
		}
	}
	if cash := delivery.ToCollect(o.COD, o.Course.Origin != nil); cash != nil && kind != mail.Delivered {
		about.ToPay = mail.Amount{Cents: cash.AmountCents, Currency: string(cash.Currency)}
	}
	if facts.NextAttempt != nil {
		about.Next = facts.NextAttempt.In(clock)
		about.Zones.Next = zone.Abbreviation(about.Next)
	}
	m := &mail.Message{
		Kind: kind, To: person.Email, Language: mail.English, URL: o.TrackingURL + "/html",
		At: facts.At.In(clock), Team: sender.Name, Order: about,
	}
	if sender.French || person.Address.Province == "QC" {
		m.Language = mail.French
		about.StopURL += "?lang=fr"
	}
	if kind == mail.Failed {
		m.Reason = string(delivery.FailureReasonOf(facts.FailureReason))
	}
	return m
}

// Choice is what the recipient of an order has chosen.
type Choice struct {
	OrderID string
	Stopped bool // the recipient wants no mail about the order
}

// Choice returns what the recipient of an order has chosen.
func (s *Service) Choice(ctx context.Context, o *delivery.Order) (*Choice, error) {
	choice := &Choice{OrderID: o.OrderID}
	return choice, s.config.Store.Read(ctx, func(tx Reader) (err error) {
		choice.Stopped, err = tx.Stopped(ctx, o.OrderID)
		return err
	})
}

// Stop stops the mails about an order, those that wait included, or lets them be sent
// again. The order must exist.
func (s *Service) Stop(ctx context.Context, orderID string, stopped bool) error {
	var since time.Time
	if stopped {
		since = s.now()
	}
	return s.config.Store.Write(ctx, func(tx Writer) error { return tx.Stop(ctx, orderID, since) })
}
