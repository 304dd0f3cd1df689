package order

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestDecideEqualsOneByOne holds the committer's decision against a model that
// knows neither groups nor versions: whatever the commands and however they
// are grouped, every caller gets the same outcome, and the same is stored.
func TestDecideEqualsOneByOne(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	repeatable.Check(t, func(t *rapid.T) {
		world := drawWorld(t)
		switch rapid.IntRange(0, 2).Draw(t, "about") {
		case 1:
			world.onTheWay = true
		case 2:
			world.comeBack = true
		}
		start := world.memory()
		start.queues = drawQueues(t)
		initial := start.clone()

		count := rapid.IntRange(0, 60).Draw(t, "commands")
		var begun []wish
		switch {
		case world.onTheWay:
			begun = drawMoved(t, "accepted", "courier_assigned", "picked_up")
		case world.comeBack:
			begun = drawMoved(t, "accepted", "courier_assigned", "picked_up", "out_for_delivery", "delivered")
		}
		count += len(begun)
		wishes, want := make([]wish, count), make([]string, count)
		for i := range wishes {
			if i < len(begun) {
				wishes[i] = begun[i]
			} else {
				wishes[i] = world.drawWish(t, i)
			}
			want[i] = world.settle(wishes[i])
			seen[strings.Fields(want[i])[0]]++
			if strings.HasPrefix(want[i], "admitted") {
				seen[wishes[i].kind]++
			}
		}
		// The first orders are there before the group that is looked at.
		known := rapid.IntRange(0, count).Draw(t, "known")
		for i := range known {
			checkOutcomes(t, start.commit(t, commandsOf(wishes[i:i+1])), want[i:i+1])
		}
		checkQueue(t, initial.queues, start)
		start.queues.deliver(t)
		for _, cuts := range [][]int{{known, count}, steps(known, count), drawCuts(t, known, count)} {
			m := start.clone()
			for i := range len(cuts) - 1 {
				from, to := cuts[i], cuts[i+1]
				checkOutcomes(t, m.commit(t, commandsOf(wishes[from:to])), want[from:to])
			}
			checkSame(t, world, m)
			checkMovements(t, initial, m)
			checkGoods(t, initial, m)
			checkOrders(t, m)
			checkBoard(t, world, m)
			checkQueue(t, start.queues, m)
		}
	})
	checkCoverage(t, seen)
}

// checkCoverage makes sure that the commands drawn meet every outcome several times.
func checkCoverage(t *testing.T, seen map[string]int) {
	total := 0
	for _, n := range seen {
		total += n
	}
	for _, outcome := range []string{
		"admitted", "replayed", "idempotency_key_reused", "conflict", "insufficient_stock",
		"validation_error", "order_not_cancellable", "invalid_transition", "not_found", "transfer", "receive",
		"edit", "return", "order_not_editable",
	} {
		if total >= 1000 && seen[outcome] < total/1000 {
			t.Errorf("only %d of %d commands were %s: %v", seen[outcome], total, outcome, seen)
		}
	}
}

var (
	modelPartners  = []string{"par_a", "par_b"}
	modelLocations = []string{"A", "B", "C"}
	modelStart     = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
)

// drawWorld draws catalogues with stock. The last product is unknown.
func drawWorld(t *rapid.T) *model {
	m := &model{
		names: map[movement.ProductKey]string{}, active: map[movement.ProductKey]bool{}, levels: map[place]int64{},
		lows:   map[movement.ProductKey]int64{},
		orders: map[OrderKey]*snapshot{}, answers: map[string]kept{}, last: map[string]int64{},
	}
	for _, partner := range modelPartners {
		m.last[partner] = rapid.Int64Range(0, 9).Draw(t, "last movement")
		for product := range int64(3) {
			key := movement.ProductKey{PartnerID: partner, ProductID: product + 1}
			m.names[key] = fmt.Sprintf("%s's product %d", partner, product+1)
			m.active[key] = !rarely(t, "inactive")
			for _, location := range modelLocations[:rapid.IntRange(1, 3).Draw(t, "locations")] {
				m.levels[place{key, location}] = rapid.Int64Range(0, 9).Draw(t, "level")
			}
		}
	}
	return m
}

