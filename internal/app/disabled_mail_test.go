package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// cancelled creates an order and cancels it, which is an event in both modes.
func cancelled(t *testing.T, account *apptest.Partner) {
	t.Helper()
	id := account.Create(t, testkit.OrderJSON(uuid.NewString(), "")).Must(t, 201).Text("order_id")
	account.Cancel(t, id, "changed_mind").Must(t, 200)
}

// disabledMail is what a mail says about a disabled endpoint.
type disabledMail struct{ language, subject, whose, reason, why string }

// arrives takes a mail for each of these people from the server, and checks that there
// are no others.
func (want disabledMail) arrives(t *testing.T, h *hooked, server *testkit.MailServer, people []string) {
	t.Helper()
	var to []string
	for range people {
		got := <-server.Mails
		to = append(to, got.To)
		if got.Subject() != want.subject || got.Get("Content-Language") != want.language {
			t.Errorf("to %s: got %q in %s, want %q in %s", got.To, got.Subject(), got.Get("Content-Language"), want.subject,
				want.language)
		}
		for _, part := range []string{h.receiver.URL, want.whose, want.reason, want.why} {
			if !strings.Contains(got.Text, part) || !strings.Contains(got.HTML, part) {
				t.Errorf("to %s: got the text\n%s\nand the HTML\n%s\nwant %q in both", got.To, got.Text, got.HTML, part)
			}
		}
	}
	if slices.Sort(to); !slices.Equal(to, people) {
		t.Errorf("%q: got mails to %q, want %q", want.subject, to, people)
	}
	h.Until(t, "SELECT count(*) FROM mails", "0")
	noMail(t, server)
}

// TestDisabledMail has the service disable endpoints of both modes, for both reasons.
// Owners and developers get one mail each time, in the partner's language.
func TestDisabledMail(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	h := newHooked(t, withMail(server))
	owner := h.partner.Owner(t)
	people := []string{h.partner.As(t, "developer").Email, owner.Email, h.partner.As(t, "owner").Email}
	h.partner.As(t, "clerk")
	h.partner.As(t, "reader")

	h.receiver.Answers(apptest.Always(410))
	cancelled(t, h.partner)
	disabledMail{
		"en", "Your webhook endpoint was disabled", "Events of metro are", "it answered 410 Gone",
		"You get this message because you are an owner or a developer",
	}.arrives(t, h, server, people)

	failing := *h
	failing.receiver = apptest.NewReceiver(t)
	failing.receiver.Answers(apptest.Always(410))
	failing.add(t, "")
	cancelled(t, h.partner)
	disabledMail{
		"en", "Your webhook endpoint was disabled", "PATCH /v1/webhooks/endpoints/" + failing.endpointID,
		"it answered 410 Gone",
		"You get this message because you are an owner or a developer",
	}.arrives(t, &failing, server, people)
	failing.remove(t)

	owner.Call(t, "PATCH", "/v1/account", []byte(`{"language":"fr"}`)).Must(t, 200)
	why := "Vous recevez ce message parce que vous êtes propriétaire ou développeur"
	test := h.partner.InTest(t)
	test.SetEndpoint(t, h.receiver.URL)
	cancelled(t, test)
	disabledMail{
		"fr", "Votre point de terminaison du mode test a été désactivé", "Les événements du mode test du compte metro",
		"il a répondu 410 Gone", why,
	}.arrives(t, h, server, people)

	h.receiver.Answers(apptest.Always(500))
	h.enable(t, true)
	h.Clock.Advance(untilNext[0]) // the event that waits is due again
	h.Until(t, "SELECT count(*) FROM webhook_endpoints WHERE failures >= 2 AND enabled = 1", "1")
	h.Clock.Advance(6 * 24 * time.Hour)
	disabledMail{
		"fr", "Votre point de terminaison a été désactivé", "Les événements du compte metro",
		"aucun envoi n’a réussi depuis cinq jours", why,
	}.arrives(t, h, server, people)
}

// TestDisabledWithoutMail: without a mail server, no mail waits for one.
func TestDisabledWithoutMail(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	h.receiver.Answers(apptest.Always(410))
	cancelled(t, h.partner)
	h.Until(t, "SELECT enabled FROM webhook_endpoints", "0")
	if waiting := h.Query(t, "SELECT kind FROM mails WHERE kind = 'disabled'"); len(waiting) != 0 {
		t.Errorf("got the mails %v, want none", waiting)
	}
}
