package mail_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/mail"
)

func example(kind mail.Kind) *mail.Message {
	return &mail.Message{
		Kind: kind, To: "sam@example.com", URL: "https://delivery.example.com/x/abc-_1?a=1&b=2",
		Until: time.Date(2026, 8, 3, 14, 5, 0, 0, time.UTC), Team: "Quincaillerie <Métro> & fils", Role: "clerk",
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	for _, kind := range []mail.Kind{mail.Invitation, mail.Reset, mail.Email, mail.Proof} {
		for language, want := range map[mail.Language]struct{ until, why string }{
			mail.English: {"August 3, 2026 at 2:05 PM UTC", "You get this message because"},
			mail.French:  {"3 août 2026 à 14 h 05 UTC", "Vous recevez ce message parce qu"},
		} {
			got, err := mail.Compose(example(kind), language)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{want.until, want.why, "\n\n" + example(kind).URL + "\n\n"} {
				if !strings.Contains(got.Text, part) {
					t.Errorf("%s in %s: got %q, want it to contain %q", kind, language, got.Text, part)
				}
			}
			link := `<a href="https://delivery.example.com/x/abc-_1?a=1&amp;b=2"`
			if !strings.Contains(got.HTML, link) || !strings.Contains(got.HTML, `<html lang="`+string(language)+`">`) {
				t.Errorf("%s in %s: got %q, want it to contain %q", kind, language, got.HTML, link)
			}
			if got.Subject == "" || strings.Contains(got.Subject, "\n") || strings.Contains(got.Text, got.Subject+"\n") {
				t.Errorf("%s in %s: got the subject %q, want one line apart from the text", kind, language, got.Subject)
			}
			if strings.Contains(got.HTML, "<Métro>") {
				t.Errorf("%s in %s: got %q, want the name escaped", kind, language, got.HTML)
			}
		}
	}
}

// TestComposeKeepsNamesOnOneLine: a name cannot begin a paragraph, which could be a link.
func TestComposeKeepsNamesOnOneLine(t *testing.T) {
	t.Parallel()
	m := example(mail.Invitation)
	m.Team = "Metro\r\n\r\nBcc: other@example.com"
	got, err := mail.Compose(m, mail.English)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Join the team of Metro    Bcc: other example com"; got.Subject != want {
		t.Errorf("got %q, want %q", got.Subject, want)
	}
}

// TestSubjectsHaveNoURLs: a name that looks like a URL or an address, or that turns the
// text around it, does not reach the subject as such.
func TestSubjectsHaveNoURLs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"https://evil.example/win":       "https evil example/win",
		"You won! www.evil.example":      "You won! www evil example",
		"evil.example.":                  "evil example.",
		"a..evil":                        "a  evil",
		"evil\u3002example":              "evil example",
		"call me@evil.example":           "call me evil example",
		"St. Hubert Inc. no. 1.5":        "St. Hubert Inc. no. 1.5",
		"Metro \u202eelpmaxe.live\u202c": "Metro  elpmaxe live",
		"Metro \u2066x\u2069\u200f":      "Metro  x",
	} {
		invitation := example(mail.Invitation)
		invitation.Team = name
		order := toRecipient(mail.Delivered)
		order.Order.Name = name
		for kind, c := range map[string]struct {
			message *mail.Message
			want    string
		}{"invitation": {invitation, "Join the team of " + want}, "order": {order, "Your order " + want + " was delivered"}} {
			got, err := mail.Compose(c.message, mail.English)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(got.Subject) != strings.TrimSpace(c.want) {
				t.Errorf("%s of %q: got %q, want %q", kind, name, got.Subject, c.want)
			}
			if strings.ContainsAny(got.Text+got.HTML, "\u202e\u2066") {
				t.Errorf("%s of %q: got the text %q, want no change of direction", kind, name, got.Text)
			}
		}
	}
}

// toRecipient returns a mail to the recipient of an order, whose clock is four hours
// behind UTC.
func toRecipient(kind mail.Kind) *mail.Message {
	m := example(kind)
	m.Reason, m.At = "not_home", m.Until.In(time.FixedZone("", -4*60*60))
	m.Order = &mail.Order{
		OrderID: "ord_1", Name: "A-1 <b>", From: m.At, Expected: m.At.Add(time.Hour), Next: m.At.Add(24 * time.Hour),
		StopURL: "https://delivery.example.com/track/ord_1/mail", SupportURL: "https://metro.example/help",
		ToPay: mail.Amount{Cents: 106493, Currency: "CAD"},
		Zones: mail.Zones{At: "EDT", From: "EDT", Expected: "EDT", Next: "EDT"},
	}
	return m
}