// rarely is true about once in ten times; shrinking makes it false.
func rarely(t *rapid.T, label string) bool { return rapid.IntRange(0, 9).Draw(t, label) == 9 }

// memory is a store that holds what the world holds.
func (m *model) memory() *memory {
	stored := &memory{
		receipts: map[idempotency.Key]*idempotency.Receipt{}, orders: map[OrderKey]*delivery.Order{},
		stock: map[movement.ProductKey]*movement.Product{}, last: maps.Clone(m.last),
		board: map[OrderKey]*board.Row{}, delivered: map[OrderKey]Delivery{},
		returns: map[OrderKey]delivery.Returned{}, documents: map[OrderKey]string{}, originals: map[OrderKey]string{},
	}
	for key, name := range m.names {
		stock := &movement.Product{
			Product: delivery.Product{
				ProductID: key.ProductID, SKU: skuOf(key.ProductID), Barcode: barcodeOf(key.ProductID), Name: name,
				Status: delivery.ProductInactive,
			},
		}
		if m.active[key] {
			stock.Status = delivery.ProductActive
		}
		for at, quantity := range m.levels {
			if at.ProductKey == key {
				stock.Levels = append(stock.Levels,
					delivery.Level{ProductID: key.ProductID, Location: at.location, Quantity: quantity})
				stock.Quantity += quantity
			}
		}
		stored.stock[key] = stock
	}
	return stored
}

// drawWish draws a command that the world, as it is by now, may well admit.
func (m *model) drawWish(t *rapid.T, i int) wish {
	w := wish{
		event: fmt.Sprintf("evt_%d", i),
		kind:  rapid.SampledFrom(m.kinds()).Draw(t, "kind"),
		// Clocks go wrong: not every command is later than the one before.
		at:     modelStart.Add(time.Duration(rapid.IntRange(0, 99).Draw(t, "at")) * time.Millisecond),
		key:    rapid.ByteRange(1, 12).Draw(t, "key"),
		body:   rapid.SampledFrom([]byte{1, 1, 2}).Draw(t, "body"),
		reason: rapid.SampledFrom([]string{"", "too late"}).Draw(t, "reason"),
		notes:  rapid.SampledFrom([]string{"", "a note"}).Draw(t, "notes"),
	}
	if w.kind == "create" {
		return drawCreation(t, w, i)
	}
	targets := slices.SortedFunc(maps.Keys(m.orders),
		func(a, b OrderKey) int { return strings.Compare(a.OrderID, b.OrderID) })
	targets = m.likely(w.kind, targets)
	if len(targets) == 0 || rarely(t, "unknown order") {
		targets = []OrderKey{{"par_a", "ord_unknown"}}
	}
	target := rapid.SampledFrom(targets).Draw(t, "target")
	w.partner, w.order = target.PartnerID, target.OrderID
	found := m.orders[target]
	if found == nil {
		w.to = delivery.StatusAccepted
		return w
	}
	for _, taken := range found.Takes {
		w.products = append(w.products, movement.ProductKey{PartnerID: w.partner, ProductID: taken.ProductID})
	}
	if found.Origin != "" {
		w.products, w.origin = keysOf(w.partner, found.Items), found.Origin
	}
	switch w.kind {
	case "return":
		return drawReturn(t, w, found, i)
	case "edit":
		drawEdit(t, &w, found)
	case "advance":
		drawStep(t, &w, found, m.usual())
	case "answer":
		w.granted = rapid.Bool().Draw(t, "granted")
	case "transfer":
		drawTransfer(t, &w, found)
	case "receive":
		drawReceipt(t, &w, found)
	}
	return w
}

