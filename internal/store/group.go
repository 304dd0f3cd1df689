package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

// This file is what the committer does in one transaction: Load reads all that
// a group of commands touches, Save writes all that it changes, each as sets.

var (
	receiptKeys  = slices.Concat(texts("partner_id"), byteses("idempotency_key"), texts("scope"))
	receiptRest  = slices.Concat(byteses("body_hash"), texts("order_id", "answer"), integers("created_at"))
	findReceipts = newSet(lookUp, "idempotency_keys", receiptKeys, slices.Concat(receiptKeys, receiptRest))
	addReceipts  = newSet(insertNew, "idempotency_keys", receiptKeys, receiptRest)

	referenceKeys  = texts("partner_id", "partner_order_id")
	findReferences = newSet(lookUp, "orders", referenceKeys, referenceKeys)
	findDocuments  = newSet(lookUp, "orders", orderKeys, texts("partner_id", "order_id", "document"))

	productKeys    = slices.Concat(texts("partner_id"), integers("product_id"))
	productColumns = slices.Concat(productKeys, texts("name"), integers("quantity", "stock_min", "stock_max", "price_cents"), texts("barcode", "status"))
	lockProducts   = newSet(lookUpLock, "products", productKeys, productColumns)
	setQuantities  = newSet(update, "products", productKeys, integers("quantity"))

	levelKeys  = slices.Concat(productKeys, texts("location"))
	findLevels = newSet(lookUp, "stock_levels", productKeys, slices.Concat(levelKeys, integers("quantity")))
	setLevels  = newSet(insertOver, "stock_levels", levelKeys, integers("quantity"))

	counterKeys     = texts("partner_id")
	oldLockCounters = newSet(lookUpLock, "partner_counters", counterKeys, slices.Concat(counterKeys, integers("last_product", "last_movement")))
	setMovement     = newSet(update, "partner_counters", counterKeys, integers("last_movement"))

	addMovements = newSet(insertNew, "stock_movements", slices.Concat(texts("partner_id"), integers("movement_id")),
		slices.Concat(integers("product_id"), texts("type"), integers("quantity"), texts("location", "order_id", "notes"), integers("created_at")))

	addOrders = newSet(insertNew, "orders", orderKeys,
		slices.Concat(texts("partner_order_id"), mutableColumns, texts("allocation", "document")))
	// The version is among the values and the keys: from the old to the new.
	setOrders = newSet(update, "orders", slices.Concat(orderKeys, integers("version")), mutableColumns)

	mutableColumns = slices.Concat(texts("status"), integers("version", "events", "updated_at", "estimated_delivery"),
		texts("last_event", "courier"), integers("cancelled_at"), texts("cancellation_reason"))

	addHistory = newSet(insertNew, "order_history", slices.Concat(orderKeys, integers("version")),
		slices.Concat(texts("status", "notes"), integers("created_at")))
	oldAddEvents = newSet(insertNew, "events", slices.Concat(orderKeys, integers("sequence")),
		slices.Concat(texts("event_id", "type", "facts"), integers("created_at"), texts("state"), integers("due_at")))
)

