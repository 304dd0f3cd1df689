package operator

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Courier is somebody who carries orders.
type Courier struct {
	delivery.Courier
	Active    bool // only active couriers can be assigned
	CreatedAt time.Time
}

// CreateCourier adds a courier, active unless the request says otherwise. It
// is a validation_error.
func (s *Service) CreateCourier(ctx context.Context, root form.Source) (*Courier, error) {
	courier := &Courier{Active: true, CreatedAt: s.now()}
	err := courier.read(root, form.Required)
	if err != nil {
		return nil, err
	}
	if courier.CourierID, err = identifier.New(s.Random, "cou_"); err != nil {
		return nil, err
	}
	entry, err := s.note(ctx, audit.ActionCourierCreated, courier.CourierID, nil, factsOf(courier))
	if err != nil {
		return nil, err
	}
	err = s.Store.Write(ctx, func(tx Writer) error {
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

// read reads what a request says of a courier; what it leaves out, or sends as
// null, stays as it is. Presence is that of all but active.
func (c *Courier) read(root form.Source, presence form.Presence) error {
	var problems form.Problems
	f := form.New(root, &problems)
	c.Name = cmp.Or(f.Text("name", presence, delivery.NameRule), c.Name)
	c.Phone = cmp.Or(f.Text("phone", presence, delivery.PhoneRule), c.Phone)
	c.Vehicle = cmp.Or(f.Text("vehicle", presence, delivery.NameRule), c.Vehicle)
	if active := f.Flag("active"); f.Has("active") {
		c.Active = active
	}
	return problems.Err()
}

// Courier reads one courier. It is not_found.
func (s *Service) Courier(ctx context.Context, courierID string) (found *Courier, err error) {
	err = s.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.CourierRecord(ctx, courierID)
		return err
	})
	if err == nil && found == nil {
		err = errNoCourier
	}
	return found, err
}

var errNoCourier = refusal.NotFound("courier")

// ChangeCourier changes a courier as a request asks. Orders keep what they were
// assigned with: the name and phone that partners and recipients have been told.
// Those of a courier who is no longer active stay with him, because nobody else
// has the parcels, and need the attention of dispatchers. It is not_found, or a
// validation_error.
func (s *Service) ChangeCourier(ctx context.Context, courierID string, root form.Source) (*Courier, error) {
	var changed Courier
	err := s.Store.Write(ctx, func(tx Writer) error {
		before, err := tx.LockCourier(ctx, courierID)
		if err == nil && before == nil {
			err = errNoCourier
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
		return errors.Join(tx.SaveCourier(ctx, &changed), tx.AddAudit(ctx, entry))
	})
	if err != nil {
		return nil, err
	}
	return &changed, nil
}

// courierFacts are what the audit log tells of a courier.
type courierFacts struct {
	Name    string `json:"name"`
	Phone   string `json:"phone"`
	Vehicle string `json:"vehicle"`
	Active  bool   `json:"active"`
}

func factsOf(c *Courier) courierFacts { return courierFacts{c.Name, c.Phone, c.Vehicle, c.Active} }

// CourierPage is a part of the list of couriers. Next is the cursor for what
// follows, empty at the end.
type CourierPage struct {
	Couriers []Courier
	Next     string
}

// Couriers lists couriers in an order that stays the same, those after the
// cursor.
func (s *Service) Couriers(ctx context.Context, cursor string, limit int) (page CourierPage, err error) {
	err = s.Store.Read(ctx, func(tx Reader) error {
		page.Couriers, err = tx.Couriers(ctx, cursor, limit+1) // one more tells whether a next page exists
		return err
	})
	page.Couriers, page.Next = paging.Cut(page.Couriers, limit, func(c Courier) string { return c.CourierID })
	return page, err
}
