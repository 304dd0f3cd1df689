package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	sample "github.com/dropyard/dropyard/internal/demo"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/simulate"
	"github.com/dropyard/dropyard/internal/stock"
)

// demoDay lets the orders of package demo happen: those of the past before the service listens, with
// the clock of their time, and then one after the other. All of it goes through the use cases, so that
// history, figures, events and proofs come about as they do otherwise.
type demoDay struct {
	app      *App
	seeded   *demo
	shops    map[string]int // indexes of sample.Shops by partner
	tracking atomic.Pointer[string]
	end      context.CancelFunc
	ended    sync.WaitGroup
}

const (
	// dayRound is the time between two rounds, in which what has become due happens.
	dayRound = 5 * time.Second
	// dayMissed is how much of the time in which the demo was stopped gets orders afterwards.
	dayMissed = time.Hour
	// dayConnects is how long before the beginning of the day the shops begin to get webhooks, so that the
	// demo begins with some, and they are not about what happened hours ago.
	dayConnects = 15 * time.Minute
	// dayArrives is how long after the last leg has begun recipients are to expect the courier. All but the
	// one who is behind keep to it.
	dayArrives = 25 * time.Minute
	// dayAtOnce is how many orders are created and moved at the same time. They share commits.
	dayAtOnce = 128
)

// demoDate returns the date of the demo at a time.
func (a *App) demoDate(at time.Time) string { return at.In(a.demoClock()).Format(time.DateOnly) }

func (a *App) demoClock() *time.Location {
	first := &sample.Places[sample.Shops[0].Place]
	return a.calendar.Clock(first.Province)
}

// openDay lets everything happen that is due when the service starts.
func (a *App) openDay(ctx context.Context) (err error) {
	d := &demoDay{app: a, seeded: a.demo, shops: map[string]int{}}
	a.day = d
	if err := d.openAccounts(demoContext(ctx)); err != nil {
		return err
	}
	for i, partnerID := range d.seeded.Shops {
		d.shops[partnerID] = i
	}
	ctx = audit.WithOperation(ctx, audit.Operation{OperatorID: simulate.Operator})
	now := a.Now().UTC().Truncate(time.Second)
	if d.seeded.Date != "" { // the day may be an earlier one, or a start was killed while it was made
		if err := d.begin(ctx); err != nil {
			return err
		}
		if err := d.goOn(ctx, now); err != nil {
			return err
		}
	}
	if today := a.demoDate(now); d.seeded.Date != today {
		if err := d.makePast(ctx, now); err != nil {
			return err
		}
		if err := d.closeLastMonth(demoContext(ctx)); err != nil {
			return err
		}
		d.seeded.Date, d.seeded.Begin, d.seeded.Made = today, now, 0
		d.seeded.Past = today
		if err := a.keepDemo(ctx, d.seeded); err != nil {
			return err
		}
		if err := d.begin(ctx); err != nil {
			return err
		}
	}
	if err := d.connect(ctx); err != nil {
		return err
	}
	rows, err := d.open(ctx)
	d.follow(rows)
	return err
}

// openAccounts adds the shops and couriers that are missing: all but the first of each in a new demo.
func (d *demoDay) openAccounts(ctx context.Context) (err error) {
	if len(d.seeded.Couriers) > 0 {
		return nil
	}
	a := d.app
	opened := a.Now()
	if d.seeded.Past == "" { // an earlier release, or a quiet start, has made the demo
		d.seeded.Past = a.demoDate(opened.AddDate(0, 0, -1))
	} else {
		opened = opened.AddDate(0, 0, -sample.History-1)
	}
	accounts := a.openDemoAccounts(opened)
	defer func() { err = errors.Join(err, accounts.partners.Close()) }()
	if err := a.addCourierAccount(ctx, accounts); err != nil {
		return err
	}
	d.seeded.Shops, d.seeded.Couriers = []string{d.seeded.PartnerID}, []string{d.seeded.CourierID}
	for i := range sample.Shops[1:] {
		shop := &sample.Shops[i+1]
		owner, err := a.demoOwner(ctx, accounts, shop)
		if err != nil {
			return err
		}
		if err := a.stockDemo(ctx, accounts, owner.Partner.PartnerID, shop); err != nil {
			return err
		}
		d.seeded.Shops = append(d.seeded.Shops, owner.Partner.PartnerID)
	}
	for i := range sample.Couriers[1:] {
		courierID, err := a.demoCourier(ctx, accounts, &sample.Couriers[i+1])
		if err != nil {
			return err
		}
		d.seeded.Couriers = append(d.seeded.Couriers, courierID)
	}
	return a.keepDemo(ctx, d.seeded)
}