// likely returns the targets that a kind of command is mostly about, or all if there are none such.
func (m *model) likely(kind string, targets []OrderKey) []OrderKey {
	fits := func(key OrderKey) bool {
		o := m.orders[key]
		switch {
		case kind == "receive":
			return o.Return == "due"
		case m.comeBack && (kind == "advance" || kind == "cancel"):
			return o.Origin != ""
		default:
			return true
		}
	}
	if some := slices.DeleteFunc(slices.Clone(targets), func(key OrderKey) bool { return !fits(key) }); len(some) > 0 {
		return some
	}
	return targets
}

// kinds returns the kinds of commands, the likely ones several times.
func (m *model) kinds() []string {
	if m.onTheWay {
		return strings.Fields("advance advance advance advance transfer transfer receive receive request answer")
	}
	if m.comeBack {
		return strings.Fields(
			"return return advance advance advance advance advance advance advance receive receive cancel edit",
		)
	}
	return strings.Fields(
		"create create create create cancel cancel advance advance advance advance request answer edit edit",
	)
}

// drawReturn draws a return of some of what an order has delivered, or more.
func drawReturn(t *rapid.T, w wish, found *snapshot, i int) wish {
	w.origin, w.order = found.ID, fmt.Sprintf("ord_%s_%02d", w.partner, i)
	w.reference = rapid.StringMatching("b[0-9]").Draw(t, "reference")
	w.eta, w.end = w.at.Add(time.Hour), rapid.SampledFrom(delivery.ReturnEnds).Draw(t, "end")
	for _, item := range found.Items {
		if rarely(t, "left out") {
			continue
		}
		w.items = append(w.items, delivery.Item{
			ProductID: item.ProductID, Quantity: rapid.Int64Range(1, item.Quantity).Draw(t, "quantity"),
		})
	}
	if rarely(t, "another product") {
		w.items = append(w.items, delivery.Item{ProductID: 4, Quantity: 1})
	}
	return w
}

// drawEdit draws other items or another reference for an order.
func drawEdit(t *rapid.T, w *wish, found *snapshot) {
	w.seen, w.reference = found.Version, found.Reference
	if rapid.Bool().Draw(t, "insists on a version") {
		drawVersion(t, w, found)
		w.wanted = w.version
	}
	w.label = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "label")
	for _, item := range found.Items {
		w.items = append(w.items, delivery.Item{ProductID: item.ProductID, Quantity: item.Quantity})
	}
	if rapid.Bool().Draw(t, "other items") {
		w.items = drawItems(t)
	}
	w.named = drawNamed(t)
	w.products = append(w.products, keysOf(w.partner, w.items)...)
	w.products = append(w.products, keysOf(w.partner, found.Items)...)
}

// drawMoved draws commands that create two orders and move them along.
func drawMoved(t *rapid.T, along ...delivery.Status) (wishes []wish) {
	for range 2 {
		created := drawCreation(t, wish{kind: "create", at: modelStart, key: byte(100 + len(wishes)), body: 1}, len(wishes))
		created.reference = "moved " + created.order
		for i := range created.items { // few, so that most are in stock
			created.items[i].ProductID, created.items[i].Quantity = int64(1+i), 1+created.items[i].Quantity%2
		}
		wishes = append(wishes, created)
		for i, to := range along {
			wishes = append(wishes, wish{
				kind: "advance", partner: created.partner, order: created.order, event: fmt.Sprintf("evt_%s_%d", created.order, i),
				at: modelStart, version: int64(1 + i), to: to, courier: "cou_1",
			})
		}
	}
	return wishes
}

func drawTransfer(t *rapid.T, w *wish, found *snapshot) {
	drawVersion(t, w, found)
	w.courier = rapid.SampledFrom([]string{"cou_1", "cou_2", ""}).Draw(t, "courier")
	if w.courier == "" {
		w.location = rapid.SampledFrom(modelLocations).Draw(t, "hub")
	}
	drawOccurred(t, w)
}

