package portal_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

const addresses = "/portal/addresses"

var entryPath = regexp.MustCompile(`/portal/addresses/(?:sender|recipient|parcel)/[0-9a-f]{24}`)

// TestSavedAddresses saves a recipient with an order, finds it by its beginning in the next form, changes it and
// removes it.
func TestSavedAddresses(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.As(t, "clerk")}
	values := append(append([]string{}, filled...), "dropoff.email", "", "_keep_dropoff", "yes", "_keep_pickup", "yes")
	first := clerk.Send(t, clerk.Open(t, newOrder), newOrder, values...).Must(t, http.StatusConflict)
	contains(t, first, `name="_keep_dropoff" value="yes" checked`)
	clerk.Send(t, first, newOrder).Must(t, http.StatusSeeOther)
	shown := clerk.Open(t, newOrder+"?mode=test").Must(t, http.StatusOK)
	contains(t, shown, `<option value="Alex Martin, 1 Queen Street, Toronto">`, "Épicerie Métro, 4000 Rue Saint-Denis")
	body := shown.Form(t, newOrder+"?mode=test", "_act", "saved:dropoff", "_saved_dropoff", "alex m")
	filledIn := clerk.Do(t, "POST", newOrder+"/quote?mode=test", body, "Cookie", clerk.Cookie, "Accept", "text/html",
		"Content-Type", "application/x-www-form-urlencoded").Must(t, http.StatusOK)
	for field, want := range map[string]string{
		"dropoff.name": "Alex Martin", "dropoff.phone": "+14165550100", "dropoff.address.postal_code": "M5H 2N2",
		"dropoff.address.province": "ON", "dropoff.email": "",
	} {
		if got := apptest.FieldOf(t, filledIn, newOrder+"?mode=test", field); got != want {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
	list := clerk.Open(t, addresses).Must(t, http.StatusOK)
	contains(t, list, "Alex Martin", "1 Queen Street, Toronto", "Épicerie Métro")
	path := entryPath.FindString(string(list.Body))
	clerk.Send(t, clerk.Open(t, path), path, "name", "Alex M.", "phone", "none").Must(t, http.StatusUnprocessableEntity)
	clerk.Send(t, clerk.Open(t, path), path, "name", "Alex M.", "phone", "(416) 555-0199").Must(t, http.StatusSeeOther)
	list = clerk.Open(t, addresses).Must(t, http.StatusOK)
	contains(t, list, "Alex M.")
	if bytes.Contains(list.Body, []byte("Alex Martin")) {
		t.Error("got both names, want the changed address in the place of the earlier one")
	}
	path = entryPath.FindString(string(list.Body))
	if got := apptest.FieldOf(t, clerk.Open(t, path), path, "phone"); got != "+14165550199" {
		t.Errorf("got the phone %q, want it with its country", got)
	}
	clerk.Send(t, clerk.Open(t, path), path+"/remove").Must(t, http.StatusSeeOther)
	if bytes.Contains(clerk.Open(t, addresses).Body, []byte("Alex M.")) {
		t.Error("got an address that was removed")
	}
	if other := s.Register(t, "nord").As(t, "clerk"); bytes.Contains(other.Open(t, addresses).Body, []byte("Épicerie")) {
		t.Error("got the address of another partner")
	}
	metro.As(t, "reader").Open(t, addresses).Must(t, http.StatusForbidden)
}

// TestOrderWithoutItsAddresses: an order that was created is shown, and the page says that its addresses were not
// saved.
func TestOrderWithoutItsAddresses(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	var writes atomic.Int64
	s := apptest.Start(t, func(_ *config.Config, world *app.Surroundings) {
		world.BeforeWrites = func(ctx context.Context) error {
			// The first claims the key of the form. The order itself is written by the committer, without an actor.
			if broken.Load() && actor.Of(ctx) != nil && writes.Add(1) > 1 {
				return errors.New("broken by the test")
			}
			return nil
		}
	})
	clerk := desk{s.Register(t, "metro").As(t, "clerk")}
	values := append(append([]string{}, filled...), "_keep_dropoff", "yes")
	priced := clerk.Send(t, clerk.Open(t, newOrder), newOrder, values...).Must(t, http.StatusConflict)
	broken.Store(true)
	created := clerk.Send(t, priced, newOrder).Must(t, http.StatusSeeOther)
	broken.Store(false)
	flash, _, _ := strings.Cut(created.Header.Get("Set-Cookie"), ";")
	shown := clerk.Do(t, "GET", created.Header.Get("Location"), nil, "Cookie", clerk.Cookie+"; "+flash,
		"Accept", "text/html").Must(t, http.StatusOK)
	contains(t, shown, "was created, but its addresses were not saved for later")
	if list := clerk.Open(t, addresses); bytes.Contains(list.Body, []byte("Alex Martin")) {
		t.Error("got an address that could not be saved")
	}
}

// TestSavedParcels fills a parcel of an order, and those of an imported file, in with a saved one.
func TestSavedParcels(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.As(t, "clerk")}
	adding := addresses + "/parcel"
	clerk.Send(t, clerk.Open(t, adding), adding, "name", "", "weight_kg", "900").Must(t, http.StatusUnprocessableEntity)
	clerk.Send(t, clerk.Open(t, adding), adding, "name", "Small box", "description", "Cups", "weight_kg", "1,5",
		"length_cm", "30", "width_cm", "20", "height_cm", "10", "value_cents", "45.50").Must(t, http.StatusSeeOther)
	list := clerk.Open(t, addresses)
	contains(t, list, "Small box", "1.5 kg · 30 × 20 × 10 cm")
	path := entryPath.FindString(string(list.Body))
	contains(t, clerk.Open(t, path), `value="45.50"`)
	id := path[strings.LastIndex(path, "/")+1:]
	shown := clerk.press(t, clerk.Open(t, newOrder+"?parcels=2"), "preset:1", "_preset_1", id)
	for field, want := range map[string]string{
		"parcels[0].weight_kg": "", "parcels[1].weight_kg": "1.5", "parcels[1].value_cents": "45.50",
		"parcels[1].description": "Cups", "parcels[1].parcel_id": "P-2",
	} {
		if got := apptest.FieldOf(t, shown, newOrder, field); got != want {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
	draft := draftOf(t, upload(t, clerk.User, importPage, shopFile(t, "shopify.csv")))
	withoutParcel := append(append([]string{}, whatShopsLack[:len(whatShopsLack)-10]...), "parcel", id)
	contains(t, check(t, clerk.User, draft, withoutParcel...), "Create 2 orders")
}
