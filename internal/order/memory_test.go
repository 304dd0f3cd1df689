package order

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
	"pgregory.net/rapid"
)

// memory is a store on maps. It gives a group what Needs asks for and nothing
// else, and refuses what a database would refuse.
type memory struct {
	receipts  map[idempotency.Key]*idempotency.Receipt
	orders    map[OrderKey]*delivery.Order
	stock     map[movement.ProductKey]*movement.Product
	last      map[string]int64
	movements []bookedMovement
	events    []*delivery.Event
	board     map[OrderKey]*board.Row
	delivered map[OrderKey]Delivery
	returns   map[OrderKey]delivery.Returned
	queues    queues
	documents map[OrderKey]string // the records that are stored
	originals map[OrderKey]string // those that answered the creations of edited orders
}

// bookedMovement is a line of a partner's journal of stock.
type bookedMovement struct {
	PartnerID string
	delivery.Movement
}

func (m *memory) clone() *memory {
	twin := &memory{
		receipts: maps.Clone(m.receipts), orders: maps.Clone(m.orders), stock: map[movement.ProductKey]*movement.Product{},
		last: maps.Clone(m.last), movements: slices.Clone(m.movements), events: slices.Clone(m.events),
		board: maps.Clone(m.board), delivered: maps.Clone(m.delivered),
		returns: maps.Clone(m.returns), queues: m.queues.clone(),
		documents: maps.Clone(m.documents), originals: maps.Clone(m.originals),
	}
	for key, stock := range m.stock {
		twin.stock[key] = cloned(stock)
	}
	return twin
}

func cloned(p *movement.Product) *movement.Product {
	return &movement.Product{Product: p.Product, Levels: slices.Clone(p.Levels)}
}

func (m *memory) load(needs *Needs) *State {
	s := &State{
		Receipts: map[idempotency.Key]*idempotency.Receipt{}, Taken: map[Reference]Existing{},
		Orders: map[OrderKey]*delivery.Order{}, Stocks: map[string]*movement.Stock{},
		Documents: map[OrderKey][]byte{},
	}
	for _, key := range needs.Documents {
		if document, known := m.documents[key]; known {
			s.Documents[key] = []byte(document)
		}
	}
	for _, key := range needs.Receipts {
		if receipt := m.receipts[key]; receipt != nil {
			s.Receipts[key] = receipt
		}
	}
	for _, o := range m.orders {
		if reference := (Reference{o.PartnerID, o.PartnerOrderID}); slices.Contains(needs.References, reference) {
			s.Taken[reference] = Existing{o.OrderID, o.Status}
		}
	}
	for _, key := range needs.Orders {
		if o := m.orders[key]; o != nil {
			s.Orders[key] = o
		}
	}
	products := slices.Clone(needs.Products)
	coded := func(codes []movement.ProductCode, of func(*movement.Product) string) map[movement.ProductCode][]int64 {
		ids := map[movement.ProductCode][]int64{}
		for key, stock := range m.stock {
			code := movement.ProductCode{PartnerID: key.PartnerID, Code: of(stock)}
			if slices.Contains(codes, code) {
				ids[code], products = append(ids[code], key.ProductID), append(products, key)
			}
		}
		return ids
	}
	s.SKUs = coded(needs.SKUs, func(p *movement.Product) string { return p.SKU })
	s.Barcodes = coded(needs.Barcodes, func(p *movement.Product) string { return p.Barcode })
	for _, key := range products {
		partner := s.Stocks[key.PartnerID]
		if partner == nil {
			partner = &movement.Stock{
				PartnerID: key.PartnerID, LastMovement: m.last[key.PartnerID], Products: map[int64]*movement.Product{},
			}
			s.Stocks[key.PartnerID] = partner
		}
		if stock := m.stock[key]; stock != nil {
			partner.Products[key.ProductID] = cloned(stock)
		}
	}
	return s
}

