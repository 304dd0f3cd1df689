package app

import (
	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/order"
)

// openFeed creates what desks follow the board through.
func (a *App) openFeed() {
	a.feed = feed.NewService(feed.Config{
		Store: a.store.Feed(), Shared: a.store.Shared(), Now: a.Now, At: a.At, Random: a.Random, Log: a.Log,
		Encode: api.EncodeRow,
	})
}

// committed passes on to desks what the committer has written to the board.
func (a *App) committed(shown []*board.Row, ended []order.OrderKey) {
	ids := make([]string, len(ended))
	for i, key := range ended {
		ids[i] = key.OrderID
	}
	a.feed.Committed(shown, ids)
}
