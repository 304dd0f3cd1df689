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

// CreateCourier adds a courier, active unless the request says otherwise. It
// refuses with validation_error.
func (s *Service) CreateCourier(ctx context.Context, root form.Source) (*Courier, error) {
	courier := &Courier{Active: true, CreatedAt: s.now()}
	err := courier.read(root, form.Required)
	if err != nil {
		return nil, err
	}
	if courier.CourierID, err = identifier.New(s.config.Random, "cou_"); err != nil {
		return nil, err
	}
	entry, err := s.note(ctx, audit.ActionCourierCreated, courier.CourierID, nil, factsOf(courier))
	if err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := tx.AddCourier(ctx, courier); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	return courier, nil
}

// read reads the fields of a courier from a request. A field that is missing or
// null keeps its value. presence applies to all fields but active, which is
// optional.
func (c *Courier) read(root form.Source, presence form.Presence) error {
	var problems form.Problems
	f := form.New(root, &problems)
	c.Name = cmp.Or(f.Text("name", presence, delivery.OwnNameRule), c.Name)
	c.Phone = cmp.Or(f.Text("phone", presence, delivery.PhoneRule), c.Phone)
	c.Vehicle = cmp.Or(f.Text("vehicle", presence, delivery.NameRule), c.Vehicle)
	if active := f.Flag("active"); f.Has("active") {
		c.Active = active
	}
	return problems.Err()
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

// ChangeCourier changes a courier as a request asks. Orders keep the name and
// phone that they were assigned with, because partners and recipients have seen
// these. Orders of a courier who is no longer active stay with that courier, who
// has the parcels; the board shows them to dispatchers as needing attention. It
// refuses with not_found or validation_error.
func (s *Service) ChangeCourier(ctx context.Context, courierID string, root form.Source) (*Courier, error) {
	return s.ChangeCourierFrom(ctx, courierID, nil, root)
}

// ChangeCourierFrom does the same, but refuses with form.ErrStale unless the courier is
// the basis of the change.
func (s *Service) ChangeCourierFrom(ctx context.Context, courierID string, basis form.Basis[*Courier], root form.Source) (*Courier, error) {
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
		changed = *before
		if err := changed.read(root, form.Optional); err != nil || changed == *before {
			return err
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