// givenUp leads orders that were picked up to the return of their goods.
var givenUp = map[delivery.Status]delivery.Status{
	"picked_up": "failed", "in_transit": "failed", "out_for_delivery": "failed", "failed": "cancelled",
}

// drawReceipt draws lines that add up, but for rare ones.
func drawReceipt(t *rapid.T, w *wish, found *snapshot) {
	if !rarely(t, "no location") {
		w.location = rapid.SampledFrom(modelLocations).Draw(t, "location")
	}
	for _, item := range found.Items {
		for rest := item.Quantity; rest > 0; {
			line := delivery.ReturnLine{
				ProductID: item.ProductID, Quantity: rapid.Int64Range(1, rest).Draw(t, "quantity"),
				Disposition: rapid.SampledFrom(delivery.Dispositions).Draw(t, "disposition"),
			}
			w.lines = append(w.lines, line)
			rest -= line.Quantity
		}
	}
	switch {
	case rarely(t, "another product"):
		w.lines = append(w.lines, delivery.ReturnLine{ProductID: 9, Quantity: 1, Disposition: delivery.Sellable})
	case rarely(t, "too few") && len(w.lines) > 0:
		w.lines = w.lines[1:]
	}
}

// drawVersion draws the version that the caller of a move saw.
func drawVersion(t *rapid.T, w *wish, found *snapshot) {
	w.version = found.Version
	if rarely(t, "stale") {
		w.version += rapid.SampledFrom([]int64{-1, 1}).Draw(t, "versions off")
	}
}

func drawOccurred(t *rapid.T, w *wish) {
	if rapid.Bool().Draw(t, "without a connection") {
		w.occurred = modelStart.Add(time.Duration(rapid.IntRange(0, 150).Draw(t, "occurred")) * time.Millisecond)
	}
}

func drawCreation(t *rapid.T, w wish, i int) wish {
	w.partner = rapid.SampledFrom(modelPartners).Draw(t, "partner")
	w.order = fmt.Sprintf("ord_%s_%02d", w.partner, i)
	w.reference = rapid.StringMatching("r[0-9]").Draw(t, "reference")
	w.eta = w.at.Add(time.Hour)
	w.items, w.named = drawItems(t), drawNamed(t)
	return w
}

// drawNamed draws by what the items of a request name their products.
func drawNamed(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "sku", "barcode"}).Draw(t, "named by")
}

// field is the member of an item that names its product.
func (w wish) field() string { return cmp.Or(w.named, "product_id") }

// asked returns the items as the request has them.
func (w wish) asked() []delivery.Item {
	items := slices.Clone(w.items)
	for i, item := range items {
		switch w.named {
		case "sku":
			items[i] = delivery.Item{SKU: skuOf(item.ProductID), Quantity: item.Quantity}
		case "barcode":
			items[i] = delivery.Item{Barcode: barcodeOf(item.ProductID), Quantity: item.Quantity}
		}
	}
	return items
}

func skuOf(product int64) string     { return fmt.Sprintf("SKU-%d", product) }
func barcodeOf(product int64) string { return fmt.Sprintf("B-%d", product) }

func drawItems(t *rapid.T) (items []delivery.Item) {
	for range rapid.IntRange(0, 3).Draw(t, "lines") {
		items = append(items, delivery.Item{
			ProductID: rapid.SampledFrom([]int64{1, 1, 1, 2, 2, 2, 3, 3, 3, 4}).Draw(t, "product"),
			Quantity:  rapid.Int64Range(1, 5).Draw(t, "quantity"),
		})
	}
	return items
}

// ahead leads orders to their delivery.
var ahead = map[delivery.Status]delivery.Status{
	"pending": "accepted", "accepted": "courier_assigned", "courier_assigned": "picked_up",
	"picked_up": "out_for_delivery", "out_for_delivery": "delivered", "failed": "out_for_delivery",
}

