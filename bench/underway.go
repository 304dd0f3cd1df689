package main

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
)

// One in fifty of the prefilled orders is under way, created in the last days, so
// that the dispatch board is not empty. This file decides which, and their statuses.

const (
	// One in underWayEvery prefilled orders is under way: 20,000 of a million.
	underWayEvery = 50
	// One in cancelledEvery of the others was cancelled.
	cancelledEvery = 10
	// benchCouriers is the number of couriers that carry them.
	benchCouriers = 60
)

// isUnderWay reports whether order n is under way. Orders n and n+1, for an even n,
// belong to one partner, one of them with items.
func isUnderWay(n int) bool { return n/2%underWayEvery == 0 }

// underWayNumber returns the number of order n among the orders under way.
func underWayNumber(n int) int { return n/2/underWayEvery*2 + n%2 }

// createdAt returns when prefilled order n was created.
func createdAt(n int) time.Time {
	if !isUnderWay(n) {
		return prefillFrom.Add(time.Duration(n) * prefillEvery)
	}
	const span, most = 72 * time.Hour, 20_000
	return prefillEnd.Add(-span + time.Duration(underWayNumber(n)%most)*(span/most))
}

// prefillEnd is when the last order under way was created.
var prefillEnd = time.Now().Add(-time.Minute).Truncate(time.Second)

// places holds the destinations of orders: cities, each with some of its zones.
var places = []struct {
	city, province string
	zones          []string
}{
	{"Montréal", "QC", []string{"H2W", "H2X", "H3A", "H3B", "H3H", "H4C", "H1Y", "H2J", "H2T", "H3K"}},
	{"Toronto", "ON", []string{"M5H", "M5V", "M4Y", "M6G", "M6K", "M4E", "M5A", "M6J", "M5T", "M4L"}},
	{"Québec", "QC", []string{"G1R", "G1K", "G1S"}},
	{"Ottawa", "ON", []string{"K1A", "K1N", "K2P", "K1S"}},
	{"Vancouver", "BC", []string{"V6B", "V6E", "V5K", "V5T", "V6K"}},
}

// spread sets the destination and the windows of order n. It is called before the
// order's record is encoded.
func spread(o *delivery.Order, n int) {
	i := underWayNumber(n)
	place := places[i%len(places)]
	zone := place.zones[i/len(places)%len(place.zones)]
	address := &o.Dropoff.Address
	address.City, address.Province, address.PostalCode = place.city, place.province, zone+" 2N2"
	hours := func(from, step, most int) time.Duration { return time.Duration(from+i*step%most) * time.Hour }
	o.Pickup.Window = delivery.Window{Start: o.CreatedAt.Add(hours(2, 5, 24)), End: o.CreatedAt.Add(hours(5, 5, 24))}
	o.Dropoff.Window = delivery.Window{Start: o.CreatedAt.Add(hours(30, 7, 60)), End: o.CreatedAt.Add(hours(38, 7, 60))}
	o.EstimatedDelivery = o.CreatedAt.Add(hours(36, 11, 72))
	o.Reference = fmt.Sprintf("PO %06d", i)
}

// underWay sets a status of order n, with the courier and history that belong to it.
func underWay(o *delivery.Order, n int) {
	i := underWayNumber(n)
	o.Status = board.OpenStatuses[i%len(board.OpenStatuses)]
	enter := func(s delivery.Status) {
		o.History = append(o.History, delivery.HistoryEntry{Status: s, At: o.CreatedAt})
	}
	if o.Status != delivery.StatusPending && o.Status != delivery.StatusAccepted {
		o.Courier = &delivery.Courier{CourierID: fmt.Sprintf("cou_%016d",
			i%benchCouriers), Name: "Camille Tremblay", Phone: "+15145550177", Vehicle: "van"}
	}
	if o.Status == delivery.StatusFailed {
		for range 1 + i%3 {
			enter(delivery.StatusFailed)
		}
	}
}

// ended returns the final status of order n.
func ended(n int) delivery.Status {
	if n/2%cancelledEvery == 1 {
		return delivery.StatusCancelled
	}
	return delivery.StatusDelivered
}
