package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/order"
)

// cashHeldAnswer is what a courier carries in one currency, in JSON.
type cashHeldAnswer struct {
	CourierID   string            `json:"courier_id"`
	Currency    delivery.Currency `json:"currency"`
	AmountCents int64             `json:"amount_cents"`
	Since       time.Time         `json:"since,omitzero"`
}

func heldOf(carriers []accounting.Carrier) []cashHeldAnswer {
	held := make([]cashHeldAnswer, len(carriers))
	for i, one := range carriers {
		held[i] = cashHeldAnswer{one.CourierID, one.Currency, one.Cents, one.Since}
	}
	return held
}

// carriedAnswer is the cash of one order that a courier carries, in JSON.
type carriedAnswer struct {
	OrderID        *string           `json:"order_id"` // null for what corrections have left
	PartnerOrderID *string           `json:"partner_order_id"`
	PartnerID      string            `json:"partner_id"`
	AmountCents    int64             `json:"amount_cents"`
	Currency       delivery.Currency `json:"currency"`
	CollectedAt    *time.Time        `json:"collected_at"`
	Unconfirmed    bool              `json:"unconfirmed"`
}

func (s *Server) handleCourierCash(c *httpd.Call) (httpd.Reply, error) {
	own, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	courierID, err := courierInPath(c, own)
	if err != nil {
		return httpd.Reply{}, err
	}
	carried, err := s.config.Accounting.CashWith(c.Context(), courierID)
	if err != nil {
		return httpd.Reply{}, err
	}
	orders := make([]carriedAnswer, len(carried))
	for i, one := range carried {
		orders[i] = carriedAnswer{
			OrderID: strictjson.OrNull(one.OrderID), PartnerOrderID: strictjson.OrNull(one.PartnerOrderID),
			PartnerID: one.PartnerID, AmountCents: one.Cents, Currency: one.Currency, Unconfirmed: one.Unconfirmed,
		}
		if !one.At.IsZero() {
			orders[i].CollectedAt = &one.At
		}
	}
	return httpd.OK(struct {
		CourierID string           `json:"courier_id"`
		Balances  []cashHeldAnswer `json:"balances"`
		Orders    []carriedAnswer  `json:"orders"`
	}{courierID, heldOf(accounting.CarriersOf(carried)), orders})
}

// cashAnswer is the cash that is under way, in JSON.
type cashAnswer struct {
	Couriers    []cashHeldAnswer `json:"couriers"`
	Unconfirmed []entryAnswer    `json:"unconfirmed"`
	Differences []entryAnswer    `json:"differences"`
}

func (s *Server) handleCash(c *httpd.Call) (httpd.Reply, error) {
	carriers, err := s.config.Accounting.Carriers(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	unconfirmed, differences, err := s.config.Accounting.CashDoubts(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(cashAnswer{heldOf(carriers), entriesOf(unconfirmed), entriesOf(differences)})
}

func entriesOf(entries []*money.Entry) []entryAnswer {
	answers := make([]entryAnswer, len(entries))
	for i, entry := range entries {
		answers[i] = entryOf(entry)
	}
	return answers
}

// cashCountAnswer is what a count of a courier's cash has found, in JSON.
type cashCountAnswer struct {
	CourierID  string            `json:"courier_id"`
	Currency   delivery.Currency `json:"currency"`
	Expected   int64             `json:"expected_cents"`
	Counted    int64             `json:"counted_cents"`
	Kept       int64             `json:"kept_cents"`
	Difference int64             `json:"difference_cents"`
	Entries    []entryAnswer     `json:"entries"`
}

func (s *Server) handleHandIn(c *httpd.Call) (httpd.Reply, error) {
	handIn, err := httpd.Decode(c, accounting.ReadHandIn)
	if err != nil {
		return httpd.Reply{}, err
	}
	courierID := c.PathID("courier_id")
	count, err := s.config.Accounting.HandIn(c.Context(), courierID, handIn)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(cashCountAnswer{
		CourierID: courierID, Currency: handIn.Currency, Expected: count.Expected, Counted: handIn.Counted,
		Kept: handIn.Kept, Difference: count.Difference, Entries: entriesOf(count.Entries),
	})
}

func (s *Server) handleDeposit(c *httpd.Call) (httpd.Reply, error) {
	deposit, err := httpd.Decode(c, accounting.ReadDeposit)
	if err != nil {
		return httpd.Reply{}, err
	}
	entries, err := s.config.Accounting.Deposit(c.Context(), deposit)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(struct {
		AmountCents int64             `json:"amount_cents"`
		Currency    delivery.Currency `json:"currency"`
		Entries     []entryAnswer     `json:"entries"`
	}{deposit.AmountCents, deposit.Currency, entriesOf(entries)})
}

func (s *Server) handleRemittance(c *httpd.Call) (httpd.Reply, error) {
	remittance, err := httpd.Decode(c, accounting.ReadRemittance)
	if err != nil {
		return httpd.Reply{}, err
	}
	posted, err := s.config.Accounting.Remit(c.Context(), c.PathID("partner_id"), remittance)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(entryOf(posted))
}

func (s *Server) handleCollectedPut(c *httpd.Call) (httpd.Reply, error) {
	return changeOrder(c, order.ReadCollectedWanted, s.config.Orders.SetCollected)
}