// usual returns the moves that most orders of the world make.
func (m *model) usual() map[delivery.Status]delivery.Status {
	switch {
	case m.onTheWay:
		return givenUp
	case m.comeBack:
		return ahead
	default:
		return nil
	}
}

func drawStep(t *rapid.T, w *wish, found *snapshot, usual map[delivery.Status]delivery.Status) {
	drawVersion(t, w, found)
	targets := strings.Fields(allowed[found.Status])
	if len(targets) == 0 || rarely(t, "anywhere") {
		targets = nil
		for _, status := range delivery.Statuses {
			targets = append(targets, string(status))
		}
	}
	w.to = delivery.Status(rapid.SampledFrom(targets).Draw(t, "to"))
	if next := usual[found.Status]; next != "" && !rarely(t, "otherwise") {
		w.to = next
	}
	if w.to == delivery.StatusCourierAssigned {
		w.courier = rapid.SampledFrom([]string{"cou_1", "cou_2"}).Draw(t, "courier")
	}
	if rapid.Bool().Draw(t, "new estimate") {
		w.eta = w.at.Add(2 * time.Hour)
	}
	drawOccurred(t, w)
}

func steps(from, to int) (cuts []int) {
	for i := from; i <= to; i++ {
		cuts = append(cuts, i)
	}
	return cuts
}

func drawCuts(t *rapid.T, from, to int) []int {
	cuts := rapid.SliceOfN(rapid.IntRange(from, to), 0, 4).Draw(t, "cuts")
	cuts = append(cuts, from, to)
	slices.Sort(cuts)
	return cuts
}

func commandsOf(wishes []wish) []command {
	commands := make([]command, len(wishes))
	for i, w := range wishes {
		commands[i] = w.command()
	}
	return commands
}

func encodeSnapshot(o *delivery.Order) []byte { return []byte(snapshotOf(o).String()) }

func (w wish) command() command {
	request := idempotency.Request{
		Key: idempotency.Key{PartnerID: w.partner, Scope: w.scope(), UUID: [16]byte{w.key}}, BodyHash: [32]byte{w.body},
	}
	switch w.kind {
	case "create", "return":
		return &createCommand{order: w.newOrder(), request: request, encode: encodeSnapshot}
	case "edit":
		return &editCommand{
			target: w.target(), seen: w.seen, wanted: w.wanted, by: delivery.EditorPartner, at: w.at, products: w.products,
			content: delivery.OrderRequest{
				PartnerOrderID: w.reference, Items: w.asked(), Shipment: delivery.Shipment{}, Reference: w.label,
			},
			eventID: w.event, request: &request, encode: func(o *delivery.Order, _ int64) []byte { return encodeSnapshot(o) },
		}
	case "cancel":
		return &cancelCommand{
			target: w.target(), products: w.products, origin: w.origins(), reason: w.reason, at: w.at, eventID: w.event,
			request: request, encode: encodeSnapshot,
		}
	case "request":
		return &requestCommand{target: w.target(), reason: w.reason, at: w.at, request: request, encode: encodeSnapshot}
	case "answer":
		return &answerCommand{
			target: w.target(), products: w.products, origin: w.origins(), granted: w.granted, text: w.notes, at: w.at,
			eventID: w.event, encode: encodeSnapshot,
		}
	case "transfer":
		cmd := &transferCommand{target: w.target(), version: w.version, encode: encodeSnapshot, handover: handover{
			location: w.location, at: w.at, occurredAt: w.occurred, eventID: w.event,
		}}
		if w.courier != "" {
			cmd.handover.courier = &delivery.Courier{CourierID: w.courier}
		}
		return cmd
	case "receive":
		return &receiveCommand{
			target: w.target(), products: w.products, location: w.location, lines: w.lines, at: w.at, eventID: w.event,
			encode: encodeSnapshot,
		}
	}
	cmd := &advanceCommand{target: w.target(), version: w.version, encode: encodeSnapshot, step: step{
		to: w.to, by: delivery.ActorService, at: w.at, notes: w.notes, eventID: w.event, eta: w.eta, reason: w.reason,
		occurredAt: w.occurred,
	}}
	if w.courier != "" {
		cmd.step.courier = &delivery.Courier{CourierID: w.courier}
	}
	if w.to == delivery.StatusCancelled {
		cmd.products, cmd.origin = w.products, w.origins()
	}
	return cmd
}