// Load reads, and where another node could interfere locks, what a group of
// commands touches. Receipts come last: whoever waited here for another node's
// locks must find the receipts that were committed with what it now sees, or
// would refuse a retry for the effects of its own first try.
func (tx *Tx) Load(ctx context.Context, needs *order.Needs) (*order.State, error) {
	state := &order.State{}
	err := tx.together(ctx, func(tx *Tx) (err error) {
		if state.Orders, err = tx.bareOrders(ctx, lockOrders, needs.Orders); err != nil {
			return err
		}
		if state.Stock, err = tx.stock(ctx, needs.Products); err != nil {
			return err
		}
		if state.LastMovement, err = tx.lastMovements(ctx, needs.Products); err != nil {
			return err
		}
		if state.Proofs, err = tx.bestProofs(ctx, needs.Proofs); err != nil {
			return err
		}
		if state.Taken, err = tx.taken(ctx, needs.References); err != nil {
			return err
		}
		state.Receipts, err = tx.receipts(ctx, needs.Receipts)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := tx.histories(ctx, state.Orders); err != nil {
		return nil, err
	}
	return state, tx.addDocuments(ctx, state.Receipts)
}

// receipts finds what is kept under idempotency keys, without documents.
func (tx *Tx) receipts(ctx context.Context, keys []order.ReceiptKey) (map[order.ReceiptKey]*order.Receipt, error) {
	found := make(map[order.ReceiptKey]*order.Receipt, len(keys))
	bind := func(i int, b binder) {
		b.text(keys[i].PartnerID)
		b.bytes(keys[i].Key[:])
		b.text(keys[i].Scope)
	}
	err := tx.conn.find(ctx, findReceipts, len(keys), bind, func(r row) error {
		var receipt order.Receipt
		var key, hash []byte
		if err := r.scan(&receipt.PartnerID, &key, &receipt.Scope, &hash, &receipt.OrderID, &receipt.Answer, &receipt.CreatedAt); err != nil {
			return err
		}
		copy(receipt.Key[:], key)
		copy(receipt.BodyHash[:], hash)
		found[receipt.ReceiptKey] = &receipt
		return nil
	})
	return found, err
}

// addDocuments fills in the answers to creations, which are the orders'
// documents.
func (tx *Tx) addDocuments(ctx context.Context, receipts map[order.ReceiptKey]*order.Receipt) error {
	var keys []order.OrderKey
	byOrder := map[order.OrderKey][]*order.Receipt{} // a batch's first order has two
	for _, receipt := range receipts {
		if len(receipt.Answer) == 0 {
			key := order.OrderKey{PartnerID: receipt.PartnerID, OrderID: receipt.OrderID}
			if byOrder[key] == nil {
				keys = append(keys, key)
			}
			byOrder[key] = append(byOrder[key], receipt)
		}
	}
	err := tx.conn.find(ctx, findDocuments, len(keys), bindOrderKeys(keys), func(r row) error {
		var key order.OrderKey
		var document []byte
		err := r.scan(&key.PartnerID, &key.OrderID, &document)
		for _, receipt := range byOrder[key] {
			receipt.Answer = document
		}
		return err
	})
	// Retention removes keys before their orders. Whoever saw the one and not
	// the other has read between the two, and the key is gone as well.
	maps.DeleteFunc(receipts, func(_ order.ReceiptKey, receipt *order.Receipt) bool { return len(receipt.Answer) == 0 })
	return err
}

func bindOrderKeys(keys []order.OrderKey) func(int, binder) {
	return func(i int, b binder) {
		b.text(keys[i].PartnerID)
		b.text(keys[i].OrderID)
	}
}

// taken finds those references under which an order exists.
func (tx *Tx) taken(ctx context.Context, references []order.Reference) (map[order.Reference]bool, error) {
	found := make(map[order.Reference]bool, len(references))
	bind := func(i int, b binder) {
		b.text(references[i].PartnerID)
		b.text(references[i].PartnerOrderID)
	}
	err := tx.conn.find(ctx, findReferences, len(references), bind, func(r row) error {
		var reference order.Reference
		err := r.scan(&reference.PartnerID, &reference.PartnerOrderID)
		found[reference] = true
		return err
	})
	return found, err
}

func bindProductKeys(keys []order.ProductKey) func(int, binder) {
	return func(i int, b binder) {
		b.text(keys[i].PartnerID)
		b.integer(keys[i].ProductID)
	}
}

func scanProduct(r row) (partnerID string, p delivery.Product, err error) {
	err = r.scan(&partnerID, &p.ProductID, &p.Name, &p.Quantity, &p.StockMin, &p.StockMax, &p.PriceCents, &p.Barcode, (*string)(&p.Status))
	return partnerID, p, err
}

// stock reads products with their levels, locked.
func (tx *Tx) stock(ctx context.Context, keys []order.ProductKey) (map[order.ProductKey]*order.Stock, error) {
	found := make(map[order.ProductKey]*order.Stock, len(keys))
	err := tx.conn.find(ctx, lockProducts, len(keys), bindProductKeys(keys), func(r row) error {
		partnerID, product, err := scanProduct(r)
		found[order.ProductKey{PartnerID: partnerID, ProductID: product.ProductID}] = &order.Stock{Product: product}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, tx.conn.find(ctx, findLevels, len(keys), bindProductKeys(keys), func(r row) error {
		var partnerID string
		var level delivery.Level
		if err := r.scan(&partnerID, &level.ProductID, &level.Location, &level.Quantity); err != nil {
			return err
		}
		stock := found[order.ProductKey{PartnerID: partnerID, ProductID: level.ProductID}]
		stock.Levels = append(stock.Levels, level)
		return nil
	})
}

// lastMovements reads the counters that movement ids are taken from.
func (tx *Tx) lastMovements(ctx context.Context, keys []order.ProductKey) (map[string]int64, error) {
	var partners []string
	for _, key := range keys { // sorted by partner
		if len(partners) == 0 || partners[len(partners)-1] != key.PartnerID {
			partners = append(partners, key.PartnerID)
		}
	}
	last := make(map[string]int64, len(partners))
	err := tx.conn.find(ctx, oldLockCounters, len(partners), func(i int, b binder) { b.text(partners[i]) }, func(r row) error {
		var partnerID string
		var product, movement int64
		err := r.scan(&partnerID, &product, &movement)
		last[partnerID] = movement
		return err
	})
	return last, err
}

// Save writes what a group of commands changes. Fewer rows written than
// decided means that another node was faster: order.ErrRaced.
func (tx *Tx) Save(ctx context.Context, c *order.Changes) error {
	due, err := tx.queue(ctx, c.Events)
	if err != nil {
		return err
	}
	return tx.together(ctx, func(tx *Tx) error {
		for _, save := range []func(context.Context, *order.Changes) error{
			tx.saveCreated, tx.saveChanged, tx.saveOpen, tx.saveDelivered, tx.saveHistory, tx.saveReceipts, tx.saveMovements, tx.saveStock,
		} {
			if err := save(ctx, c); err != nil {
				return err
			}
		}
		if err := tx.saveEvents(ctx, c.Events, due); err != nil {
			return err
		}
		return tx.AddAudit(ctx, c.Audit...)
	})
}

func (tx *Tx) saveCreated(ctx context.Context, c *order.Changes) error {
	var enc encodings
	err := tx.all(ctx, addOrders, len(c.Created), func(i int, b binder) {
		o := c.Created[i].Order
		b.text(o.PartnerOrderID)
		bindMutable(b, o, &enc)
		b.text(enc.json(o.Allocation, len(o.Allocation) == 0))
		b.text(string(c.Created[i].Document))
		b.text(o.PartnerID)
		b.text(o.OrderID)
	})
	return errors.Join(enc.err, err)
}

// bindMutable binds mutableColumns.
func bindMutable(b binder, o *delivery.Order, enc *encodings) {
	b.text(string(o.Status))
	b.integer(o.Version)
	b.integer(o.Events)
	b.integer(micros(o.UpdatedAt))
	b.integer(micros(o.EstimatedDelivery))
	b.text(o.LastEvent)
	b.text(enc.json(o.Courier, o.Courier == nil))
	cancelled := delivery.Cancellation{}
	if o.Cancellation != nil {
		cancelled = *o.Cancellation
	}
	b.integer(micros(cancelled.At))
	b.text(cancelled.Reason)
}

func (tx *Tx) saveChanged(ctx context.Context, c *order.Changes) error {
	changed := slices.Collect(maps.Values(c.Changed))
	var enc encodings
	err := tx.all(ctx, setOrders, len(changed), func(i int, b binder) {
		o := changed[i].Order
		bindMutable(b, o, &enc)
		b.text(o.PartnerID)
		b.text(o.OrderID)
		b.integer(changed[i].FromVersion)
	})
	return errors.Join(enc.err, err)
}

func (tx *Tx) saveHistory(ctx context.Context, c *order.Changes) error {
	return tx.all(ctx, addHistory, len(c.History), func(i int, b binder) {
		h := c.History[i]
		b.text(string(h.Entry.Status))
		b.text(h.Entry.Notes)
		b.integer(micros(h.Entry.At))
		b.text(h.PartnerID)
		b.text(h.OrderID)
		b.integer(h.Version)
	})
}

func (tx *Tx) saveReceipts(ctx context.Context, c *order.Changes) error {
	return tx.all(ctx, addReceipts, len(c.Receipts), func(i int, b binder) {
		receipt := c.Receipts[i]
		answer := string(receipt.Answer)
		if receipt.OfCreation {
			answer = "" // the order's document, which is stored already
		}
		b.bytes(receipt.BodyHash[:])
		b.text(receipt.OrderID)
		b.text(answer)
		b.integer(micros(receipt.CreatedAt))
		b.text(receipt.PartnerID)
		b.bytes(receipt.Key[:])
		b.text(receipt.Scope)
	})
}

// saveEvents writes the outbox; due tells which events may be sent at once.
func (tx *Tx) saveEvents(ctx context.Context, events []*delivery.Event, due []bool) error {
	var enc encodings
	err := tx.all(ctx, oldAddEvents, len(events), func(i int, b binder) {
		event := events[i]
		b.text(event.EventID)
		b.text(string(event.Type))
		b.text(enc.json(event.Facts, false))
		b.integer(micros(event.CreatedAt))
		bindQueued(b, event, due[i])
		b.text(event.PartnerID)
		b.text(event.OrderID)
		b.integer(event.Sequence)
	})
	return errors.Join(enc.err, err)
}

func (tx *Tx) saveMovements(ctx context.Context, c *order.Changes) error {
	err := tx.all(ctx, addMovements, len(c.Movements), func(i int, b binder) {
		m := c.Movements[i]
		b.integer(m.ProductID)
		b.text(string(m.Type))
		b.integer(m.Quantity)
		b.text(m.Location)
		b.text(m.OrderID)
		b.text(m.Notes)
		b.integer(micros(m.At))
		b.text(m.PartnerID)
		b.integer(m.MovementID)
	})
	if err != nil {
		return err
	}
	partners := slices.Collect(maps.Keys(c.LastMovement))
	return tx.all(ctx, setMovement, len(partners), func(i int, b binder) {
		b.integer(c.LastMovement[partners[i]])
		b.text(partners[i])
	})
}

func (tx *Tx) saveStock(ctx context.Context, c *order.Changes) error {
	products := slices.Collect(maps.Keys(c.Stock))
	err := tx.all(ctx, setQuantities, len(products), func(i int, b binder) {
		b.integer(c.Stock[products[i]].Quantity)
		b.text(products[i].PartnerID)
		b.integer(products[i].ProductID)
	})
	if err != nil {
		return err
	}
	type level struct {
		partnerID string
		delivery.Level
	}
	var levels []level
	for _, key := range products {
		for _, l := range c.Stock[key].Levels {
			levels = append(levels, level{key.PartnerID, l})
		}
	}
	return tx.all(ctx, setLevels, len(levels), func(i int, b binder) {
		b.integer(levels[i].Quantity)
		b.text(levels[i].partnerID)
		b.integer(levels[i].ProductID)
		b.text(levels[i].Location)
	})
}
