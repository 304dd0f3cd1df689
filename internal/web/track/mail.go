package track

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/recipient"
	"github.com/dropyard/dropyard/internal/web/page"
)

// mailView is what the page about mails shows.
type mailView struct {
	*recipient.Choice
	Language page.Language
	Sender   senderView
}

// Other is the language that the page offers besides its own.
func (v mailView) Other() page.Language { return v.Language.Other() }

// Mail writes the page on which the recipient of an order stops its mails, or has them
// sent again (/track/{order_id}/mail). Its form sends no key: mail programs stop mails
// by the same request (RFC 8058), and repeating it changes nothing. A nil choice means
// that the order does not exist.
func (room *Room) Mail(header http.Header, r *http.Request, choice *recipient.Choice) (status int, body []byte, err error) {
	if choice == nil {
		return room.unknown(header, r)
	}
	partnerID, _ := delivery.PartnerOfOrder(choice.OrderID)
	sender, err := room.config.Senders.Sender(r.Context(), delivery.LiveAccount(partnerID))
	if err != nil {
		return 0, nil, err
	}
	language := page.LanguageOf(r, page.Language(sender.Language))
	body, err = room.templates.Render(header, page.Document{
		Language: language, Template: "mail", Title: language.Text("track.mail.title"),
		Data: mailView{choice, language, viewOfSender(sender)}, Styles: []string{"track.css"}, Roomy: true,
	})
	return http.StatusOK, body, err
}