// origins returns the order that the target of the wish brings back, if it is a return.
func (w wish) origins() []OrderKey {
	if w.origin == "" {
		return nil
	}
	return []OrderKey{{w.partner, w.origin}}
}

func (w wish) newOrder() *delivery.Order {
	order := &delivery.Order{
		OrderID: w.order, PartnerID: w.partner,
		OrderRequest: delivery.OrderRequest{PartnerOrderID: w.reference, Items: w.asked()},
		CreatedAt:    w.at, UpdatedAt: w.at, EstimatedDelivery: w.eta, Status: delivery.StatusPending, Version: 1,
		MovedIn: 1,
		History: []delivery.HistoryEntry{{Status: delivery.StatusPending, At: w.at, RecordedAt: w.at}},
	}
	if w.kind == "return" {
		order.Course.Origin = &delivery.Origin{OrderID: w.origin, To: w.end}
		if w.end == delivery.ReturnToWarehouse {
			order.Course.Origin.Location = returnDepot
		}
	}
	return order
}

// words describes an outcome as the model does.
func words(t *rapid.T, o outcome) string {
	switch {
	case o.err == nil && o.replayed:
		return "replayed " + string(o.answer)
	case o.err == nil:
		return "admitted " + string(o.answer)
	}
	var refused *refusal.Error
	if !errors.As(o.err, &refused) {
		t.Fatalf("got %v, want a refusal", o.err)
	}
	encoded, err := json.Marshal(refused.Details)
	if err != nil {
		t.Fatal(err)
	}
	var details struct {
		Status string
		Items  []delivery.Shortage
		Errors form.Problems
	}
	if err := json.Unmarshal(encoded, &details); err != nil {
		t.Fatal(err)
	}
	text := string(refused.Code)
	if details.Status != "" {
		text += " " + details.Status
	}
	for _, s := range details.Items {
		text += fmt.Sprintf(" %d:%d<%d", s.ProductID, s.Available, s.Requested)
	}
	for _, problem := range details.Errors {
		text += " " + problem.Field
	}
	return text
}

func checkOutcomes(t *rapid.T, outcomes []outcome, want []string) {
	for i, o := range outcomes {
		if got := words(t, o); got != want[i] {
			t.Fatalf("command %d of %d:\n got %s\nwant %s", i, len(want), got, want[i])
		}
	}
}

// checkSame compares all that is stored with the model.
func checkSame(t *rapid.T, want *model, got *memory) {
	orders := map[OrderKey]string{}
	for key, o := range got.orders {
		orders[key] = snapshotOf(o).String()
	}
	for key, o := range want.orders {
		if orders[key] != o.String() {
			t.Fatalf("order %v:\n got %s\nwant %s", key, orders[key], o)
		}
	}
	levels := map[place]int64{}
	for key, stock := range got.stock {
		for _, level := range stock.Levels {
			levels[place{key, level.Location}] = level.Quantity
		}
	}
	if len(orders) != len(want.orders) || !maps.Equal(levels, want.levels) || !maps.Equal(got.last, want.last) {
		t.Fatalf("got %d orders, levels %v, counters %v\nwant %d, %v, %v", len(orders), levels, got.last, len(want.orders),
			want.levels, want.last)
	}
	var ledger, events []string
	for _, m := range got.movements {
		taken := delivery.Take{ProductID: m.ProductID, Location: m.Location, Quantity: m.Quantity}
		ledger = append(ledger, fmt.Sprint(m.PartnerID, m.MovementID, string(m.Type), taken, m.OrderID, m.At.UnixMilli()))
	}
	for _, e := range got.events {
		events = append(events, eventText(e))
	}
	slices.Sort(ledger) // movements of different partners have no order
	slices.Sort(want.ledger)
	if !slices.Equal(ledger, want.ledger) || !slices.Equal(events, want.events) {
		t.Fatalf("got ledger %v and events %v\nwant %v\nand %v", ledger, events, want.ledger, want.events)
	}
}

