// Package mailpage renders the page on which the recipient of an order stops the mails
// about it, or has them sent again.
package mailpage

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"

	"github.com/dropyard/dropyard/internal/recipient"
	"golang.org/x/text/language"
)

//go:embed mailpage.html
var page string

//go:embed mailpage.css
var style string

var pageTemplate = template.Must(template.New("mail").Parse(page))

// policy allows the page its own style, its form, and nothing else.
var policy = func() string {
	digest := sha256.Sum256([]byte(style))
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
		base64.StdEncoding.EncodeToString(digest[:]))
}()

// languages lists the languages of the page. The first is used if no other matches.
var languages = language.NewMatcher([]language.Tag{language.English, language.French})

// phrases holds the texts of the page in one language.
type phrases struct {
	Language, Other, OtherName string
	Title                      string
	sent, stopped              string // what is the case
	stop, resume               string // what the button does
	Follow, OrderNumber        string
	NotFound, NotFoundWhy      string
}

var phrasebooks = []*phrases{
	{
		Language: "en", Other: "fr", OtherName: "Français",
		Title:   "Messages about your delivery",
		sent:    "You may get an e-mail when your delivery is on its way, has arrived, could not be delivered, or is late.",
		stopped: "You will get no more e-mails about this delivery.",
		stop:    "Stop the e-mails", resume: "Send me e-mails again",
		Follow: "Follow your delivery", OrderNumber: "Order",
		NotFound: "We do not know this delivery", NotFoundWhy: "Check the link that you were sent, or ask the sender.",
	},
	{
		Language: "fr", Other: "en", OtherName: "English",
		Title:   "Messages sur votre livraison",
		sent:    "Vous pouvez recevoir un courriel quand votre livraison est en route, arrivée, en retard ou n’a pas pu être livrée.",
		stopped: "Vous ne recevrez plus de courriels sur cette livraison.",
		stop:    "Ne plus recevoir de courriels", resume: "Recevoir de nouveau des courriels",
		Follow: "Suivre votre livraison", OrderNumber: "Commande",
		NotFound: "Nous ne connaissons pas cette livraison", NotFoundWhy: "Vérifiez le lien reçu ou demandez à l’expéditeur.",
	},
}

// view is what the template shows.
type view struct {
	*phrases
	OrderID, Sender, State, Button, Choice string
	Style                                  template.CSS
}

// Render returns the page about the mails of an order, or that of an unknown order if
// choice is nil, and sets the page's headers. wanted is the code of a language, may be
// empty, and takes precedence over accepted, an Accept-Language header.
func Render(header http.Header, choice *recipient.Choice, wanted, accepted string) ([]byte, error) {
	_, at := language.MatchStrings(languages, wanted, accepted)
	words := phrasebooks[at]
	shown := view{phrases: words, State: words.sent, Button: words.stop, Choice: "stop", Style: template.CSS(style)}
	if choice != nil {
		shown.OrderID, shown.Sender = choice.OrderID, choice.Sender
	}
	if choice != nil && choice.Stopped {
		shown.State, shown.Button, shown.Choice = words.stopped, words.resume, "resume"
	}
	var html bytes.Buffer
	if err := pageTemplate.Execute(&html, shown); err != nil {
		return nil, fmt.Errorf("write the page about mails: %w", err)
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Language", words.Language)
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Vary", "Accept-Language")
	return html.Bytes(), nil
}
