package pagetest

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// mailPolicy is what mail programs allow: the styles of the mail, and nothing else.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'"

// mailedOrder is the order that mails to recipients are about.
const mailedOrder = "ord_3ebmvgjr06eajje2n715hrrae6zkdn0v"

// longName fills the line of a small screen several times and has no spaces.
var longName = strings.Repeat("Commande-", 12) + "1042"

// messageOf returns a mail of a kind as the service sends it.
func messageOf(kind mail.Kind) *mail.Message {
	const link = "https://dropyard.example/"
	m := &mail.Message{
		Kind: kind, To: "alexandrine.martin-desrosiers@epicerie-metro.example", Team: "Épicerie Métro",
		URL: link + "track/" + mailedOrder, Until: Now.Add(time.Hour), At: Now,
	}
	switch kind {
	case mail.Invitation:
		m.Role, m.URL = "developer", link+"portal/invitations/hq3w0m1v7k4cz8d2t6y9"
	case mail.Reset, mail.Email, mail.Proof:
		m.URL = link + "portal/reset/hq3w0m1v7k4cz8d2t6y9"
	case mail.Changed:
		m.Reason = mail.ReasonCompanySignIn
	case mail.SignIn:
		m.Device = &mail.Device{
			Address: "2001:db8:2a4f:11c0::7e", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
		}
	case mail.Disabled:
		m.Endpoint, m.Reason, m.Test = "https://hooks.epicerie-metro.example/dropyard/"+longName, "gone", true
	case mail.Statement:
		m.URL, m.Number, m.Month = link+"portal/statements", 17, Now
	case mail.Exports:
		m.URL, m.Detail = link+"console/system", "orders.csv: PUT an object: 403 Forbidden AccessDenied: Access Denied."
	case mail.Trial:
		m.URL = "https://dropyard.example"
	case mail.OnItsWay, mail.Delivered, mail.Failed, mail.Late, mail.ReturnPlanned, mail.ReturnFailed, mail.ReturnArrived:
		m.Reason = "not_home"
		m.Order = &mail.Order{
			OrderID: mailedOrder, Name: longName, From: Now, Expected: Now.Add(3 * time.Hour), Next: Now.Add(20 * time.Hour),
			StopURL: m.URL + "/mail", SupportURL: metro.SupportURL,
		}
	}
	return m
}

// serveMail serves the HTML of a kind of mail, in the reader's language.
func serveMail(v *web.PageRequest) (int, []byte, error) {
	content, err := mail.Compose(messageOf(mail.Kind(v.Request.PathValue("kind"))),
		mail.Language(page.LanguageOf(v.Request, "")))
	if err != nil {
		return 0, nil, fmt.Errorf("compose a mail: %w", err)
	}
	v.Header.Set("Content-Type", "text/html; charset=utf-8")
	v.Header.Set("Content-Security-Policy", mailPolicy)
	return http.StatusOK, []byte(content.HTML), nil
}
