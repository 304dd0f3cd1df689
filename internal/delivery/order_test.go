package delivery_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// fieldRules lists values, in JSON, that are valid and invalid in a field of an
// order. An empty value stands for a missing field.
var fieldRules = []struct {
	field          string
	valid, invalid []string
}{
	{"partner_order_id", []string{`"x"`, many("é",
		255), `"A 1"`}, []string{`"  "`, `"A "`, ``, `null`, `12`, `""`, `true`, `[]`, `{}`, `"a\u0000"`, many("x", 256)}},
	{"service_level", []string{
		`"standard"`, `"express"`, `"same_day"`,
	}, []string{``, `null`, `"Standard"`, `"overnight"`, `1`, `["standard"]`}},
	{"reference", []string{``, `null`, `""`, many("字", 100)}, []string{many("x", 101), `5`, `"\u0000"`, `{}`}},
	{"instructions", []string{``, `null`, `"a\nb"`, many("x", 1000)}, []string{many("x", 1001), `false`, `[]`}},
	{"quote_id", []string{``, `null`, `"quo_1"`}, []string{`""`, `1`, many("x", 1001)}},

	{"metadata", []string{``, `null`, `{}`, `{"a":{"b":[null,1e400,"\u0000"]}}`}, []string{`[]`, `"{}"`, `1`, `{"a":` +
		many("x", 16<<10) + `}`}},
	{"items", []string{
		``, `null`, `[]`, `[{"product_id":1,"quantity":1},{"product_id":1,"quantity":1}]`,
	}, []string{`{}`, `"x"`, `1`}},

	{"pickup", nil, []string{``, `null`, `"x"`, `[]`, `1`}},
	{"pickup.name", []string{`"x"`, many("x", 255)}, []string{``, `null`, `""`, `7`, `"\u0000"`, many("x", 256)}},
	{"pickup.phone", []string{`"+1514555"`, `"+442071838750"`, `"+123456789012345"`},
		[]string{
			``, `null`, `"5145550100"`, `"+0123456789"`, `"+123456"`, `"+1234567890123456"`, `"+1 514 555 0100"`, `"+1514555\n"`,
			`15145550100`,
		}},
	{"pickup.email", []string{`"a@b"`, `"a.b+c@example.co.uk"`, `"o'neil@example.com"`},
		[]string{
			``, `null`, `""`, `"a"`, `"@b"`, `"a@"`, `"a@@b"`, `"a b@c"`, `"Quai <a@b.c>"`, `"a@b,c@d"`, `"a@-b"`, `"a@b..c"`,
			`"é@b.c"`, `"a@b.c\n"`, many("x", 250)[:251] + `@b.ca"`,
		}},

	{"dropoff.address", nil, []string{``, `null`, `"x"`, `[{}]`}},
	{"dropoff.address.line1", []string{`"1"`}, []string{``, `null`, `""`, `12`, many("x", 256)}},
	{"dropoff.address.line2", []string{``, `null`, `""`, many("x", 255)}, []string{`12`, many("x", 256)}},
	{"dropoff.address.notes", []string{``, `null`, many("x", 1000)}, []string{`12`, many("x", 1001)}},
	{"dropoff.address.city", []string{`"Ste-Anne"`}, []string{``, `null`, `""`, many("x", 256)}},
	{"dropoff.address.province", []string{`"ON"`, `"NL"`, `"YT"`}, []string{
		``, `null`, `"on"`, `"NO"`, `"XX"`, `""`, `true`,
	}},
	{"dropoff.address.country", []string{`"CA"`}, []string{``, `null`, `"ca"`, `"US"`, `"Canada"`}},
	{"dropoff.address.postal_code", []string{`"H2X1Y4"`, `"h2x 1y4"`, `"V9Z 0Z9"`},
		[]string{
			``, `null`, `"H2X  1Y4"`, `"H2X-1Y4"`, `"D2X 1Y4"`, `"W2X 1Y4"`, `"Z2X 1Y4"`, `"H2O 1Y4"`, `"H2X 1U4"`, `"90210"`,
			`" H2X 1Y4"`, `"H2X 1Y4\n"`,
		}},

	{"pickup.time_window", nil, []string{``, `null`, `[]`, `"2026-03-02T09:00:00Z"`}},
	{"pickup.time_window.start", []string{`"1970-01-01T00:00:00Z"`, `"2020-01-01T00:00:00.123456789+05:30"`},
		[]string{``, `null`, `1767225600`, `"2026-03-02"`, `"1969-12-31T23:59:59Z"`}},
	{"pickup.time_window.end", []string{`"9999-12-31T23:59:59Z"`},
		[]string{
			``, `null`, `"2026-03-02T09:00:00-05:00"`, `"2026-03-02T08:59:59-05:00"`, `"2026-03-02T13:59:59Z"`,
			`"9999-12-31T23:59:59-01:00"`,
		}},

	{"parcels", []string{parcels(1), parcels(50)}, []string{``, `null`, `[]`, `{}`, `"x"`, parcels(51)}},
	{"parcels[0]", nil, []string{`null`, `1`, `"x"`, `[]`}},
	{"parcels[0].parcel_id", []string{`"x"`}, []string{``, `null`, `""`, `1`}},
	{"parcels[0].description", []string{many("x", 1000)}, []string{``, `null`, `""`, many("x", 1001)}},
	{"parcels[0].length_cm", []string{
		`0.1`, `300`, `3e2`, `300.0`, `1E-1`,
	}, []string{``, `null`, `"30"`, `0`, `0.09`, `300.01`, `-1`, `1e400`, `-1e400`, `1e-400`}},
	{"parcels[0].width_cm", []string{`0.1`, `300`}, []string{``, `null`, `0`, `300.01`}},
	{"parcels[0].height_cm", []string{`0.1`, `300`}, []string{``, `null`, `0`, `300.01`}},
	{"parcels[0].weight_kg", []string{`0.01`, `70`}, []string{``, `null`, `"2"`, `0.009`, `70.001`, `true`}},
	{"parcels[0].value_cents", []string{
		`0`, `-0`, `100.0`, `1e2`, `100000000000`,
	}, []string{``, `null`, `10.5`, `-1`, `"100"`, `1e400`, `100000000001`, `1e-1`}},
	{"parcels[0].fragile", []string{``, `null`, `true`, `false`}, []string{`"true"`, `1`, `{}`}},
	{"parcels[0].barcode", []string{``, `null`, `""`, many("x", 255)}, []string{`12`, many("x", 256)}},

	{"cod", []string{
		``, `null`, `{"amount_cents":0,"currency":"CAD"}`, `{"amount_cents":5e2,"currency":"USD"}`,
	}, []string{`5`, `[]`}},
	{"cod.amount_cents", []string{`0`, `100000000000`}, []string{``, `null`, `-1`, `0.5`, `100000000001`}},
	{"cod.currency", []string{`"CAD"`, `"USD"`}, []string{``, `null`, `"EUR"`}},
	{"insurance.amount_cents", []string{`0`, `100000000000`}, []string{``, `null`, `-1`, `100000000001`}},
	{"insurance.currency", nil, []string{`"EUR"`, `"cad"`, `1`}},
}