// save applies changes in the way a database would: row by row, and with every
// key and version checked.
func (m *memory) save(t *rapid.T, c *Changes) {
	documents := map[OrderKey]string{}
	for _, created := range c.Created {
		key := OrderKey{created.Order.PartnerID, created.Order.OrderID}
		for _, o := range m.orders {
			if o.OrderID == key.OrderID || o.PartnerID == key.PartnerID && o.PartnerOrderID == created.Order.PartnerOrderID {
				t.Fatalf("%v is created a second time", key)
			}
		}
		m.orders[key], documents[key] = created.Order, string(created.Document)
		m.documents[key] = documents[key]
	}
	m.saveChanged(t, c)
	for _, receipt := range c.Receipts {
		if m.receipts[receipt.Key] != nil {
			t.Fatalf("%v is kept a second time", receipt.Key)
		}
		if document := documents[OrderKey{receipt.PartnerID, receipt.OrderID}]; receipt.OfCreation &&
			document != string(receipt.Answer) {
			t.Fatalf("the answer %s is not the document %s", receipt.Answer, document)
		}
		m.receipts[receipt.Key] = receipt
	}
	m.events = append(m.events, c.Events...)
	m.saveStock(t, c)
	m.saveBoard(t, c)
	m.queues.save(t, c)
}

// saveBoard accepts one change of an order's row per group: rows that are
// written in one statement must differ.
func (m *memory) saveBoard(t *rapid.T, c *Changes) {
	written := map[OrderKey]bool{}
	once := func(key OrderKey) {
		if written[key] {
			t.Fatalf("the board's row of %v is changed twice", key)
		}
		written[key] = true
	}
	for _, row := range c.Shown {
		key := OrderKey{row.PartnerID, row.OrderID}
		once(key)
		m.board[key] = row
	}
	for _, key := range c.Ended {
		once(key)
		delete(m.board, key)
	}
	for _, back := range c.Returns {
		m.returns[OrderKey{back.PartnerID, back.OrderID}] = *back
	}
	for _, done := range c.Deliveries {
		if _, known := m.delivered[done.OrderKey]; known {
			t.Fatalf("%v is delivered twice", done.OrderKey)
		}
		m.delivered[done.OrderKey] = done
	}
}

// saveChanged takes the history from its own rows, as the database does.
func (m *memory) saveChanged(t *rapid.T, c *Changes) {
	histories := map[OrderKey][]delivery.HistoryEntry{}
	movedIn := map[OrderKey]int64{}
	for key, o := range m.orders {
		histories[key], movedIn[key] = slices.Clone(o.History), max(1, o.History[len(o.History)-1].Version)
	}
	for _, row := range c.History {
		histories[row.OrderKey] = append(histories[row.OrderKey], row.Entry)
		if row.Version <= movedIn[row.OrderKey] {
			t.Fatalf("%v: an entry of the history has version %d, the one before it %d", row.OrderKey, row.Version,
				movedIn[row.OrderKey])
		}
		movedIn[row.OrderKey] = row.Version
	}
	for key, change := range c.Changed {
		if stored := m.orders[key]; stored == nil || stored.Version != change.FromVersion {
			t.Fatalf("%v is changed from version %d; stored is %+v", key, change.FromVersion, stored)
		}
		changed := *change.Order
		for _, transfer := range changed.Course.Transfers {
			movedIn[key] = max(movedIn[key], transfer.Version)
		}
		if changed.MovedIn != movedIn[key] {
			t.Fatalf("%v was moved in version %d, its history says %d", key, changed.MovedIn, movedIn[key])
		}
		changed.History = histories[key]
		m.saveDocument(t, key, change)
		m.orders[key] = &changed
	}
}

// saveDocument replaces the record of an order that was edited. The first time it keeps what answered the
// creation, byte for byte.
func (m *memory) saveDocument(t *rapid.T, key OrderKey, change *Change) {
	edited := len(m.orders[key].Course.Edits) < len(change.Order.Course.Edits)
	if edited != (change.Document != nil) {
		t.Fatalf("%v: got the document %q of an order that is edited: %t", key, change.Document, edited)
	}
	if !edited {
		return
	}
	before, kept := m.originals[key]
	switch {
	case !kept && string(change.Original) != m.documents[key]:
		t.Fatalf("%v: got the original %q, want %q", key, change.Original, m.documents[key])
	case kept && change.Original != nil:
		t.Fatalf("%v: got the original %q, want none beside %q", key, change.Original, before)
	case !kept:
		m.originals[key] = string(change.Original)
	}
	if grown := int64(len(change.Document) - len(m.documents[key])); change.Grown != grown {
		t.Fatalf("%v: got a document that is %d bytes longer, want %d", key, change.Grown, grown)
	}
	m.documents[key] = string(change.Document)
}

