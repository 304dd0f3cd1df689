package portal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
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

// TestSavedEntriesStay: no entry takes the place of another that has its name, and none is saved from a page that shows
// it as it no longer is. The same form may be sent twice.
func TestSavedEntriesStay(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk, colleague := desk{metro.As(t, "clerk")}, desk{metro.As(t, "clerk")}
	add := func(kind string, values ...string) (path string) {
		t.Helper()
		adding := addresses + "/" + kind
		shown := clerk.Open(t, adding)
		for range 2 { // the second time is a double click
			clerk.Send(t, shown, adding, values...).Must(t, http.StatusSeeOther)
		}
		list := string(clerk.Open(t, addresses).Must(t, http.StatusOK).Body)
		return regexp.MustCompile(`href="([^"]*)">` + values[1] + `</a>`).FindStringSubmatch(list)[1]
	}
	has := func(names ...string) {
		t.Helper()
		if got := s.Query(t, "SELECT name FROM saved_entries ORDER BY name"); !slices.Equal(got, names) {
			t.Errorf("got the entries %q, want %q", got, names)
		}
	}

	small := add("parcel", "name", "Small box", "weight_kg", "1")
	large := add("parcel", "name", "Large box", "weight_kg", "9")
	taken := clerk.Send(t, clerk.Open(t, large), large, "name", "Small box").Must(t, http.StatusConflict)
	contains(t, taken, "There is another parcel with this name.", `value="9"`)
	adding := addresses + "/parcel"
	clerk.Send(t, clerk.Open(t, adding), adding, "name", "small box").Must(t, http.StatusConflict)
	contains(t, clerk.Open(t, small), `value="1"`)
	has("Large box", "Small box")

	sam := add("recipient", "name", "Sam Roy", "address.postal_code", "H2X 1Y4")
	adding = addresses + "/recipient"
	taken = clerk.Send(t, clerk.Open(t, adding), adding, "name", "Sam Roy", "address.postal_code", "h2x1y4")
	contains(t, taken.Must(t, http.StatusConflict), "There is another address with this name and postal code.")

	stale, renaming := colleague.Open(t, sam), clerk.Open(t, sam)
	clerk.Send(t, clerk.Open(t, sam), sam, "phone", "416-555-0100").Must(t, http.StatusSeeOther)
	shown := colleague.Send(t, stale, sam, "phone", "514-555-0100").Must(t, http.StatusConflict)
	contains(t, shown, "Someone else changed this entry", "You had entered: 514-555-0100")
	if got := apptest.FieldOf(t, shown, sam, "phone"); got != "+14165550100" {
		t.Errorf("got the phone %q, want it as it is now", got)
	}
	clerk.Send(t, renaming, sam, "name", "Sam R.").Must(t, http.StatusConflict)

	renaming = clerk.Open(t, sam)
	for range 2 {
		clerk.Send(t, renaming, sam, "name", "Sam R.").Must(t, http.StatusSeeOther)
	}
	gone := colleague.Send(t, shown, sam, "name", "Sam Roy Jr.").Must(t, http.StatusConflict)
	contains(t, gone, "Someone else renamed or removed this entry", `value="Sam Roy Jr."`)
	has("Large box", "Sam R.", "Small box")
	colleague.Send(t, gone, adding).Must(t, http.StatusSeeOther)
	has("Large box", "Sam R.", "Sam Roy Jr.", "Small box")
}

// TestOrdersUpdateSavedAddresses: the address that is saved with an order takes the place of an earlier one of the same
// person.
func TestOrdersUpdateSavedAddresses(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	clerk := desk{s.Register(t, "metro").As(t, "clerk")}
	for i, street := range []string{"1 Queen Street", "2 King Street"} {
		values := append(append([]string{}, filled...), "_keep_dropoff", "yes", "dropoff.address.line1", street,
			"partner_order_id", fmt.Sprint("K-", i))
		priced := clerk.Send(t, clerk.Open(t, newOrder), newOrder, values...).Must(t, http.StatusConflict)
		clerk.Send(t, priced, newOrder).Must(t, http.StatusSeeOther)
		list := clerk.Open(t, addresses).Must(t, http.StatusOK)
		contains(t, list, street)
		if n := bytes.Count(list.Body, []byte("Alex Martin")); n != 1 {
			t.Errorf("got %d addresses of the recipient, want one", n)
		}
	}
}
