// Package track shows recipients where their order is.
package track

import (
	"context"
	"embed"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/recipient"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed templates assets
var files embed.FS

// Orders finds orders for callers without credentials.
type Orders interface {
	Track(ctx context.Context, orderID string) (*delivery.Order, error)
	Follow(ctx context.Context, orderID string) (*delivery.Tracked, error)
}

// Senders knows the partners that send orders.
type Senders interface {
	Sender(ctx context.Context, partnerID string) (partner.Sender, error)
}

// Photos knows the photos of delivered parcels.
type Photos interface {
	Photo(ctx context.Context, partnerID, orderID string) (name string, err error)
}

// Mails knows what recipients have chosen about mails.
type Mails interface {
	Choice(ctx context.Context, o *delivery.Order) (*recipient.Choice, error)
	Stop(ctx context.Context, orderID string, stopped bool) error
}

// Config holds what the pages need.
type Config struct {
	Site *page.Site
	// Clock returns the time zone of an address, of which province and postal code are known.
	Clock   func(delivery.Address) *time.Location
	Orders  Orders
	Senders Senders
	Photos  Photos
	Mails   Mails
}

// Pages is the pages for recipients.
type Pages struct {
	config    Config
	templates page.Templates
}

// New returns the pages and adds their assets to the site.
func New(config Config) *Pages {
	config.Site.AddAssets(files, "assets")
	return &Pages{config, config.Site.Templates(files, "templates/*.html")}
}

// liveSeconds is how often an open page reads itself again.
const liveSeconds = 20

// Order serves the page of an order (GET /track/{order_id}/html). If the order does not
// exist, a reader gets a page that says so, and any other client the refusal.
func (pages *Pages) Order(v *web.PageRequest) (int, []byte, error) {
	found, sender, photo, err := pages.find(v.Context(), v.ID("order_id"))
	if refusal.HasCode(err, refusal.CodeNotFound) && web.WantsPage(v.Request) {
		return pages.unknown(v)
	}
	if err != nil {
		return 0, nil, err
	}
	language := page.LanguageOf(v.Request, page.Language(sender.Language))
	view := viewOf(found, sender, photo, language, pages.config.Clock(whereNext(found).Address()),
		pages.config.Site.Now())
	body, err := pages.templates.Render(v.Header, page.Document{
		Language: language, Template: "order", Title: view.Title(), Data: view,
		Styles: []string{"track.css"}, Roomy: true, Preview: preview(sender, language),
	})
	return http.StatusOK, body, err
}

// find returns an order, its sender, and the name of the photo that proves its delivery.
func (pages *Pages) find(
	ctx context.Context, orderID string,
) (found *delivery.Tracked, sender partner.Sender, photo string, err error) {
	if found, err = pages.config.Orders.Follow(ctx, orderID); err != nil {
		return nil, sender, "", err
	}
	if sender, err = pages.config.Senders.Sender(ctx, found.PartnerID); err != nil {
		return nil, sender, "", err
	}
	if found.Status == delivery.StatusDelivered {
		photo, err = pages.config.Photos.Photo(ctx, found.PartnerID, found.OrderID)
	}
	return found, sender, photo, err
}

// preview describes the page where its address is shared. It names the sender and
// nothing of the order.
func preview(sender partner.Sender, l page.Language) *page.Preview {
	title := l.Text("track.title")
	if sender.Name != "" {
		title = l.Text("track.title.from", "sender", sender.Name)
	}
	return &page.Preview{Title: title, Description: l.Text("track.description"), Site: sender.Name}
}

func (pages *Pages) unknown(v *web.PageRequest) (int, []byte, error) {
	language := page.LanguageOf(v.Request, "")
	body, err := pages.templates.Render(v.Header, page.Document{
		Language: language, Template: "unknown", Title: language.Text("track.unknown"),
		Styles: []string{"track.css"}, Roomy: true,
	})
	return http.StatusNotFound, body, err
}
