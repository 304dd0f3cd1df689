package operator

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Courier is a person who carries orders.
type Courier struct {
	delivery.Courier
	Active    bool // only active couriers can be assigned
	CreatedAt time.Time
}

// CourierEntry is what people enter about a courier. In a change, what is empty or nil
// stays as it is.
type CourierEntry struct {
	form.Faults
	Name, Phone, Vehicle string
	Active               *bool
}

// ReadCourier reads all that is entered about a courier; only Active may be left out.
func ReadCourier(f *form.Form) CourierEntry { return readCourier(f, form.Required) }

// ReadCourierChange reads what changes about a courier.
func ReadCourierChange(f *form.Form) CourierEntry { return readCourier(f, form.Optional) }

func readCourier(f *form.Form, presence form.Presence) CourierEntry {
	return CourierEntry{
		Name:    f.Text("name", presence, delivery.OwnNameRule),
		Phone:   f.Text("phone", presence, delivery.PhoneRule),
		Vehicle: f.Text("vehicle", presence, delivery.NameRule),
		Active:  f.FlagIfSent("active"),
	}
}

// apply returns the courier with what was entered.
func (e *CourierEntry) apply(c Courier) Courier {
	c.Name, c.Phone, c.Vehicle = cmp.Or(e.Name, c.Name), cmp.Or(e.Phone, c.Phone), cmp.Or(e.Vehicle, c.Vehicle)
	if e.Active != nil {
		c.Active = *e.Active
	}
	return c
}

// CreateCourier adds a courier, active unless the entry says otherwise. It refuses with
// validation_error.
func (s *Service) CreateCourier(ctx context.Context, entered CourierEntry) (*Courier, error) {
	if err := entered.Problems().Err(); err != nil {
		return nil, err
	}
	courierID, err := identifier.New(s.config.Random, "cou_")
	if err != nil {
		return nil, err
	}
	courier := entered.apply(Courier{Active: true, CreatedAt: s.now()})
	courier.CourierID = courierID
	entry, err := s.note(ctx, audit.ActionCourierCreated, courierID, nil, factsOf(&courier))
	if err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := tx.AddCourier(ctx, &courier); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	return &courier, nil
}

// Courier returns a courier, or refuses with not_found.
func (s *Service) Courier(ctx context.Context, courierID string) (found *Courier, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Courier(ctx, courierID)
		return err
	})
	if err == nil && found == nil {
		err = errNoCourier
	}
	return found, err
}

var errNoCourier = refusal.NotFound("courier")

// ChangeCourier changes a courier. Orders keep the name and
// phone that they were assigned with, because partners and recipients have seen
// these. Orders of a courier who is no longer active stay with that courier, who
// has the parcels; the board shows them to dispatchers as needing attention. It
// refuses with not_found or validation_error.
func (s *Service) ChangeCourier(ctx context.Context, courierID string, change CourierEntry) (*Courier, error) {
	return s.ChangeCourierFrom(ctx, courierID, nil, change)
}

// ChangeCourierFrom does the same, but refuses with form.ErrStale unless the courier is
// the basis of the change.
func (s *Service) ChangeCourierFrom(
	ctx context.Context, courierID string, basis form.Basis[*Courier], change CourierEntry,
) (*Courier, error) {
	var changed Courier
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		before, err := tx.LockCourier(ctx, courierID)
		if err == nil && before == nil {
			err = errNoCourier
		}
		if err == nil {
			err = basis.Check(before)
		}
		if err != nil {
			return err
		}
		if err := change.Problems().Err(); err != nil {
			return err
		}
		if changed = change.apply(*before); changed == *before {
			return nil
		}
		entry, err := s.note(ctx, audit.ActionCourierChanged, courierID, factsOf(before), factsOf(&changed))
		if err != nil {
			return err
		}
		if err := tx.SaveCourier(ctx, &changed); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	return &changed, nil
}

// courierFacts is what the audit log holds of a courier.
type courierFacts struct {
	Name    string `json:"name"`
	Phone   string `json:"phone"`
	Vehicle string `json:"vehicle"`
	Active  bool   `json:"active"`
}

func factsOf(c *Courier) courierFacts { return courierFacts{c.Name, c.Phone, c.Vehicle, c.Active} }

// CourierPage is a page of couriers. Next is the cursor of the next page; empty
// at the end.
type CourierPage struct {
	Couriers []*Courier
	Next     string
}

// Couriers lists couriers by id, those after the cursor.
func (s *Service) Couriers(ctx context.Context, cursor string, limit int) (page CourierPage, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		page.Couriers, err = tx.Couriers(ctx, cursor, limit+1) // one more shows whether a next page exists
		return err
	})
	page.Couriers, page.Next = paging.Cut(page.Couriers, limit, func(c *Courier) string { return c.CourierID })
	return page, err
}
