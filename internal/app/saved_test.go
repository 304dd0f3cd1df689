package app_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
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
func startImport(t *testing.T, clerk *apptest.User, content string) {
	t.Helper()
	const path = "/portal/orders/import"
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("_key", apptest.FieldOf(t, clerk.Open(t, path), path, "_key")) // writes to memory
	file, err := form.CreateFormFile("file", "orders.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write([]byte(content))
	_ = form.Close()
	clerk.Do(t, "POST", path, body.Bytes(), "Cookie", clerk.Cookie, "Accept", "text/html", "Content-Type",
		form.FormDataContentType()).Must(t, http.StatusSeeOther)
}

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
			startImport(t, clerk, "Order number,Recipient\nA-2,Alex Martin\n")
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

// TestSweepRemovesImports removes files after a day, those of test accounts too. Saved addresses stay.
func TestSweepRemovesImports(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	clerk := f.partner.As(t, "clerk")
	saveRecipient(t, clerk)
	startImport(t, clerk, "Order number,Recipient\nA-2,Alex Martin\n")
	f.Clock.Advance(23 * time.Hour)
	f.Sweep(t, retention.Policy{})
	if left := f.Query(t, "SELECT count(*) FROM import_drafts"); left[0] != "1" {
		t.Errorf("got %s files within a day, want one", left[0])
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
