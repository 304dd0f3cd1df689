package app

import (
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/web"
)

// PageRoutes returns the routes of all pages, which cannot be served.
func PageRoutes() []web.Route {
	return (&App{config: &config.Config{}, store: &store.Store{}}).pages().others
}
