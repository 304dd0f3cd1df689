package track

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/recipient"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// mailView is what the page about mails shows.
type mailView struct {
	*recipient.Choice
	Sender senderView
}

// Mail serves the page on which the recipient of an order stops its mails, or has them
// sent again (/track/{order_id}/mail). Its form sends no key: mail programs stop mails
// by a POST of their own (RFC 8058), whose body says nothing else, and repeating it
// changes nothing. They follow no redirect, so the page is the answer.
func (pages *Pages) Mail(v *web.PageRequest) (status int, body []byte, err error) {
	choice, err := pages.choose(v)
	if refusal.HasCode(err, refusal.CodeNotFound) && web.WantsPage(v.Request) {
		return pages.unknown(v)
	}
	if err != nil {
		return 0, nil, err
	}
	partnerID, _ := delivery.PartnerOfOrder(choice.OrderID)
	sender, err := pages.config.Senders.Sender(v.Context(), partnerID)
	if err != nil {
		return 0, nil, err
	}
	language := page.LanguageOf(v.Request, page.Language(sender.Language))
	body, err = pages.templates.Render(v.Header, page.Document{
		Language: language, Template: "mail", Title: language.Text("track.mail.title"),
		Data: mailView{choice, viewOfSender(sender)}, Styles: []string{"track.css"}, Roomy: true,
	})
	return http.StatusOK, body, err
}

// choose writes the choice if the visit makes one, and returns what is chosen. It
// refuses with not_found.
func (pages *Pages) choose(v *web.PageRequest) (*recipient.Choice, error) {
	order, err := pages.config.Orders.Track(v.Context(), v.ID("order_id"))
	if err != nil {
		return nil, err
	}
	if v.Request.Method == http.MethodPost {
		stopped := v.Request.URL.Query().Get("choice") != "resume"
		if err := pages.config.Mails.Stop(v.Context(), order.OrderID, stopped); err != nil {
			return nil, err
		}
	}
	return pages.config.Mails.Choice(v.Context(), order)
}
