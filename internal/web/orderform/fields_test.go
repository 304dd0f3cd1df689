package orderform

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestFormHasEveryField fails for a field of a request that nobody can type.
func TestFormHasEveryField(t *testing.T) {
	t.Parallel()
	var request delivery.OrderRequest
	testkit.Fill(&request)
	var got []string
	for _, path := range testkit.Members(t, record.EncodeRequest(&request)) {
		if _, _, ok := findField(path); !ok {
			got = append(got, path)
		}
	}
	want := []string{
		"dropoff.address.country", // there is only one
		"metadata.in",             // for programs
		"pickup.address.country",
	}
	testkit.CompareIgnored(t, "the form", got, want)
}

// TestContactFieldsAreThoseOfTheForm fails for a field of the form that is not filled in when an order is copied.
func TestContactFieldsAreThoseOfTheForm(t *testing.T) {
	t.Parallel()
	var contact delivery.Contact
	testkit.Fill(&contact)
	filled := ContactFields(&contact)
	for _, field := range contactFields {
		if !strings.HasPrefix(field.name, "time_window.") && filled[field.name] == "" {
			t.Errorf("ContactFields: got no value for %s", field.name)
		}
		if !strings.HasPrefix(field.name, "time_window.") && !slices.Contains(saved.FieldsOf(saved.Recipient), field.name) {
			t.Errorf("saved: got no %s in the fields of an address that is kept", field.name)
		}
	}
}

// TestFormShowsEveryField fails for a field of the form that its template leaves out.
func TestFormShowsEveryField(t *testing.T) {
	t.Parallel()
	template, err := os.ReadFile("../page/templates/order_form.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range slices.Concat(orderFields, contactFields, parcelFields, moneyFields, itemFields) {
		if field.name == "partner_order_id" || field.name == "quote_id" {
			continue // of new orders only
		}
		if !strings.Contains(string(template), field.name+`"`) {
			t.Errorf("order_form.html: got no field %s", field.name)
		}
	}
}
