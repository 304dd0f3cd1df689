package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// warningCases has an order for each kind of warnings: what is changed of one without any, by
// path, and the warnings, as a code and a field.
var warningCases = []struct {
	name    string
	changes map[string]any
	want    []string
}{
	{"nothing", nil, nil},
	{"no apartment, French and Inuktitut", map[string]any{
		"dropoff.name": "Ève Œuvrard ᐃᖃᓗᐃᑦ", "dropoff.address.line2": nil, "dropoff.address.line1": "4, rue de l’Église",
	}, nil},
	{"a dropoff before the pickup", map[string]any{
		"dropoff.time_window.start": "2026-01-05T09:00:00Z", "dropoff.time_window.end": "2026-01-05T10:00:00Z",
	}, []string{"dropoff_before_pickup dropoff.time_window", "late dropoff.time_window"}},
	{"late", map[string]any{"dropoff.time_window.end": "2026-01-15T17:00:00-05:00"},
		[]string{"late dropoff.time_window"}},
	{"a pickup on a Saturday", map[string]any{
		"pickup.time_window.start": "2026-01-17T13:00:00-05:00", "pickup.time_window.end": "2026-01-17T16:00:00-05:00",
	}, []string{"no_business_day pickup.time_window"}},
	{"a dropoff on a Sunday", map[string]any{
		"dropoff.time_window.start": "2026-01-25T09:00:00-05:00", "dropoff.time_window.end": "2026-01-25T17:00:00-05:00",
	}, []string{"no_business_day dropoff.time_window"}},
	{"another province", map[string]any{"dropoff.address.postal_code": "h2x 1y4"},
		[]string{"province_mismatch dropoff.address.postal_code"}},
	{"a post office box", map[string]any{"dropoff.address.line1": "P.O. Box 12"},
		[]string{"post_office_box dropoff.address.line1"}},
	{"a post office box in French", map[string]any{"pickup.address.line2": "C.P. 300, succursale Delorimier"},
		[]string{"post_office_box pickup.address.line2"}},
	{"a domain that cannot exist", map[string]any{
		"dropoff.email": "alex@shop.con",
	}, []string{"email_domain dropoff.email"}},
	{"a digit too few", map[string]any{"pickup.phone": "+1514555010"}, []string{"phone_length pickup.phone"}},
	{"a script that is not printed", map[string]any{"dropoff.name": "山田太郎"}, []string{"label_not_printed dropoff.name"}},
	{"a long street", map[string]any{"dropoff.address.line1": strings.Repeat("Longueuil ", 20) + "3"},
		[]string{"label_cut dropoff.address.line1"}},
	{"a long number of a parcel", map[string]any{"parcels.1.parcel_id": strings.Repeat("W", 100)},
		[]string{"label_cut parcels[1].parcel_id"}},
	{"a long barcode", map[string]any{"parcels.1.barcode": strings.Repeat("M", 40)},
		[]string{"barcode_not_printed parcels[1].barcode"}},
	{"all at once", map[string]any{
		"pickup.phone": "+1514555010", "pickup.email": "shop@shop.con", "dropoff.address.line1": "general delivery",
		"dropoff.address.province": "QC", "dropoff.name": "山田", "parcels.0.barcode": "é",
	}, []string{
		"phone_length pickup.phone", "email_domain pickup.email", "post_office_box dropoff.address.line1",
		"province_mismatch dropoff.address.postal_code", "label_not_printed dropoff.name",
		"barcode_not_printed parcels[0].barcode",
	}},
}

// TestWarningCodes: each kind of warnings is in the answers to a quote, a validation, a creation
// and an import, with the path of its field, and not in that of an order without faults.
func TestWarningCodes(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	var imported [][]byte
	seen := map[string]bool{}
	for i, c := range warningCases {
		for _, warning := range c.want {
			code, _, _ := strings.Cut(warning, " ")
			seen[code] = true
		}
		body := changedOrder(t, fmt.Sprintf("W-%d", i), c.changes)
		imported = append(imported, changedOrder(t, fmt.Sprintf("I-%d", i), c.changes))
		for name, answer := range map[string]*apptest.Answer{
			"quote":    p.Call(t, "POST", "/v1/rates/quote", body).Must(t, 200),
			"validate": p.Call(t, "POST", "/v1/orders/validate", body).Must(t, 200),
			"create":   p.Create(t, body).Must(t, 201),
		} {
			if got := warningsIn(t, answer); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: got the warnings %q, want %q", c.name, name, got, c.want)
			}
		}
	}
	results := batchAs(t, p, uuid.NewString(), batchOf(imported...)).Must(t, 200)
	for i, c := range warningCases {
		if got := warningsIn(t, results, "results", i, "order"); !slices.Equal(got, c.want) {
			t.Errorf("%s, import: got the warnings %q, want %q", c.name, got, c.want)
		}
	}
	for _, code := range delivery.WarningCodes {
		if !seen[string(code)] {
			t.Errorf("no order has the warning %s, want one for each", code)
		}
	}
}

// warningsIn returns the warnings of an answer or of a part of it, and expects that each has a
// message.
func warningsIn(t *testing.T, answer *apptest.Answer, part ...any) (warnings []string) {
	t.Helper()
	at := slices.Concat(part, []any{"warnings"})
	if answer.JSON(at...) == nil {
		return nil
	}
	for i := range answer.Len(at...) {
		of := func(member string) string { return answer.Text(slices.Concat(at, []any{i, member})...) }
		if of("message") == "" {
			t.Errorf("got a warning %s without a message: %s", of("code"), answer.Body)
		}
		warnings = append(warnings, of("code")+" "+of("field"))
	}
	return warnings
}

// changedOrder returns an order without warnings in which values are changed by their paths, such
// as parcels.1.barcode. Nil removes a member.
func changedOrder(t *testing.T, reference string, changes map[string]any) []byte {
	t.Helper()
	var order map[string]any
	if err := json.Unmarshal(testkit.OrderJSON(reference, ""), &order); err != nil {
		t.Fatal(err)
	}
	change(order, "dropoff.time_window.end", "2026-01-30T17:00:00-05:00")
	for path, value := range changes {
		change(order, path, value)
	}
	body, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// change changes a value in a document.
func change(in any, path string, value any) {
	name, rest, nested := strings.Cut(path, ".")
	switch in := in.(type) {
	case []any:
		change(in[int(name[0]-'0')], rest, value)
	case map[string]any:
		switch {
		case nested:
			change(in[name], rest, value)
		case value == nil:
			delete(in, name)
		default:
			in[name] = value
		}
	}
}
