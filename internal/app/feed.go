package app

import (
	"github.com/dropyard/dropyard/internal/api/ops"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/order"
)

// openFeed creates what desks follow the board through.
func (a *App) openFeed() {
	a.feed = feed.NewService(feed.Config{
		Store: a.store.Feed(), Shared: a.store.Shared(), Now: a.Now, At: a.At, Random: a.Random, Log: a.Log,
		Encode: ops.EncodeRow,
	})
	a.atClose(ending(a.feed.Close))
}

// committed names the orders of a commit to the feed.
func (a *App) committed(shown []*board.Row, ended []order.OrderKey) {
	a.feed.Committed(func(yield func(string) bool) {
		for _, row := range shown {
			if !yield(row.OrderID) {
				return
			}
		}
		for _, key := range ended {
			if !yield(key.OrderID) {
				return
			}
		}
	})
}