// makePast makes the days between the last one and today, at most those of the history.
func (d *demoDay) makePast(ctx context.Context, now time.Time) error {
	clock := d.app.demoClock()
	year, month, date := now.In(clock).Date()
	for back := sample.History; back >= 1; back-- {
		midnight := time.Date(year, month, date-back, 0, 0, 0, 0, clock)
		if midnight.Format(time.DateOnly) <= d.seeded.Past {
			continue
		}
		if err := d.playAll(ctx, sample.Past(midnight), midnight.AddDate(0, 0, 1)); err != nil {
			return err
		}
		if err := d.countCash(ctx, midnight); err != nil {
			return err
		}
	}
	return nil
}

// closeLastMonth closes the month before today for all shops, as an accountant would. The simulator closes none: what
// it moves is charged, and a month is closed by people, or on the day that they have set.
func (d *demoDay) closeLastMonth(ctx context.Context) error {
	books := d.app.accounting
	month := books.Closable()
	due, err := books.Unclosed(ctx, month)
	if err != nil {
		return err
	}
	for _, partnerID := range due {
		if _, _, err := books.CloseMonth(ctx, partnerID, month); err != nil && !refusal.HasCode(err, refusal.CodeConflict) {
			return err
		}
	}
	return nil
}

// day returns the day as package demo knows it.
func (d *demoDay) day() sample.Day { return sample.Day{Date: d.seeded.Date, Begin: d.seeded.Begin} }

// begin makes the orders with which the day begins, unless they are all there.
func (d *demoDay) begin(ctx context.Context) error {
	if d.seeded.Made >= sample.Orders {
		return nil
	}
	day, connects := d.day(), d.seeded.Begin.Add(-dayConnects)
	var early, late []sample.Order
	for number := 1; number <= sample.Orders; number++ {
		if o := day.Order(number); o.CreatedAt.Before(connects) {
			early = append(early, o)
		} else {
			late = append(late, o)
		}
	}
	if err := d.playAll(ctx, early, connects); err != nil {
		return err
	}
	if err := d.connect(ctx); err != nil {
		return err
	}
	if err := d.goOnWith(ctx, late, day.Begin); err != nil {
		return err
	}
	if err := d.greet(ctx); err != nil {
		return err
	}
	d.seeded.Made = sample.Orders
	return d.app.keepDemo(ctx, d.seeded)
}

// greet gives the desk a number, and sends the courier who may sign in a message, unless there is one.
func (d *demoDay) greet(ctx context.Context) error {
	desk, phone := d.app.dispatch, sample.DispatchPhone
	_, err := desk.ChangeServiceSettings(ctx, nil, dispatch.ServiceSettingsChange{DispatchPhone: &phone})
	if err != nil {
		return err
	}
	sent, _, err := desk.Messages(ctx, d.seeded.CourierID, "", 1)
	if err == nil && len(sent) == 0 {
		_, err = desk.SendMessage(ctx, d.seeded.CourierID, sample.Message)
	}
	return err
}

// connect sends the webhooks of all shops to the demo's receiver.
func (d *demoDay) connect(ctx context.Context) error {
	return d.app.connectDemo(ctx, append([]string{delivery.TestAccount(d.seeded.PartnerID)}, d.seeded.Shops...)...)
}

// startDay lets the demo go on until the service ends.
func (a *App) startDay() {
	if a.day == nil {
		return
	}
	ctx, end := context.WithCancel(audit.WithOperation(context.Background(),
		audit.Operation{OperatorID: simulate.Operator}))
	a.day.end = end
	a.day.ended.Go(func() { a.day.run(ctx) })
	a.atClose(ending(func() {
		end()
		a.day.ended.Wait()
	}))
}

func (d *demoDay) run(ctx context.Context) {
	for {
		now := d.app.Now()
		wait := d.app.At(now.Add(dayRound)) // before the round, which may take time
		if err := d.goOn(ctx, now); err != nil && ctx.Err() == nil {
			d.app.Log.Warn("the demo could not go on, trying again", "error", err)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return
		}
	}
}