// withBlock adds the other fields of the optional block that a field belongs to.
func withBlock(t *testing.T, body, field string) string {
	if block, _, nested := strings.Cut(field, "."); nested && (block == "cod" || block == "insurance") {
		body = set(t, body, block+".amount_cents", `1`)
		if field != "insurance.currency" {
			body = set(t, body, block+".currency", `"CAD"`)
		}
	}
	return body
}

func TestFieldRules(t *testing.T) {
	t.Parallel()
	for _, rule := range fieldRules {
		t.Run(rule.field, func(t *testing.T) {
			t.Parallel()
			body := withBlock(t, orderBody, rule.field)
			for _, value := range rule.valid {
				if _, problems := read(parse(t, set(t, body, rule.field, value)), delivery.ReadOrderRequest); len(problems) > 0 {
					t.Errorf("%.60s: got %+v, want no problems", value, problems)
				}
			}
			for _, value := range rule.invalid {
				_, problems := read(parse(t, set(t, body, rule.field, value)), delivery.ReadOrderRequest)
				if got := fieldsOf(problems); !slices.Equal(got, []string{rule.field}) || problems[0].Expected == "" {
					t.Errorf("%.60s: got problems %+v, want one at %s with what is expected", value, problems, rule.field)
				}
			}
		})
	}
}

