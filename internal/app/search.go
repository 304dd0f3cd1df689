package app

import (
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/search"
)

// openSearch creates what fills the index that orders are found by.
func (a *App) openSearch() {
	a.filler = search.NewFiller(search.Config{Store: a.store.Search(), Now: a.Now, At: a.At, Log: a.Log})
	a.atClose(ending(a.filler.Close))
}

// written names orders that the index is to have as they are now.
func (a *App) written(keys []order.OrderKey) {
	named := make([]search.Key, len(keys))
	for i, key := range keys {
		named[i] = search.Key(key)
	}
	a.filler.Committed(named...)
}
