package app

import (
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/web"
)

// PageRoutes returns the routes of all pages, which cannot be served.
func PageRoutes() []web.Route {
	calendar := pricing.NewCalendar(zone.Own())
	return (&App{config: &config.Config{}, store: &store.Store{}, calendar: calendar}).pages().others
}