func TestItemRules(t *testing.T) {
	t.Parallel()
	for items, want := range map[string][]string{
		`[{"product_id":9007199254740992,"quantity":1000000000}]`: {},
		`[{"product_id":0,"quantity":0}]`:                         {"items[0].product_id", "items[0].quantity"},
		`[{"product_id":1,"quantity":1},7,{"product_id":"1"}]`:    {"items[1]", "items[2].product_id", "items[2].quantity"},
		`[{"product_id":1.5,"quantity":1000000001}]`:              {"items[0].product_id", "items[0].quantity"},
		`[{"product_id":9007199254740993,"quantity":1e0}]`:        {"items[0].product_id"},
		"[" + strings.Repeat(`{},`, 1000) + "{}]":                 {"items"},
	} {
		_, problems := read(parse(t, set(t, orderBody, "items", items)), delivery.ReadOrderRequest)
		if got := fieldsOf(problems); !slices.Equal(got, want) {
			t.Errorf("%.60s: got problems at %q, want %q", items, got, want)
		}
	}
}

func TestOrderIsReadAsSent(t *testing.T) {
	t.Parallel()
	body := set(t, orderBody, "metadata", `{ "b" : 1.50 , "a":[ ] }`)
	body = set(t, body, "cod", `{"amount_cents":100.0,"currency":"USD"}`)
	body = set(t, body, "unknown", `{"ignored":true}`)
	body = set(t, body, "parcels[0].fragile", `true`)
	// The other edits have compacted the metadata.
	body = strings.Replace(body, `{"a":[],"b":1.50}`, `{ "b" : 1.50 , "a":[ ] }`, 1)
	got, problems := read(parse(t, body), delivery.ReadOrderRequest)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	const start, end = "2026-03-02T09:00:00-05:00", "2026-03-02T12:00:00-05:00" // at the offset that was sent
	window := got.Pickup.Window
	parcel := delivery.Parcel{
		ParcelID: "p1", Description: "Books", LengthCm: 30, WidthCm: 20.5, HeightCm: 10, WeightKg: 2.25, ValueCents: 5000,
		Fragile: true,
	}
	switch {
	case !bytes.Equal(got.Metadata, []byte(`{ "b" : 1.50 , "a":[ ] }`)):
		t.Errorf("got metadata %s, want it as sent", got.Metadata)
	case got.COD == nil || *got.COD != delivery.Money{AmountCents: 100, Currency: delivery.USD} || got.Insurance != nil:
		t.Errorf("got COD %v, insurance %v, want 100 cents USD and nil", got.COD, got.Insurance)
	case window.Start.Format(time.RFC3339) != start, window.End.Format(time.RFC3339) != end:
		t.Errorf("got window %v, want %s to %s", window, start, end)
	case got.Pickup.Address.PostalCode != "H2X 1Y4", got.Dropoff.Address != got.Pickup.Address,
		!got.Dropoff.Window.Start.Equal(window.Start), !got.Dropoff.Window.End.Equal(window.End):
		t.Errorf("got pickup %+v, dropoff %+v, want the same", got.Pickup, got.Dropoff)
	case !slices.Equal(got.Parcels, []delivery.Parcel{parcel}) || len(got.Items) != 0:
		t.Errorf("got parcels %+v, items %v, want %+v and none", got.Parcels, got.Items, parcel)
	}
}

func TestPriceRequiresWhatDecidesIt(t *testing.T) {
	t.Parallel()
	const end = `{"address":{"postal_code":"H2X1Y4","city":"Montréal","province":"QC","country":"CA"}}`
	const least = `{"service_level":"express","pickup":` + end + `,"dropoff":` + end + `,"parcels":[{"weight_kg":2}]}`
	if _, problems := read(parse(t, least), delivery.ReadPriced); len(problems) > 0 {
		t.Errorf("%s: got %+v, want no problems", least, problems)
	}
	if _, problems := read(parse(t, least), delivery.ReadOrderRequest); len(problems) != 1+2*5+6 {
		t.Errorf("%s, as an order: got problems at %q, want %d", least, fieldsOf(problems), 1+2*5+6)
	}
	for _, field := range []string{
		"service_level", "pickup.address", "dropoff.address.city", "parcels", "parcels[0].weight_kg",
	} {
		if _, problems := read(parse(t, set(t, least, field, "")),
			delivery.ReadPriced); !slices.Equal(fieldsOf(problems), []string{field}) {
			t.Errorf("without %s: got problems at %q, want one there", field, fieldsOf(problems))
		}
	}
	// An optional field that is present must still be valid.
	for _, field := range []string{
		"pickup.phone", "dropoff.address.line1", "parcels[0].length_cm", "parcels[0].parcel_id", "pickup.time_window",
	} {
		if _, problems := read(parse(t, set(t, least, field, `false`)),
			delivery.ReadPriced); !slices.Equal(fieldsOf(problems), []string{field}) {
			t.Errorf("with an invalid %s: got problems at %q, want one there", field, fieldsOf(problems))
		}
	}
}