func eventText(e *delivery.Event) string {
	if stock := e.Facts.Stock; e.Type == delivery.EventStockLow {
		key := movement.ProductKey{PartnerID: e.PartnerID, ProductID: stock.ProductID}
		return fmt.Sprint(key, e.Sequence, "is low")
	}
	if e.Type == delivery.EventCancellationDeclined {
		return fmt.Sprint(e.PartnerID, e.OrderID, e.Sequence, e.CreatedAt.UnixMilli(), e.Facts.Answer)
	}
	text := fmt.Sprint(e.PartnerID, e.OrderID, e.Sequence, e.Facts.Status, e.CreatedAt.UnixMilli(),
		e.Facts.ETA.UnixMilli(), courierID(e.Facts.Courier), e.Facts.Reason)
	if e.Facts.CancelledBy != "" {
		text += " " + string(e.Facts.CancelledBy)
	}
	return text
}

// checkMovements holds the levels against the movements since the beginning.
func checkMovements(t *rapid.T, initial, m *memory) {
	sums := map[place]int64{}
	for key, stock := range initial.stock {
		for _, level := range stock.Levels {
			sums[place{key, level.Location}] = level.Quantity
		}
	}
	for _, bookedMovement := range m.movements {
		sums[place{movement.ProductKey{
			PartnerID: bookedMovement.PartnerID, ProductID: bookedMovement.ProductID,
		}, bookedMovement.Location}] += bookedMovement.Change()
	}
	for key, stock := range m.stock {
		total := int64(0)
		for _, level := range stock.Levels {
			total += level.Quantity
			if sum := sums[place{key, level.Location}]; level.Quantity < 0 || level.Quantity != sum {
				t.Fatalf("%v holds %d at %s, its movements say %d", key, level.Quantity, level.Location, sum)
			}
		}
		if stock.Quantity != total {
			t.Fatalf("%v has quantity %d, its levels %d", key, stock.Quantity, total)
		}
	}
}

// checkOrders follows every order's history through the table, and counts its
// events.
func checkOrders(t *rapid.T, m *memory) {
	sequence, events := map[OrderKey]int64{}, map[OrderKey][]delivery.EventType{}
	for _, event := range m.events {
		key := OrderKey{event.PartnerID, event.OrderID}
		if sequence[key]++; event.Sequence != sequence[key] {
			t.Fatalf("event %d of %v has number %d", sequence[key], key, event.Sequence)
		}
		events[key] = append(events[key], event.Type)
	}
	for key, o := range m.orders {
		versions := len(o.History) + len(o.Course.Transfers) + len(o.Course.Edits)
		for _, back := range m.orders {
			if from := back.Course.Origin; from != nil && back.PartnerID == o.PartnerID && from.OrderID == o.OrderID {
				versions++
				if back.Status == delivery.StatusCancelled && !back.WasPickedUp() {
					versions++
				}
			}
		}
		if back := o.Course.Return; back != nil && back.State == delivery.ReturnReceived {
			versions++
		}
		if request := o.Course.Request; request != nil {
			versions++
			if request.State == delivery.RequestDeclined {
				versions++
			}
		}
		if o.History[0].Status != delivery.StatusPending || o.LastMove().Status != o.Status ||
			int(o.Version) != versions || o.Events != sequence[key] {
			t.Fatalf("%v: %+v with %d events", key, o, sequence[key])
		}
		if want := eventsOf(o); !slices.Equal(slices.Sorted(slices.Values(events[key])), slices.Sorted(slices.Values(want))) {
			t.Fatalf("%v: got events %v, want %v", key, events[key], want)
		}
		for i, entry := range o.History[1:] {
			from := o.History[i]
			granted := entry.Status == delivery.StatusCancelled && o.Course.Request != nil &&
				o.Course.Request.State == delivery.RequestGranted
			known := granted || slices.ContainsFunc(delivery.Transitions, func(tr delivery.Transition) bool {
				return tr.From == from.Status && tr.To == entry.Status
			})
			if !known || entry.At.Before(from.At) {
				t.Fatalf("%v went from %v to %v", key, from, entry)
			}
		}
		checkReturn(t, o, m.returns[key])
		checkCustody(t, o)
	}
}

