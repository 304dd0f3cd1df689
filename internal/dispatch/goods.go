package dispatch

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// ReturnFilter selects goods that come back.
type ReturnFilter struct {
	State delivery.ReturnState
	After GoodsCursor // zero for the first page
	Limit int
}

// GoodsCursor is the place in the list of goods that come back after which a page begins.
type GoodsCursor struct {
	DueAt   time.Time
	OrderID string
}

// String returns the cursor as ReadGoodsCursor reads it.
func (c GoodsCursor) String() string {
	return strconv.FormatInt(c.DueAt.UnixMilli(), 10) + "." + c.OrderID
}

// ReadGoodsCursor reads a cursor. It reports false for another text.
func ReadGoodsCursor(text string) (GoodsCursor, bool) {
	due, orderID, ok := strings.Cut(text, ".")
	at, err := strconv.ParseInt(due, 10, 64)
	return GoodsCursor{time.UnixMilli(at).UTC(), orderID}, ok && err == nil && orderID != ""
}

// Return is an order whose goods come back.
type Return struct {
	*delivery.Returned
	PartnerName string
	Order       *delivery.Order
}

// Returns lists goods that come back, and the cursor of the next page; it is empty at the end. Orders
// that cannot be read are reported and left out.
func (s *Service) Returns(ctx context.Context, f ReturnFilter) (listed []Return, next string, err error) {
	limit := f.Limit
	f.Limit++ // one more shows whether a next page exists
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err := tx.Returns(ctx, f)
		if err != nil {
			return err
		}
		if len(found) > limit {
			found = found[:limit]
			last := found[limit-1]
			next = GoodsCursor{last.DueAt, last.OrderID}.String()
		}
		listed, err = s.returnsOf(ctx, tx, found)
		return err
	})
	return listed, next, err
}

func (s *Service) returnsOf(ctx context.Context, tx Reader, found []*delivery.Returned) (listed []Return, err error) {
	orders, err := tx.OrdersBack(ctx, found)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found))
	for i, back := range found {
		ids[i] = back.PartnerID
	}
	partners, err := tx.PartnerNames(ctx, distinct(ids))
	for _, back := range found {
		if o := orders[back.OrderID]; o != nil && s.config.Damaged.Of(o.Damage) == nil {
			listed = append(listed, Return{back, partners[back.PartnerID], o})
		}
	}
	return listed, err
}

// Bringing is goods that a courier brings back, and where.
type Bringing struct {
	Return
	delivery.WayBack
}

// bringing returns the goods that a courier brings back, those that are due for longest first. The way to
// a warehouse has its address if one is set.
func (s *Service) bringing(ctx context.Context, tx Reader, courierID string) ([]Bringing, error) {
	due, err := tx.ReturnsBy(ctx, courierID, maxJobs)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	returns, err := s.returnsOf(ctx, tx, due)
	if err != nil {
		return nil, err
	}
	known, err := tx.Locations(ctx)
	all := make([]Bringing, len(returns))
	for i, one := range returns {
		all[i] = Bringing{one, one.Order.WayBack()}
		for _, location := range known {
			if all[i].To == delivery.ReturnToWarehouse && location.Code == all[i].Location {
				all[i].Contact = &location.Contact
			}
		}
	}
	return all, err
}

// Scanned is what an operator has read from a label of an order.
type Scanned struct {
	ScanID     string // sorts by time
	PartnerID  string
	OrderID    string
	Code       string // as it was read
	OperatorID string
	At         time.Time // when it was read
	RecordedAt time.Time
}

// maxScans is how many scans an order's record has at most: the newest.
const maxScans = 100

// ScanRequest is a request to record what was read from a label.
type ScanRequest struct {
	Code string
	At   time.Time // zero if it was read now
}

// ReadScan reads what was read from a label.
func (s *Service) ReadScan(f *form.Form) ScanRequest {
	scan := ScanRequest{Code: f.Text("code", form.Required, form.AnyLength(1, 3000)), At: f.Time("at", form.Optional)}
	if !scan.At.IsZero() && !delivery.MayHaveOccurred(scan.At, s.now()) {
		f.Fault("at", delivery.OccurredRule)
	}
	return scan
}

// AddScan records what was read from a label of an order. A courierID limits it to that courier's
// orders: any other is not_found.
func (s *Service) AddScan(ctx context.Context, courierID, orderID string, wanted ScanRequest) (*Scanned, error) {
	partnerID, ok := delivery.PartnerOfOrder(orderID)
	if !ok {
		return nil, refusal.NotFound("order")
	}
	now := s.now()
	id, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return nil, err
	}
	// The audit log does not repeat the code, because it is not erased with the recipient's data.
	entry, err := audit.NewEntry(ctx, s.config.Random, now, audit.ActionOrderScanned)
	if err != nil {
		return nil, err
	}
	scan := &Scanned{
		ScanID: id, PartnerID: partnerID, OrderID: orderID, Code: wanted.Code, OperatorID: entry.OperatorID,
		At: wanted.At, RecordedAt: now,
	}
	if scan.At.IsZero() {
		scan.At = now
	}
	entry.PartnerID, entry.ObjectID, entry.After = partnerID, orderID, scanFacts{ScanID: id}
	return scan, s.config.Store.Write(ctx, func(tx Writer) error {
		// The lock keeps retention from removing the order before the commit.
		found, err := tx.LockOrders(ctx, partnerID, []string{orderID})
		if o := found[orderID]; err == nil && (o == nil || courierID != "" && !o.CarriedBy(courierID)) {
			err = refusal.NotFound("order")
		}
		if err != nil {
			return err
		}
		if err := tx.AddScan(ctx, scan); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
}

// scanFacts is what the audit log holds of a scan.
type scanFacts struct {
	ScanID string `json:"scan_id"`
}