func TestComposeToRecipients(t *testing.T) {
	t.Parallel()
	times := map[mail.Kind]map[mail.Language]string{
		mail.OnItsWay: {
			mail.English: "Expected from: August 3, 2026 at 10:05 AM EDT\n  Expected until: August 3, 2026 at 11:05 AM EDT\n" +
				"  To pay on delivery: $1,064.93",
			mail.French: "Prévue à partir de : 3 août 2026 à 10 h 05 HAE\n  Prévue au plus tard : 3 août 2026 à 11 h 05 HAE\n" +
				"  À payer à la livraison : 1\u00a0064,93\u00a0$",
		},
		mail.Delivered: {
			mail.English: "Delivered: August 3, 2026 at 10:05 AM EDT", mail.French: "Livrée : 3 août 2026 à 10 h 05 HAE",
		},
		mail.Failed: {
			mail.English: "Next attempt: August 4, 2026 at 10:05 AM EDT",
			mail.French:  "Prochaine tentative : 4 août 2026 à 10 h 05 HAE",
		},
		mail.Late: {
			mail.English: "Was expected by: August 3, 2026 at 11:05 AM EDT",
			mail.French:  "Était prévue au plus tard : 3 août 2026 à 11 h 05 HAE",
		},
		mail.ReturnPlanned: {
			mail.English: "From: August 3, 2026 at 10:05 AM EDT\n  Until: August 3, 2026 at 11:05 AM EDT",
			mail.French:  "À partir de : 3 août 2026 à 10 h 05 HAE\n  Jusqu’à : 3 août 2026 à 11 h 05 HAE",
		},
		mail.ReturnFailed: {
			mail.English: "Next attempt: August 4, 2026 at 10:05 AM EDT",
			mail.French:  "Prochaine tentative : 4 août 2026 à 10 h 05 HAE",
		},
		mail.ReturnArrived: {
			mail.English: "Arrived: August 3, 2026 at 10:05 AM EDT", mail.French: "Arrivée : 3 août 2026 à 10 h 05 HAE",
		},
	}
	why := map[mail.Language]string{
		mail.English: "\n\nYou get this message because", mail.French: "\n\nVous recevez ce message parce qu",
	}
	for kind, byLanguage := range times {
		for language, at := range byLanguage {
			m := toRecipient(kind)
			got, err := mail.Compose(m, language)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{at, why[language], m.URL, m.Order.StopURL, m.Order.SupportURL, m.To} {
				if !strings.Contains(got.Text, part) {
					t.Errorf("%s in %s: got %q, want it to contain %q", kind, language, got.Text, part)
				}
			}
			for _, url := range []string{m.Order.StopURL, m.Order.SupportURL} {
				if !strings.Contains(got.HTML, `<a href="`+url+`"`) {
					t.Errorf("%s in %s: got %q, want a link to %s", kind, language, got.HTML, url)
				}
			}
			if !strings.Contains(got.Text, "A-1") || strings.Contains(got.HTML, "<b>") {
				t.Errorf("%s in %s: got the subject %q and the HTML %q, want the order's name, escaped", kind, language,
					got.Subject, got.HTML)
			}
		}
	}
}

// TestComposeFailedWithoutPlan: a mail about a failed attempt says that the next one is
// not planned yet.
func TestComposeFailedWithoutPlan(t *testing.T) {
	t.Parallel()
	m := toRecipient(mail.Failed)
	m.Order.Next = time.Time{}
	for language, want := range map[mail.Language]string{
		mail.English: "is not planned yet", mail.French: "n’est pas encore prévue",
	} {
		got, err := mail.Compose(m, language)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.Text, want) {
			t.Errorf("%s: got %q, want it to contain %q", language, got.Text, want)
		}
	}
}

// TestComposeWithoutWindow: a mail without a window has one time, and one without a support link names
// the sender as the contact.
func TestComposeWithoutWindow(t *testing.T) {
	t.Parallel()
	for language, want := range map[mail.Language]struct{ by, later, ask string }{
		mail.English: {
			"  Expected by: August 3", "  Later than planned, by: August 3",
			"answers questions about your order. Quote the number A-1 <b>.",
		},
		mail.French: {
			"  Prévue au plus tard : 3 août", "  Plus tard que prévu, d’ici le : 3 août",
			"répond aux questions sur votre commande. Donnez le numéro A-1 <b>.",
		},
	} {
		for isLater, line := range map[bool]string{false: want.by, true: want.later} {
			m := toRecipient(mail.OnItsWay)
			m.Order.From, m.Order.IsLater, m.Order.SupportURL = time.Time{}, isLater, ""
			m.Order.ToPay.Currency = "USD"
			got, err := mail.Compose(m, language)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{line, want.ask, "$ USD\n"} {
				if language == mail.English {
					part = strings.Replace(part, "$ USD", "64.93 USD", 1)
				}
				if !strings.Contains(got.Text, part) {
					t.Errorf("%s: got %q, want it to contain %q", language, got.Text, part)
				}
			}
		}
	}
}

// TestComposeWithoutZones: a mail that an earlier release has stored knows the clocks of its
// times, but not their name.
func TestComposeWithoutZones(t *testing.T) {
	t.Parallel()
	m := toRecipient(mail.Delivered)
	m.Order.Zones = mail.Zones{}
	got, err := mail.Compose(m, mail.English)
	if want := "Delivered: August 3, 2026 at 10:05 AM\n"; err != nil || !strings.Contains(got.Text, want) {
		t.Errorf("got %q, %v, want it to contain %q", got.Text, err, want)
	}
}

func TestComposeRefusesUnknown(t *testing.T) {
	t.Parallel()
	if _, err := mail.Compose(example("unknown"), mail.English); err == nil {
		t.Error("a kind without a text: got no error")
	}
	if _, err := mail.Compose(example(mail.Reset), "de"); err == nil {
		t.Error("a language without texts: got no error")
	}
}
