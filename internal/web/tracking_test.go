package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web"
)

func TestTrackingPageLanguage(t *testing.T) {
	t.Parallel()
	order := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
	for name, want := range map[string]struct{ wanted, accepted, language, status, date string }{
		"no preference":    {"", "", "en", "Received", "January 16, 2026, 15:00 UTC"},
		"accepts French":   {"", "fr-CA,fr;q=0.9,en;q=0.5", "fr", "Reçue", "16 janvier 2026, 15:00 UTC"},
		"asks for English": {"en", "fr", "en", "Received", "January 16, 2026, 15:00 UTC"},
		"asks for French":  {"fr", "en", "fr", "Reçue", "16 janvier 2026, 15:00 UTC"},
		"asks for neither": {"de", "fr", "fr", "Reçue", "16 janvier 2026, 15:00 UTC"},
		"asks for garbage": {"<script>", "!!", "en", "Received", "January 16, 2026, 15:00 UTC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			page, err := web.Tracking(header, &delivery.Tracked{Order: order}, want.wanted, want.accepted)
			if err != nil {
				t.Fatal(err)
			}
			text := string(page)
			if header.Get("Content-Language") != want.language || !strings.Contains(text, `<html lang="`+want.language+`">`) {
				t.Errorf("got language %q, want %q in the header and the page", header.Get("Content-Language"), want.language)
			}
			for _, part := range []string{"<h1>" + want.status + "</h1>", want.date} {
				if !strings.Contains(text, part) {
					t.Errorf("got a page without %q:\n%s", part, text)
				}
			}
		})
	}
}

// TestTrackingPageHidesPrivateData searches the page for the private texts of an
// order, and for markup that comes from it.
func TestTrackingPageHidesPrivateData(t *testing.T) {
	t.Parallel()
	order := testkit.Order("par_00000001", "ord_1", "PRIVATE-reference", testkit.Epoch)
	order.Pickup.Name, order.Dropoff.Name = "PRIVATE-shop", "PRIVATE-recipient"
	order.Pickup.Phone, order.Dropoff.Email = "PRIVATE-phone", "PRIVATE-email"
	order.Dropoff.Address.Line1, order.Dropoff.Address.Notes = "PRIVATE-street", "PRIVATE-notes"
	order.Dropoff.Address.City = "<b>Toronto</b>"
	order.Metadata, order.Instructions, order.RateCents = []byte(`"PRIVATE"`), "PRIVATE", 987654
	order.Courier = &delivery.Courier{Name: "Camille PRIVATE", Phone: "PRIVATE", Vehicle: "van"}
	order.History[0].Notes = "PRIVATE-notes"

	page, err := web.Tracking(http.Header{}, &delivery.Tracked{Order: order}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if strings.Contains(text, "PRIVATE") || strings.Contains(text, "9876") || strings.Contains(text, "<b>") {
		t.Errorf("got a page with private data or markup of the order:\n%s", text)
	}
	if !strings.Contains(text, "Camille · van") {
		t.Errorf("got a page without the courier's first name and vehicle:\n%s", text)
	}
}

func TestTrackingPageOfUnknownOrder(t *testing.T) {
	t.Parallel()
	page, err := web.Tracking(http.Header{}, nil, "fr", "")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "Nous ne connaissons pas cette livraison") || strings.Contains(string(page), "data-live") {
		t.Errorf("got page\n%s\nwant that of an unknown order, which does not update itself", page)
	}
}

// TestTrackingPagePolicy compares the style and the script in the page with the
// digests that its policy allows.
func TestTrackingPagePolicy(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	page, err := web.Tracking(header, nil, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, element := range []string{"style", "script"} {
		inside := regexp.MustCompile(`(?s)<` + element + `>(.*)</` + element + `>`).FindSubmatch(page)
		if inside == nil {
			t.Fatalf("got a page without %s", element)
		}
		if !strings.Contains(header.Get("Content-Security-Policy"), element+"-src '"+web.Digest(string(inside[1]))+"'") {
			t.Errorf("got policy %q, which does not allow the page's own %s", header.Get("Content-Security-Policy"), element)
		}
	}
}

func TestTrackingPageOfFailedAttempt(t *testing.T) {
	t.Parallel()
	order := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
	order.Status = delivery.StatusFailed
	next := testkit.Epoch.AddDate(0, 0, 1)
	for name, c := range map[string]struct {
		failed *delivery.FailedAttempt
		want   []string
		absent string
	}{
		"planned again": {&delivery.FailedAttempt{Reason: delivery.FailureNotHome, Next: &next}, []string{"Personne n’était là", "Prochaine tentative"}, ""},
		"no plan":       {&delivery.FailedAttempt{Reason: delivery.FailureUndefined}, []string{"n’a pas pu être effectuée"}, "Prochaine tentative"},
		"forgotten":     {nil, []string{"Tentative de livraison échouée"}, "Prochaine tentative"},
	} {
		page, err := web.Tracking(http.Header{}, &delivery.Tracked{Order: order, Failed: c.failed}, "fr", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range c.want {
			if !strings.Contains(string(page), text) {
				t.Errorf("%s: got a page without %q:\n%s", name, text, page)
			}
		}
		if c.absent != "" && strings.Contains(string(page), c.absent) {
			t.Errorf("%s: got a page with %q:\n%s", name, c.absent, page)
		}
	}
}
