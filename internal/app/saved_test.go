package app_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
)

// saveRecipient saves the recipient of testkit.OrderJSON on the page of addresses.
func saveRecipient(t *testing.T, clerk *apptest.User) {
	t.Helper()
	const path = "/portal/addresses/recipient"
	clerk.Send(t, clerk.Open(t, path), path, "name", "Alex Martin", "phone", "+14165550123", "email", "Alex@Example.com",
		"address.line1", "100 Queen Street W", "address.postal_code", "M5H 2N2").Must(t, http.StatusSeeOther)
}

// startImport sends a file of orders to the page of imports.
func startImport(t *testing.T, clerk *apptest.User, path string) *apptest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("_key", apptest.FieldOf(t, clerk.Open(t, path), path, "_key")) // writes to memory
	file, err := form.CreateFormFile("file", "orders.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write([]byte("Order number,Recipient\nA-2,Alex Martin\n"))
	_ = form.Close()
	return clerk.Do(t, "POST", path, body.Bytes(), "Cookie", clerk.Cookie, "Accept", "text/html", "Content-Type",
		form.FormDataContentType())
}

const importPath = "/portal/orders/import"

// TestErasureOfSavedAddresses: an erasure removes what a partner's people have saved of the recipient, and the files
// that they are importing. An export has what they have saved.
func TestErasureOfSavedAddresses(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"order", "recipient"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := newFloor(t)
			clerk := f.partner.As(t, "clerk")
			id := f.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
			saveRecipient(t, clerk)
			const sender = "/portal/addresses/sender"
			clerk.Send(t, clerk.Open(t, sender), sender, "name", "Our shop").Must(t, http.StatusSeeOther)
			startImport(t, clerk, importPath).Must(t, http.StatusSeeOther)
			if kept := lines(t, f.export(t))["saved_entry"]; len(kept) != 2 || kept[0]["name"] != "Alex Martin" {
				t.Errorf("got %v in the export, want both addresses", kept)
			}
			ids, recipient := []string{id}, ""
			if way == "recipient" {
				ids, recipient = nil, "alex@example.com"
			}
			if _, err := f.erase(t, ids, recipient, true); err != nil {
				t.Fatal(err)
			}
			if left := f.Query(t, "SELECT name FROM saved_entries"); len(left) != 1 || left[0] != "Our shop" {
				t.Errorf("got the addresses %q, want that of the sender only", left)
			}
			if left := f.Query(t, "SELECT count(*) FROM import_drafts"); left[0] != "0" {
				t.Errorf("got %s files, want none", left[0])
			}
			f.Audit(t)
		})
	}
}

// TestErasureOfAddressesWithoutEmail: an erasure by e-mail address also removes what is saved without one under the
// names that the orders have or had, at either end.
func TestErasureOfAddressesWithoutEmail(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"alex@example.com": "Alex & Co, Épicerie Métro", "shop@example.com": "Alex & Co, Alex Martin, Alexandra Martin",
	} {
		f := newFloor(t)
		clerk := f.partner.As(t, "clerk")
		id := f.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
		edit(t, f.partner, id, `{"dropoff":{"name":"Alexandra Martin"}}`).Must(t, 200)
		for _, saved := range [][3]string{
			{"recipient", "Alex Martin", "M5H 2N2"}, {"recipient", "Alexandra Martin", "m5h2n2"},
			{"recipient", "Alex & Co", "M5H 2N2"}, {"sender", "Épicerie Métro", "H2W 2M5"},
		} {
			path := "/portal/addresses/" + saved[0]
			clerk.Send(t, clerk.Open(t, path), path, "name", saved[1], "address.postal_code", saved[2]).Must(t,
				http.StatusSeeOther)
		}
		if _, err := f.erase(t, nil, email, true); err != nil {
			t.Fatal(err)
		}
		left := f.Query(t, "SELECT name FROM saved_entries")
		slices.Sort(left)
		if got := strings.Join(left, ", "); got != want {
			t.Errorf("%s: got the addresses %s, want %s", email, got, want)
		}
	}
}

// TestErasureOfAccountAddress refuses the account's own address, which imported orders have if they have none of the
// recipient: over HTTP, by the command and on the page.
func TestErasureOfAccountAddress(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	body := bytes.ReplaceAll(testkit.OrderJSON("A-1", ""), []byte("alex@example.com"), []byte("metro@example.com"))
	id := f.partner.Create(t, body).Must(t, 201).Text("order_id")
	refused := f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/erasures",
		[]byte(`{"recipient":"Metro@example.com","force":true}`)).Refused(t, 422, "validation_error")
	if got := refused.Text("error", "details", "field"); got != "recipient" {
		t.Errorf("got %s, want a fault of the recipient", refused.Body)
	}
	if _, err := f.erase(t, nil, "metro@example.com", true); err == nil {
		t.Error("got no error of the command, want a refusal")
	}
	if got := f.read(t, id).Text("dropoff", "name"); got != "Alex Martin" {
		t.Errorf("got the recipient %q, want it unchanged", got)
	}
	if got, err := f.erase(t, []string{id}, "", true); err != nil || got != 1 {
		t.Errorf("got %d orders, error %v, want one erased by its id", got, err)
	}
}

// TestSweepRemovesTitles removes the titles of files that earlier versions have kept.
func TestSweepRemovesTitles(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.Execute(t, `INSERT INTO saved_entries (partner_id, kind, entry_id, name, email, document, updated_at)
		VALUES ('`+f.partner.PartnerID+`', 'columns', 'e1', '', '', '{"Jane Doe":"dropoff.name"}', 0)`)
	f.Sweep(t, retention.Policy{})
	if left := f.Query(t, "SELECT count(*) FROM saved_entries"); left[0] != "0" {
		t.Errorf("got %s entries, want none", left[0])
	}
}

// TestSweepRemovesImports removes files after a day, also in test mode without a test key. Saved addresses stay.
func TestSweepRemovesImports(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	clerk := f.partner.As(t, "clerk")
	saveRecipient(t, clerk)
	for _, mode := range []string{"", "?mode=test"} {
		startImport(t, clerk, importPath+mode).Must(t, http.StatusSeeOther)
	}
	f.Clock.Advance(23 * time.Hour)
	f.Sweep(t, retention.Policy{})
	if left := f.Query(t, "SELECT count(*) FROM import_drafts"); left[0] != "2" {
		t.Errorf("got %s files within a day, want two", left[0])
	}
	f.Clock.Advance(2 * time.Hour)
	f.Sweep(t, retention.Policy{})
	if left := f.Query(t, "SELECT count(*) FROM import_drafts"); left[0] != "0" {
		t.Errorf("got %s files after a day, want none", left[0])
	}
	if left := f.Query(t, "SELECT count(*) FROM saved_entries"); left[0] != "1" {
		t.Errorf("got %s addresses, want one", left[0])
	}
}