// eventsOf returns the events that an order must have had, in no order.
func eventsOf(o *delivery.Order) (kinds []delivery.EventType) {
	for _, entry := range o.History[1:] {
		kind, _ := delivery.EventFor(entry.Status)
		kinds = append(kinds, kind)
	}
	for range o.Course.Transfers {
		kinds = append(kinds, delivery.EventCourierChanged)
	}
	for range o.Course.Edits {
		kinds = append(kinds, delivery.EventOrderUpdated)
	}
	if request := o.Course.Request; request != nil && request.State == delivery.RequestDeclined {
		kinds = append(kinds, delivery.EventCancellationDeclined)
	}
	if back := o.Course.Return; back != nil {
		kinds = append(kinds, delivery.EventReturnDue)
		if back.State == delivery.ReturnReceived {
			kinds = append(kinds, delivery.EventReturnReceived)
		}
	}
	return kinds
}

// checkBoard compares the board and the deliveries with the model: an order is
// shown until it has ended, and a delivery counts for the courier who made it.
func checkBoard(t *rapid.T, want *model, got *memory) {
	shown, delivered := 0, 0
	for key, o := range want.orders {
		row, ended := got.board[key], allowed[o.Status] == ""
		if (row == nil) != ended {
			t.Fatalf("%v is %s: got row %+v, want a row only while it is under way", key, o.Status, row)
		}
		if row != nil {
			shown++
			if got, want := rowText(row), o.row(); got != want {
				t.Fatalf("the board's row of %v:\n got %s\nwant %s", key, got, want)
			}
		}
		done, known := got.delivered[key]
		if want := o.Status == delivery.StatusDelivered && o.Courier != ""; known != want {
			t.Fatalf("%v is %s by courier %q: got delivery %+v, want one: %t", key, o.Status, o.Courier, done, want)
		}
		if known {
			delivered++
			if want := (Delivery{key, o.Courier, time.UnixMilli(o.lastAct()).UTC()}); done != want {
				t.Fatalf("got delivery %+v, want %+v", done, want)
			}
		}
	}
	if len(got.board) != shown || len(got.delivered) != delivered {
		t.Fatalf("got %d rows and %d deliveries, want %d and %d: some are of no order", len(got.board), len(got.delivered),
			shown, delivered)
	}
}

// row returns what the board shows of the order.
func (s snapshot) row() string {
	failures := 0
	for _, entry := range s.History {
		if strings.HasPrefix(entry, "failed@") {
			failures++
		}
	}
	flags := 0
	if s.Request == "requested" {
		flags = 1
	}
	return fmt.Sprint(s.Partner, s.ID, s.Reference, s.Status, s.Version, s.Updated, s.ETA, s.Courier, failures, flags)
}

func rowText(row *board.Row) string {
	return fmt.Sprint(row.PartnerID, row.OrderID, row.PartnerOrderID, row.Status, row.Version,
		row.UpdatedAt.UnixMilli(), row.EstimatedDelivery.UnixMilli(), row.CourierID, int(row.Failures),
		int(row.Flags))
}
