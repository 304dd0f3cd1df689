package app

import (
	"slices"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/web/home"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/track"
)

// pages are the pages for people, as the server takes them.
type pages struct {
	tracking api.PageFunc
	mail     api.MailPage
	others   []api.Page
	refused  api.RefusedPage
}

// pages creates the rooms of the pages.
func (a *App) pages() pages {
	site := page.NewSite(page.Config{Now: a.Now, Random: a.Random, SecureCookies: a.config.Secure()})
	tracking := track.New(track.Config{Site: site, Orders: a.orders, Senders: a.partners, Photos: a.proofs})
	made := pages{tracking: tracking.Order, mail: tracking.Mail, refused: site.Refused}
	for _, route := range slices.Concat(site.Routes(), home.New(site, nil).Routes()) {
		made.others = append(made.others, api.Page{Method: route.Method, Pattern: route.Pattern, Serve: api.PageFunc(route.Serve)})
	}
	return made
}
