package operator

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Courier is somebody who carries orders.
type Courier struct {
	delivery.Courier
	Active    bool // only active couriers can be assigned
	CreatedAt time.Time
}

// CreateCourier adds a courier, active unless the request says otherwise. It
// is a validation_error.
func (s *Service) CreateCourier(ctx context.Context, root delivery.Source) (*Courier, error) {
	var problems delivery.Problems
	f := delivery.NewForm(root, &problems)
	courier := &Courier{
		Courier: delivery.Courier{
			Name:    f.Text("name", delivery.Required, delivery.NameRule),
			Phone:   f.Text("phone", delivery.Required, delivery.PhoneRule),
			Vehicle: f.Text("vehicle", delivery.Required, delivery.NameRule),
		},
		Active:    f.Flag("active") || !f.Has("active"),
		CreatedAt: s.now(),
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	var err error
	if courier.CourierID, err = delivery.NewID(s.Random, "cou_"); err != nil {
		return nil, err
	}
	entry, err := s.note(ctx, delivery.ActionCourierCreated, courier.CourierID, nil, factsOf(courier))
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
	if len(page.Couriers) > limit {
		page.Couriers = page.Couriers[:limit]
		page.Next = page.Couriers[limit-1].CourierID
	}
	return page, err
}
