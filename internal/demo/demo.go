// Package demo describes what a demo shows: shops, couriers, products, and the orders of a day, each
// with the course that it takes. An order follows from the day, its number and the time at which it is
// created, so that it can be created again after a crash, and goes on after a restart.
package demo

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Place is a city in which the demo delivers.
type Place struct {
	City, Province string
	Zone           string // the name of its time zone
	phone          string // how numbers there begin
	streets        []street
}

// street is a street with the forward sortation area that it is in.
type street struct{ name, area string }

// Shop is a partner of the demo.
type Shop struct {
	Name   string
	Person string // the name of its owner
	Email  string
	Prefix string // of the partner_order_id of its orders
	Place  int    // an index of Places
	Line1  string
	Postal string
	// Products are those that it keeps in stock, and Goods what its other parcels hold.
	Products []Product
	Goods    []string
}

// Product is a product with the stock that the demo begins with.
type Product struct {
	delivery.Product
	Opening map[string]int64 // units by location
	// Sold is set if orders of the demo take units of it.
	Sold bool
}

// Courier is a courier of the demo. Place is an index of Places.
type Courier struct {
	Name, Phone, Vehicle string
	Place                int
}

const (
	// Orders is how many orders the demo's day has when it begins.
	Orders = 300
	// Every is the time between two orders after that.
	Every = 20 * time.Second
	// History is how many days before the first one have orders.
	History = 30
	// Daily is how many orders these days have.
	Daily = 8
	// ramp is the time in which the orders of the day were created, more and more of them.
	ramp = 9 * time.Hour
)

// Day is a day of the demo.
type Day struct {
	Date  string    // as 2006-01-02
	Begin time.Time // when the demo was started on it; zero for a day of the history
}

// Created returns when the order with a number, which counts from 1, is created on a day: the first
// Orders before its beginning, closer together the later they are, all others after it.
func (d Day) Created(number int) time.Time {
	if number > Orders {
		return d.Begin.Add(time.Duration(number-Orders) * Every)
	}
	left := float64(Orders-number) / Orders
	age := time.Duration(left * (0.2 + 0.8*left) * float64(ramp))
	return d.Begin.Add(-age).Truncate(time.Second)
}

// Latest returns the number of the latest order that is created by a time, at least Orders.
func (d Day) Latest(at time.Time) int { return Orders + max(0, int(at.Sub(d.Begin)/Every)) }

// The times of day between which the orders of a day of the history are created.
const (
	opening = 8 * time.Hour
	closing = 16 * time.Hour
)

// Past returns the orders of a day of the history, which begins at a midnight. All have ended by the
// next one.
func Past(midnight time.Time) (orders []Order) {
	date := midnight.Format(time.DateOnly)
	for number := 1; number <= Daily; number++ {
		at := midnight.Add(opening + time.Duration(number)*(closing-opening)/Daily)
		o := newOrder(date, number, at, pastOutcome(midnight.YearDay()*Daily+number))
		for i := range o.Course {
			o.Course[i].Photo = 0 // those of a month would take seconds
		}
		orders = append(orders, o)
	}
	return orders
}

// Order returns the order with a number.
func (d Day) Order(number int) Order {
	return newOrder(d.Date, number, d.Created(number), outcomeOf(number))
}

// Known returns the order of the demo that has a partner_order_id and was created at a time. It
// reports false for any other order.
func Known(partnerOrderID string, created time.Time) (Order, bool) {
	parts := numbered.FindStringSubmatch(partnerOrderID)
	if parts == nil {
		return Order{}, false
	}
	day, err := time.Parse(compact, parts[2])
	if err != nil {
		return Order{}, false
	}
	number, _ := strconv.Atoi(parts[1])
	found := newOrder(day.Format(time.DateOnly), number, created, outcomeOf(number))
	return found, found.PartnerOrderID == partnerOrderID
}

// compact is the date in a partner_order_id. It comes last, because lists cut what is long.
const compact = "060102"

var numbered = regexp.MustCompile(`^\p{Lu}{3}-([1-9]\d{0,8})-(\d{6})$`)

// Order is an order of the demo.
type Order struct {
	Number         int
	Shop           int // an index of Shops
	PartnerOrderID string
	Key            [16]byte // of idempotency
	CreatedAt      time.Time
	Cash           int64  // cents that are paid at the door; 0 for none
	Body           []byte // the request, in JSON
	Course         []Step // the moves after its creation
}

// Step is a move of an order.
type Step struct {
	At      time.Time
	Status  delivery.Status
	Courier int    // an index of Couriers, for courier_assigned
	Reason  string // for failed and cancelled
	Photo   int    // the number of the picture that is taken at the door before it; 0 for none
	// Collected is what is paid at the door; zero for nothing.
	Collected delivery.Collected
}

// After returns the steps that an order still has before it: those after the one to a status, before
// which it had failed a number of times.
func (o *Order) After(status delivery.Status, failures int) []Step {
	failed := 0
	for i, step := range o.Course {
		if step.Status == delivery.StatusFailed {
			failed++
		}
		if step.Status == status && failed == failures {
			return o.Course[i+1:]
		}
	}
	if status == delivery.StatusPending {
		return o.Course
	}
	return nil
}

// newOrder returns an order with everything that follows from its day and number.
func newOrder(date string, number int, created time.Time, ends outcome) Order {
	random := drawing(date, number)
	shop := random.IntN(len(Shops))
	day, _ := time.Parse(time.DateOnly, date)
	key := sha256.Sum256(fmt.Appendf(nil, "order %s %d", date, number))
	order := Order{
		Number: number, Shop: shop, CreatedAt: created, Key: [16]byte(key[:]),
		PartnerOrderID: fmt.Sprintf("%s-%d-%s", Shops[shop].Prefix, number, day.Format(compact)), Cash: cashOf(number),
	}
	order.Body = order.request(random, ends)
	order.Course = course(random, &order, ends)
	return order
}

// The orders that are paid for at the door: one of paidEvery, and one of cardEvery with a card.
const (
	paidEvery = 6
	cardEvery = 24
)

// cashOf returns what is paid at the door for the order with a number, in cents.
func cashOf(number int) int64 {
	if number%paidEvery != 2 {
		return 0
	}
	return 1_995 + 250*int64(number%17)
}

// collected returns what the courier collects of the order; zero for nothing.
func (o *Order) collected() (paid delivery.Collected) {
	if o.Cash == 0 {
		return paid
	}
	paid = delivery.Collected{AmountCents: o.Cash, Currency: delivery.CAD, Method: delivery.PaidCash}
	if o.Number%cardEvery == 2 {
		paid.Method = delivery.PaidTerminal
	}
	return paid
}

// drawing returns the random numbers of an order.
func drawing(date string, number int) *rand.Rand {
	seed := sha256.Sum256([]byte(date))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(seed[:]), uint64(number))) //nolint:gosec // no secret
}