func (m *memory) saveStock(t *rapid.T, c *Changes) {
	for partnerID, changed := range c.Stocks {
		for _, booked := range changed.Booked {
			m.last[partnerID]++
			if booked.MovementID != m.last[partnerID] {
				t.Fatalf("got movement %d of %s, want %d", booked.MovementID, partnerID, m.last[partnerID])
			}
			m.movements = append(m.movements, bookedMovement{partnerID, booked})
		}
		if changed.LastMovement != m.last[partnerID] {
			t.Fatalf("got the counter %d of %s, want %d", changed.LastMovement, partnerID, m.last[partnerID])
		}
		for _, product := range changed.Changed() {
			m.stock[movement.ProductKey{PartnerID: partnerID, ProductID: product.ProductID}] = product
		}
	}
}

// commit settles commands as one group.
func (m *memory) commit(t *rapid.T, commands []command) []outcome {
	needs := needsOf(commands)
	outcomes, changes := decideGroup(zones{}, m.load(needs), commands)
	changes.complete()
	if err := changes.enqueue(context.Background(), m.queues); err != nil {
		t.Fatal(err)
	}
	if !changes.empty() {
		m.save(t, changes)
	} else if len(changes.Events)+len(changes.History)+len(changes.Stocks)+
		len(changes.Shown)+len(changes.Ended)+len(changes.Deliveries)+len(changes.Returns)+len(changes.Queue)+
		len(changes.Wakes) > 0 {
		t.Fatalf("changes that count as empty: %+v", changes)
	}
	return outcomes
}

func snapshotOf(o *delivery.Order) snapshot {
	s := snapshot{
		Partner: o.PartnerID, ID: o.OrderID, Reference: o.PartnerOrderID, Status: o.Status, Version: o.Version,
		Events: o.Events, Updated: o.UpdatedAt.UnixMilli(), ETA: o.EstimatedDelivery.UnixMilli(),
		Courier: courierID(o.Courier), Items: o.Items, Takes: o.Allocation, Moved: o.MovedIn,
	}
	for _, transfer := range o.Course.Transfers {
		s.HandedAt = transfer.At.UnixMilli()
		s.Transfers = append(s.Transfers, fmt.Sprintf("%s %s@%d", transfer.To.Kind, transfer.To.ID, s.HandedAt))
	}
	if back := o.Course.Return; back != nil {
		s.Return = string(back.State)
		if back.State == delivery.ReturnReceived {
			s.Return = fmt.Sprint("received ", back.Location, back.Lines, back.ReceivedAt.UnixMilli())
		}
	}
	s.Label = o.Reference
	for _, edit := range o.Course.Edits {
		s.Edits = append(s.Edits, fmt.Sprintf("%d@%d %s", edit.Version, edit.At.UnixMilli(), strings.Join(edit.Fields, ",")))
	}
	if origin := o.Course.Origin; origin != nil {
		s.Origin, s.End = origin.OrderID, string(origin.To)
	}
	for _, back := range o.Course.Returns {
		items := make([]delivery.Item, len(back.Items))
		for i, item := range back.Items {
			items[i] = delivery.Item{ProductID: item.ProductID, Quantity: item.Quantity}
		}
		s.Returns = append(s.Returns, backText(back.OrderID, items))
	}
	for _, entry := range o.History {
		s.History = append(s.History,
			fmt.Sprintf("%s@%d/%d:%s", entry.Status, entry.At.UnixMilli(), entry.RecordedAt.UnixMilli(), entry.Notes))
	}
	if r := o.Course.Request; r != nil {
		s.Request, s.Asked, s.Answer = string(r.State), fmt.Sprintf("%s@%d", r.Reason, r.At.UnixMilli()), r.Answer
	}
	if o.Cancellation != nil {
		s.Cancelled = fmt.Sprintf("%s@%d", o.Cancellation.Reason, o.Cancellation.At.UnixMilli())
	}
	return s
}

func courierID(c *delivery.Courier) string {
	if c == nil {
		return ""
	}
	return c.CourierID
}
