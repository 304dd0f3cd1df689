package app_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// storedOrder returns the request in a file of testdata/orders.
func storedOrder(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("testdata/orders/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// codesOf returns the codes and fields of the warnings in an answer.
func codesOf(answer *apptest.Answer) (all []string) {
	for i := range answer.Len("warnings") {
		all = append(all, answer.Text("warnings", i, "code")+" "+answer.Text("warnings", i, "field"))
	}
	return all
}

// TestLegalStreetName: a street of Vancouver whose legal name is in letters of IPA is printed, so
// that there is no warning about the label.
func TestLegalStreetName(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	created := f.partner.Create(t, storedOrder(t, "legal_street_name.json")).Must(t, 201)
	if got, want := codesOf(created), []string{"late dropoff.time_window"}; !slices.Equal(got, want) {
		t.Errorf("got the warnings %v, want %v: %s", got, want, created.Body)
	}
	id := created.Text("order_id")
	for _, query := range []string{"", "?dpi=300", "?dpi=600"} {
		label := f.partner.Call(t, "GET", "/v1/orders/"+id+"/label"+query, nil, "Accept", "application/zpl").Must(t, 200)
		if text := regexp.MustCompile(`\^FD3895 [^^]*\?`).Find(label.Body); text != nil ||
			!bytes.Contains(label.Body, []byte("^GF")) {
			t.Errorf("%s: got %q, want the street as a picture", query, text)
		}
	}
	f.partner.Call(t, "GET", "/v1/orders/"+id+"/label", nil, "Accept", "application/pdf").Must(t, 200)
	shows(t, "portal", string(f.partner.Owner(t).Open(t, "/portal/orders/"+id).Must(t, 200).Body),
		map[string]string{"street": "3895 šxʷməθkʷəy̓əmasəm Street"})
}

// TestLongBarcode: the label of a parcel whose barcode is too long for bars has its number, by which
// a scan finds it, and a warning says so. Its short parcel_id finds nothing.
func TestLongBarcode(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	body := string(storedOrder(t, "long_barcode.json"))
	numbers := map[string]bool{}
	for i := range 3 { // with the same barcode
		created := f.partner.Create(t, []byte(strings.Replace(body, "CASE-03", fmt.Sprint("CASE-03-", i), 1))).Must(t, 201)
		want := []string{"late dropoff.time_window", "barcode_not_printed parcels[0].barcode"}
		if got := codesOf(created); !slices.Equal(got, want) {
			t.Errorf("got the warnings %v, want %v", got, want)
		}
		id := created.Text("order_id")
		label := f.partner.Call(t, "GET", "/v1/orders/"+id+"/label", nil, "Accept", "application/zpl").Must(t, 200)
		bars := regexp.MustCompile(`\^BC[^^]*\^FH\^FD([^^]*)\^FS`).FindSubmatch(label.Body)
		if bars == nil || !regexp.MustCompile(`^[0-9]{52}$`).Match(bars[1]) {
			t.Fatalf("got the bars %q of %s, want a number of 52 digits", bars, label.Body)
		}
		numbers[string(bars[1])] = true
		scan := f.operator.Call(t, "GET", "/ops/v1/scan?code="+string(bars[1]), nil).Must(t, 200)
		if scan.Len("matches") != 1 || scan.Text("matches", 0, "order", "order_id") != id {
			t.Errorf("%s: got %s, want order %s", bars[1], scan.Body, id)
		}
	}
	if len(numbers) != 3 {
		t.Errorf("got the numbers %v, want one for each order", numbers)
	}
	f.operator.Call(t, "GET", "/ops/v1/scan?code=1", nil).Refused(t, 404, "not_found")
	whole := f.operator.Call(t, "GET", "/ops/v1/scan?code="+url.QueryEscape("PKG-KELOWNA-WAREHOUSE-LOT-A-B-00"), nil)
	if whole.Must(t, 200).Len("matches") != 3 {
		t.Errorf("the barcode itself: got %s, want all three", whole.Body)
	}
}

// TestWindowWithoutSeconds: ISO 8601 allows times without seconds, which are answered as RFC 3339.
func TestWindowWithoutSeconds(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	created := f.partner.Create(t, storedOrder(t, "window_without_seconds.json")).Must(t, 201)
	got := created.Text("dropoff", "time_window", "start") + " " + created.Text("dropoff", "time_window", "end")
	if want := "2027-01-11T09:00:00.000-05:00 2027-01-11T17:00:00.000-05:00"; got != want {
		t.Errorf("got the window %s, want %s", got, want)
	}
}

// TestBlankNameAndStreet: an order whose recipient and street are blank is refused at both.
func TestBlankNameAndStreet(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	before := f.Content(t)
	refused := f.partner.Create(t, storedOrder(t, "blank_name_and_street.json")).Refused(t, 422, "validation_error")
	var got []string
	for i := range refused.Len("error", "details", "errors") {
		got = append(got, refused.Text("error", "details", "errors", i, "field")+": "+
			refused.Text("error", "details", "errors", i, "expected"))
	}
	want := []string{"dropoff.name: a text that is not blank", "dropoff.address.line1: a text that is not blank"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	f.Unchanged(t, before)
}