// goOn lets everything happen that has become due. Of the orders that became due while the service
// was stopped, only the latest are created, and none once the day is over.
func (d *demoDay) goOn(ctx context.Context, now time.Time) error {
	day := d.day()
	latest := day.Latest(now)
	first := max(d.seeded.Made+1, day.Latest(now.Add(-dayMissed)))
	stopped := d.end == nil
	var orders []sample.Order
	for number := first; number <= latest && (!stopped || d.app.demoDate(now) == day.Date); number++ {
		orders = append(orders, day.Order(number))
	}
	if err := d.goOnWith(ctx, orders, now); err != nil || latest == d.seeded.Made {
		return err
	}
	d.seeded.Made = latest
	return d.app.keepDemo(ctx, d.seeded)
}

// goOnWith creates orders, and lets them and those under way go on until a time.
func (d *demoDay) goOnWith(ctx context.Context, orders []sample.Order, until time.Time) error {
	rows, err := d.open(ctx)
	if err != nil {
		return err
	}
	err = d.each(len(rows), func(i int) error {
		row := rows[i]
		o, ok := sample.Known(row.PartnerOrderID, row.CreatedAt)
		if !ok || d.seeded.Shops[o.Shop] != row.PartnerID {
			return nil // a person has created it, and moves it
		}
		return d.move(ctx, row.OrderID, o.After(row.Status, int(row.Failures)), row.UpdatedAt, until)
	})
	if err == nil {
		err = d.playAll(ctx, orders, until)
	}
	d.follow(rows)
	return err
}

