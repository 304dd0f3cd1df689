// Package movement is the booking of stock: movements are numbered, and applied to
// the levels and totals of products. Orders and the warehouse book through it
// alike, so that the levels are always the sum of the movements.
package movement

import (
	"cmp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// ProductKey names a product; product ids count per partner.
type ProductKey struct {
	PartnerID string
	ProductID int64
}

// CompareKeys compares keys by partner, then by product.
func CompareKeys(a, b ProductKey) int {
	return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.ProductID, b.ProductID))
}

// ProductCode is a sku or barcode of a partner's products.
type ProductCode struct{ PartnerID, Code string }

// CompareCodes compares codes by partner, then by code.
func CompareCodes(a, b ProductCode) int {
	return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.Code, b.Code))
}

// Product is a product and how much of it lies where.
type Product struct {
	delivery.Product
	Levels []delivery.Level
}

// Stock is the part of one partner's stock that a transaction has locked, and
// what has been booked since.
type Stock struct {
	PartnerID    string
	LastMovement int64              // all products take their movement ids from this counter
	Products     map[int64]*Product // those that exist
	Booked       []delivery.Movement
	// Traced means that each movement is to be announced.
	Traced bool

	announced int               // how many of the movements Announce was called for
	changes   map[int64]*change // of products, since Announce was called
}

// Level returns how much of a product lies at a location.
func (p *Product) Level(location string) int64 {
	for _, level := range p.Levels {
		if level.Location == location {
			return level.Quantity
		}
	}
	return 0
}

// at returns the level at a location, which is empty until something arrives.
func (p *Product) at(location string) *delivery.Level {
	i := slices.IndexFunc(p.Levels, func(level delivery.Level) bool { return level.Location == location })
	if i < 0 {
		p.Levels = append(p.Levels, delivery.Level{ProductID: p.ProductID, Location: location})
		i = len(p.Levels) - 1
	}
	return &p.Levels[i]
}

// Book numbers a movement of a product that exists and applies it to the level
// and the total. The caller has checked that neither leaves its bounds.
func (l *Stock) Book(m delivery.Movement) delivery.Movement {
	product := l.Products[m.ProductID]
	l.changing(product, m.At)
	l.LastMovement++
	m.MovementID, m.ProductName = l.LastMovement, product.Name
	product.at(m.Location).Quantity += m.Change()
	product.Quantity += m.Change()
	l.Booked = append(l.Booked, m)
	return m
}

// Withdraw books an order's allocation out of stock.
func (l *Stock) Withdraw(allocation []delivery.Take, orderID string, at time.Time) {
	l.bookFor(delivery.MovementOut, allocation, orderID, at)
}

// Return books an order's allocation back to where it was taken from.
func (l *Stock) Return(allocation []delivery.Take, orderID string, at time.Time) {
	l.bookFor(delivery.MovementIn, allocation, orderID, at)
}

// Receive books goods of an order that have come back in at a location, and what is damaged of them
// out again. Missing goods stay out.
func (l *Stock) Receive(lines []delivery.ReturnLine, location, orderID string, at time.Time) {
	for _, line := range lines {
		if line.Disposition == delivery.Missing {
			continue
		}
		back := delivery.Movement{
			Type: delivery.MovementIn, Quantity: line.Quantity, ProductID: line.ProductID, Location: location,
			OrderID: orderID, At: at,
		}
		l.Book(back)
		if line.Disposition == delivery.Damaged {
			back.Type, back.Quantity, back.Notes = delivery.MovementAdjustment, -line.Quantity, string(delivery.Damaged)
			l.Book(back)
		}
	}
}

func (l *Stock) bookFor(kind delivery.MovementType, allocation []delivery.Take, orderID string, at time.Time) {
	for _, take := range allocation {
		l.Book(delivery.Movement{
			Type: kind, Quantity: take.Quantity, ProductID: take.ProductID, Location: take.Location, OrderID: orderID, At: at,
		})
	}
}

// Changed returns the products that movements have been booked for, each once.
func (l *Stock) Changed() []*Product {
	var changed []*Product
	for _, m := range l.Booked {
		if product := l.Products[m.ProductID]; !slices.Contains(changed, product) {
			changed = append(changed, product)
		}
	}
	return changed
}