// TestQuoteNeedsNoPlace: a quote may leave out city and province, but not give invalid ones.
func TestQuoteNeedsNoPlace(t *testing.T) {
	t.Parallel()
	const end = `{"address":{"postal_code":"H2X1Y4","city":"Montréal","province":"QC","country":"CA"}}`
	const least = `{"service_level":"express","pickup":` + end + `,"dropoff":` + end + `,"parcels":[{"weight_kg":2}]}`
	for field, value := range map[string]string{
		"pickup.address.city": "", "dropoff.address.city": "null",
		"pickup.address.province": "", "dropoff.address.province": "null",
	} {
		if _, problems := read(parse(t, set(t, least, field, value)), delivery.ReadQuoteRequest); len(problems) > 0 {
			t.Errorf("%s %q: got problems at %q, want none", field, value, fieldsOf(problems))
		}
	}
	for _, field := range []string{"pickup.address.city", "dropoff.address.province"} {
		if _, problems := read(parse(t, set(t, least, field, `""`)),
			delivery.ReadQuoteRequest); !slices.Equal(fieldsOf(problems), []string{field}) {
			t.Errorf("with an empty %s: got problems at %q, want one there", field, fieldsOf(problems))
		}
	}
}

func TestCancelReason(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`: "", `{"reason":null}`: "", `{"reason":""}`: "", `{"reason":"trop tard"}`: "trop tard", `{"Reason":5}`: "",
		`{"reason":` + many("é", 500) + `}`: strings.Repeat("é", 500),
	} {
		if reason, problems := read(parse(t, body), delivery.ReadCancelRequest); reason != want || len(problems) > 0 {
			t.Errorf("%.60s: got %q, %v, want %q", body, reason, problems, want)
		}
	}
	for _, body := range []string{`{"reason":5}`, `{"reason":` + many("é", 501) + `}`, `{"reason":"\u0000"}`, `[]`} {
		if _, problems := read(parse(t, body), delivery.ReadCancelRequest); len(problems) != 1 {
			t.Errorf("%.60s: got %v, want one problem", body, problems)
		}
	}
}

// TestAllProblemsInOneError: all faults are reported in one error, once each, in
// field order.
func TestAllProblemsInOneError(t *testing.T) {
	t.Parallel()
	body := set(t, orderBody, "parcels", parcels(50))
	var want []string
	for i := range 30 {
		fault := []struct{ name, value string }{
			{"weight_kg", `"2"`}, {"weight_kg", ``}, {"height_cm", `301`}, {"value_cents", `10.5`}, {"description", `null`},
			{"fragile", `"no"`},
		}[i%6]
		field := fmt.Sprintf("parcels[%d].%s", i+i/2, fault.name)
		body = set(t, body, field, fault.value)
		want = append(want, field)
	}
	_, problems := read(parse(t, body), delivery.ReadOrderRequest)
	if got := fieldsOf(problems); !slices.Equal(got, want) {
		t.Fatalf("got %d problems at %q, want %d at %q", len(got), got, len(want), want)
	}
	details := detailsOf(t, problems)
	if len(details.Errors) != 30 || details.Problem != details.Errors[0] || details.Value != "2" ||
		details.Field != "parcels[0].weight_kg" {
		t.Errorf("the first is %+v, of %d", details.Problem, len(details.Errors))
	}
	if message := problems.Err().Error(); !strings.Contains(message, "and 29 more") {
		t.Errorf(`got %q, want "and 29 more" in it`, message)
	}
}

func TestParcelIDsAreUnique(t *testing.T) {
	t.Parallel()
	body := set(t, orderBody, "parcels", "["+parcelBody+","+parcelBody+","+strings.Replace(parcelBody, "p1", "P1", 1)+"]")
	if _, problems := read(parse(t, body),
		delivery.ReadOrderRequest); !slices.Equal(fieldsOf(problems), []string{"parcels[1].parcel_id"}) {
		t.Errorf("got problems at %q", fieldsOf(problems))
	}
	// Two missing ids are two problems; that they are equal is not a third.
	body = set(t, set(t, body, "parcels[0].parcel_id", ""), "parcels[1].parcel_id", "")
	if _, problems := read(parse(t, body), delivery.ReadOrderRequest); !slices.Equal(fieldsOf(problems),
		[]string{"parcels[0].parcel_id", "parcels[1].parcel_id"}) {
		t.Errorf("got problems at %q", fieldsOf(problems))
	}
}