// open returns the rows of the shops' orders under way.
func (d *demoDay) open(ctx context.Context) (rows []*board.Row, err error) {
	const page = 1000
	for filter := (dispatch.Filter{Sort: dispatch.SortOldest, Limit: page}); ; {
		found, err := d.app.dispatch.Board(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, entry := range found.Entries {
			if _, known := d.shops[entry.PartnerID]; known {
				rows = append(rows, entry.Row)
			}
		}
		if filter.After = found.Next; filter.After.OrderID == "" {
			return rows, nil
		}
	}
}

// playAll lets orders happen until a time.
func (d *demoDay) playAll(ctx context.Context, orders []sample.Order, until time.Time) error {
	return d.each(len(orders), func(i int) error { return d.play(ctx, &orders[i], until) })
}

// each calls fn for 0 to n-1, many at the same time.
func (d *demoDay) each(n int, fn func(i int) error) error {
	errs := make([]error, n)
	permits := make(chan struct{}, dayAtOnce)
	var running sync.WaitGroup
	for i := range n {
		permits <- struct{}{}
		running.Go(func() {
			errs[i] = fn(i)
			<-permits
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// at returns the service of orders by a clock that stands at a time.
func (d *demoDay) at(at time.Time) *order.Service {
	return d.app.orders.At(func() time.Time { return at })
}

// play creates an order unless it exists, and lets it go on until a time.
func (d *demoDay) play(ctx context.Context, o *sample.Order, until time.Time) error {
	created, err := d.create(ctx, o)
	if refusal.HasCode(err, refusal.CodeConflict) {
		return nil // an earlier start has created it, and its key has been forgotten since
	}
	if err != nil {
		return fmt.Errorf("create order %s: %w", o.PartnerOrderID, err)
	}
	orderID, rest, last := record.OrderID(created.Record), o.Course, o.CreatedAt
	if created.Replayed {
		found, err := d.app.orders.Track(ctx, orderID)
		if err != nil {
			return err
		}
		rest, last = o.After(found.Status, int(board.Of(found).Failures)), found.UpdatedAt
	}
	return d.move(ctx, orderID, rest, last, until)
}

// create creates an order. If its products have run out, their shop gets more of them.
func (d *demoDay) create(ctx context.Context, o *sample.Order) (order.Answer, error) {
	partnerID := d.seeded.Shops[o.Shop]
	key := idempotency.Key{PartnerID: partnerID, Scope: "POST /v1/orders", UUID: o.Key}
	wanted, _ := form.Decode(must(string(o.Body)), order.ReadWanted) // keeps its faults
	request := idempotency.NewRequest(key, o.Body)
	created, err := d.at(o.CreatedAt).Create(ctx, request, wanted)
	if !refusal.HasCode(err, delivery.CodeInsufficientStock) {
		return created, err
	}
	for _, item := range wanted.Items {
		if err := d.restock(ctx, o, int(item.ProductID)); err != nil {
			return created, err
		}
	}
	return d.at(o.CreatedAt).Create(ctx, request, wanted)
}

// restock gives a shop as much of a product as the demo began with.
func (d *demoDay) restock(ctx context.Context, o *sample.Order, productID int) error {
	opening := sample.Shops[o.Shop].Products[productID-1].Opening
	for location, quantity := range opening {
		_, err := d.app.stock.Record(ctx, d.seeded.Shops[o.Shop], stock.Booking{
			Kind: delivery.MovementIn, ProductID: int64(productID), Quantity: quantity, From: location, Notes: "restocked",
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// move makes those steps of an order that are due at a time. last is the time of its last move. That a
// person was faster, or has removed the courier, is not an error. While the service runs with a
// simulation, that moves all live orders.
func (d *demoDay) move(ctx context.Context, orderID string, steps []sample.Step, last, until time.Time) error {
	if d.app.config.Simulate && d.end != nil {
		return nil
	}
	for i, step := range steps {
		if step.At.After(until) {
			return nil
		}
		at := step.At
		if at.Before(last) {
			at = last.Add(time.Second)
		}
		if err := d.step(ctx, orderID, steps[i:], at); err != nil {
			if isOvertaken(err) {
				return nil
			}
			return fmt.Errorf("move order %s: %w", orderID, err)
		}
		last = at
	}
	return nil
}

// isOvertaken reports whether a move was refused because of what a person has done.
func isOvertaken(err error) bool {
	return slices.ContainsFunc([]refusal.Code{
		delivery.CodeInvalidTransition, refusal.CodeConflict, refusal.CodeNotFound, refusal.CodeValidation,
	}, func(code refusal.Code) bool { return refusal.HasCode(err, code) })
}

// step makes the first of the steps at a time, with its picture.
func (d *demoDay) step(ctx context.Context, orderID string, steps []sample.Step, at time.Time) error {
	step := steps[0]
	if step.Photo > 0 {
		if err := d.photograph(ctx, orderID, step.Photo, at); err != nil {
			return err
		}
	}
	move := order.Advance{Status: step.Status}
	if step.Collected.AmountCents > 0 {
		move.Collected = &step.Collected
	}
	switch step.Status {
	case delivery.StatusCourierAssigned:
		move.CourierID = d.seeded.Couriers[step.Courier]
	case delivery.StatusOutForDelivery:
		move.ETA = timestamp.Truncate(at.Add(dayArrives))
	case delivery.StatusFailed:
		move.FailureReason = step.Reason
		if len(steps) > 1 {
			again := timestamp.Truncate(steps[1].At)
			move.NextAttempt = &again
		}
	case delivery.StatusCancelled:
		move.Reason = step.Reason
	default: // needs no more
	}
	_, err := d.at(at).Advance(ctx, nil, orderID, move)
	return err
}

// photograph adds a picture of the parcel at the door.
func (d *demoDay) photograph(ctx context.Context, orderID string, number int, at time.Time) error {
	file, err := sample.Photo(number)
	if err != nil {
		return err
	}
	config := d.app.proofConfig()
	config.Now = func() time.Time { return at }
	_, _, err = proof.NewService(config).Add(ctx, proof.Upload{
		OrderID: orderID, Kind: delivery.ProofPhoto, Data: file,
	})
	return err
}

// follow chooses the order that the first page leads to: one of the first shop that is about to arrive.
// It stays the same one until that has ended.
func (d *demoDay) follow(rows []*board.Row) {
	var chosen *board.Row
	for _, row := range rows {
		if now := d.tracking.Load(); now != nil && *now == row.OrderID {
			return
		}
		if row.PartnerID == d.seeded.PartnerID && row.Status == delivery.StatusOutForDelivery &&
			(chosen == nil || chosen.UpdatedAt.Before(row.UpdatedAt)) {
			chosen = row
		}
	}
	if chosen != nil {
		d.tracking.Store(&chosen.OrderID)
	}
}

// demoTracking returns the path of the recipient's page of an order that is on its way; empty if there
// is none.
func (a *App) demoTracking() string {
	orderID := a.demo.OrderID
	if a.day != nil {
		orderID = ""
		if chosen := a.day.tracking.Load(); chosen != nil {
			orderID = *chosen
		}
	}
	if orderID == "" {
		return ""
	}
	return "/track/" + orderID + "/html"
}
