// Package web renders the pages that people look at: so far the tracking page,
// which shows a recipient where an order is.
package web

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page, its style and its script
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"golang.org/x/text/language"
)

//go:embed tracking.html
var trackingPage string

//go:embed tracking.css
var trackingStyle string

//go:embed tracking.js
var trackingScript string

var trackingTemplate = template.Must(template.New("tracking").Parse(trackingPage))

// trackingPolicy allows the page its own script and style and nothing else.
var trackingPolicy = fmt.Sprintf(
	"default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	digest(trackingStyle), digest(trackingScript))

// digest returns the SHA-256 of a text in base64, as policies have it.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// languages lists the languages of the page. The first is used if no other matches.
var languages = language.NewMatcher([]language.Tag{language.English, language.French})

// Tracking returns the page of an order, or that of an unknown order if order is
// nil, and sets the page's headers. wanted is the code of a language, may be empty,
// and takes precedence over accepted, an Accept-Language header.
func Tracking(header http.Header, order *delivery.Tracked, wanted, accepted string) ([]byte, error) {
	words := choose(wanted, accepted)
	var page bytes.Buffer
	if err := trackingTemplate.Execute(&page, view(order, words)); err != nil {
		return nil, fmt.Errorf("write the tracking page: %w", err)
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Language", words.Language)
	header.Set("Content-Security-Policy", trackingPolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Vary", "Accept-Language")
	return page.Bytes(), nil
}

// choose returns the texts in the language that fits best.
func choose(wanted, accepted string) *phrasebook {
	_, at := language.MatchStrings(languages, wanted, accepted)
	return phrasebooks[at]
}

// trackingView is what the template shows.
type trackingView struct {
	*phrasebook
	Found       bool // false for an unknown order
	OrderID     string
	ParcelCount int
	Status      string
	Final       bool // the order has ended
	Origin      string
	Destination string
	Estimate    moment
	Changed     moment
	CourierName string
	Failure     string  // why the latest attempt failed; empty if it did not
	NextAttempt *moment // nil if none is planned
	Steps       []stepView
	Style       template.CSS
	Script      template.JS
}

// moment is a time as text for people, and in RFC 3339 for the script.
type moment struct{ Text, ISO string }

// stepView is an entry of the order's history.
type stepView struct {
	Name string
	At   moment
}

// view returns what the page of an order shows. Nothing else of the order reaches
// the template.
func view(o *delivery.Tracked, words *phrasebook) trackingView {
	v := trackingView{phrasebook: words, Style: template.CSS(trackingStyle), Script: template.JS(trackingScript)}
	if o == nil {
		return v
	}
	v.Found, v.OrderID, v.ParcelCount = true, o.OrderID, len(o.Parcels)
	v.Status = words.Statuses[o.Status]
	v.Final = len(delivery.NextStatuses(o.Status)) == 0
	v.Origin, v.Destination = placeName(o.Pickup), placeName(o.Dropoff)
	v.Estimate, v.Changed = words.moment(o.EstimatedDelivery), words.moment(o.UpdatedAt)
	if o.Courier != nil {
		v.CourierName = o.Courier.FirstName() + " · " + o.Courier.Vehicle
	}
	if o.Failed != nil {
		v.Failure = words.Failures[o.Failed.Reason]
		if o.Failed.Next != nil {
			next := words.moment(*o.Failed.Next)
			v.NextAttempt = &next
		}
	}
	for _, entry := range o.History {
		v.Steps = append(v.Steps, stepView{words.Statuses[entry.Status], words.moment(entry.At)})
	}
	return v
}

func placeName(c delivery.Contact) string { return c.Address.City + ", " + c.Address.Province }

// moment returns a time in UTC. The script shows it in the reader's time zone.
func (p *phrasebook) moment(at time.Time) moment {
	at = at.UTC()
	return moment{
		Text: p.date(at) + at.Format(", 15:04 UTC"),
		ISO:  at.Format(time.RFC3339),
	}
}
