package app

import (
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// PageRoutes returns the routes of all pages, which cannot be served.
func PageRoutes() []visit.Route {
	return (&App{config: &config.Config{}, store: &store.Store{}}).pages().others
}
