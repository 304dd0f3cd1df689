package store

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/movement"
)

// takingStock is the condition that an order on the board takes something from stock and waits for its
// courier. The board leads: there are many more orders that have ended.
var takingStock = "status IN (" + quoted(delivery.PickableStatuses) + `) AND EXISTS (SELECT 1 FROM orders
	WHERE orders.partner_id = open_orders.partner_id AND orders.order_id = open_orders.order_id AND allocation <> '')`

// notPicked is the condition that something is left to pick.
var notPicked = fmt.Sprintf("(flags & %d = 0)", board.FlagPicked)

// pickStates holds the condition of each state. That of picked orders also holds for packed ones.
var pickStates = map[delivery.PickState]string{
	"":                  notPicked,
	delivery.PickOpen:   fmt.Sprintf("(flags & %d = 0)", board.FlagPicked|board.FlagShortPick),
	delivery.PickShort:  hasFlag(board.FlagShortPick),
	delivery.PickDone:   hasFlag(board.FlagPicked),
	delivery.PickPacked: hasFlag(board.FlagPicked),
}

// ToPick lists rows of orders that take something from stock, by the begin of their pickup windows.
func (tx dispatchTx) ToPick(ctx context.Context, f dispatch.PickFilter) ([]*board.Row, error) {
	selected := new(db.Conditions)
	selected.AddText("partner_id = ?", f.PartnerID)
	selected.Add(pickStates[f.State])
	selected.AddTime("pickup_start < ?", f.Until)
	if f.After != (dispatch.GoodsCursor{}) {
		selected.Add("(pickup_start, order_id) > (?, ?)", f.After.DueAt, f.After.OrderID)
	}
	selected.Add(takingStock)
	tail, args := selected.Clause("ORDER BY pickup_start, order_id LIMIT ?", f.Limit)
	return openListed.All(ctx, tx.conn, tail, args...)
}

// CountToPick counts the orders that have something left to pick and a pickup window that begins before a
// time.
func (tx dispatchTx) CountToPick(ctx context.Context, until time.Time) (count int64, err error) {
	err = tx.conn.Query(ctx, "SELECT count(*) FROM open_orders WHERE pickup_start < $1 AND "+notPicked+" AND "+takingStock,
		[]any{until}, func(r db.Row) error { return r.Scan(&count) })
	return count, err
}

// Shelves returns what the warehouse has of products.
func (tx dispatchTx) Shelves(
	ctx context.Context, keys []dispatch.ProductKey,
) (map[dispatch.ProductKey]dispatch.Shelf, error) {
	wanted := make([]movement.ProductKey, 0, len(keys))
	shelves := make(map[dispatch.ProductKey]dispatch.Shelf, len(keys))
	for _, key := range keys {
		if _, known := shelves[key]; !known {
			shelves[key] = dispatch.Shelf{Levels: map[string]int64{}}
			wanted = append(wanted, movement.ProductKey(key))
		}
	}
	p := db.NewPipeline(tx.conn)
	described, levels := db.Find(p, findProducts, wanted), db.Find(p, findLevels, wanted)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range described.After(done) {
		key := dispatch.ProductKey{PartnerID: row.partnerID, ProductID: row.ProductID}
		shelves[key] = dispatch.Shelf{Barcode: row.Barcode, Levels: shelves[key].Levels}
	}
	for _, row := range levels.After(done) {
		shelves[dispatch.ProductKey{PartnerID: row.partnerID, ProductID: row.ProductID}].Levels[row.Location] = row.Quantity
	}
	return shelves, nil
}
