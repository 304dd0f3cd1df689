package delivery_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// taken and refused list values, as they are written, that a field of an order
// takes and does not. An empty value stands for a missing field.
var fieldRules = []struct {
	field          string
	taken, refused []string
}{
	{"partner_order_id", []string{`"x"`, many("é", 255), `"  "`}, []string{``, `null`, `12`, `""`, `true`, `[]`, `{}`, `"a\u0000"`, many("x", 256)}},
	{"service_level", []string{`"standard"`, `"express"`, `"same_day"`}, []string{``, `null`, `"Standard"`, `"overnight"`, `1`, `["standard"]`}},
	{"reference", []string{``, `null`, `""`, many("字", 100)}, []string{many("x", 101), `5`, `"\u0000"`, `{}`}},
	{"instructions", []string{``, `null`, `"a\nb"`, many("x", 1000)}, []string{many("x", 1001), `false`, `[]`}},
	{"quote_id", []string{``, `null`, `"quo_1"`}, []string{`""`, `1`, many("x", 1001)}},

	{"metadata", []string{``, `null`, `{}`, `{"a":{"b":[null,1e400,"\u0000"]}}`}, []string{`[]`, `"{}"`, `1`, `{"a":` + many("x", 16<<10) + `}`}},
	{"items", []string{``, `null`, `[]`, `[{"product_id":1,"quantity":1},{"product_id":1,"quantity":1}]`}, []string{`{}`, `"x"`, `1`}},

	{"pickup", nil, []string{``, `null`, `"x"`, `[]`, `1`}},
	{"pickup.name", []string{`"x"`, many("x", 255)}, []string{``, `null`, `""`, `7`, `"\u0000"`, many("x", 256)}},
	{"pickup.phone", []string{`"+1514555"`, `"+442071838750"`, `"+123456789012345"`},
		[]string{``, `null`, `"5145550100"`, `"+0123456789"`, `"+123456"`, `"+1234567890123456"`, `"+1 514 555 0100"`, `"+1514555\n"`, `15145550100`}},
	{"pickup.email", []string{`"a@b"`, `"a.b+c@example.co.uk"`, `"o'neil@example.com"`},
		[]string{``, `null`, `""`, `"a"`, `"@b"`, `"a@"`, `"a@@b"`, `"a b@c"`, `"Quai <a@b.c>"`, `"a@b,c@d"`, `"a@-b"`, `"a@b..c"`, `"é@b.c"`, `"a@b.c\n"`, many("x", 250)[:251] + `@b.ca"`}},

	{"dropoff.address", nil, []string{``, `null`, `"x"`, `[{}]`}},
	{"dropoff.address.line1", []string{`"1"`}, []string{``, `null`, `""`, `12`, many("x", 256)}},
	{"dropoff.address.line2", []string{``, `null`, `""`, many("x", 255)}, []string{`12`, many("x", 256)}},
	{"dropoff.address.notes", []string{``, `null`, many("x", 1000)}, []string{`12`, many("x", 1001)}},
	{"dropoff.address.city", []string{`"Ste-Anne"`}, []string{``, `null`, `""`, many("x", 256)}},
	{"dropoff.address.province", []string{`"ON"`, `"NL"`, `"YT"`}, []string{``, `null`, `"on"`, `"NO"`, `"XX"`, `""`, `true`}},
	{"dropoff.address.country", []string{`"CA"`}, []string{``, `null`, `"ca"`, `"US"`, `"Canada"`}},
	{"dropoff.address.postal_code", []string{`"H2X1Y4"`, `"h2x 1y4"`, `"V9Z 0Z9"`},
		[]string{``, `null`, `"H2X  1Y4"`, `"H2X-1Y4"`, `"D2X 1Y4"`, `"W2X 1Y4"`, `"Z2X 1Y4"`, `"H2O 1Y4"`, `"H2X 1U4"`, `"90210"`, `" H2X 1Y4"`, `"H2X 1Y4\n"`}},

	{"pickup.time_window", nil, []string{``, `null`, `[]`, `"2026-03-02T09:00:00Z"`}},
	{"pickup.time_window.start", []string{`"1970-01-01T00:00:00Z"`, `"2020-01-01T00:00:00.123456789+05:30"`, `"2020-01-01T00:00:00+23:59"`, `"2020-01-01T00:00:00-00:00"`},
		[]string{``, `null`, `1767225600`, `"2026-03-02"`, `"2026-03-02T09:00:00"`, `"2026-03-02 09:00:00Z"`, `"2026-02-30T09:00:00Z"`, `"1969-12-31T23:59:59Z"`, `"2026-03-02T9:00:00Z"`, `"2026-03-02T09:00:00,5Z"`, `"2026-03-02T09:00:00+24:00"`, `"2026-03-02T09:00:00-05:60"`, `"2026-03-02T09:00:00.Z"`, `"2026-03-02t09:00:00z"`, `"2026-03-02T09:00:60Z"`}},
	{"pickup.time_window.end", []string{`"9999-12-31T23:59:59Z"`},
		[]string{``, `null`, `"2026-03-02T09:00:00-05:00"`, `"2026-03-02T08:59:59-05:00"`, `"2026-03-02T13:59:59Z"`, `"9999-12-31T23:59:59-01:00"`}},

	{"parcels", []string{parcels(1), parcels(50)}, []string{``, `null`, `[]`, `{}`, `"x"`, parcels(51)}},
	{"parcels[0]", nil, []string{`null`, `1`, `"x"`, `[]`}},
	{"parcels[0].parcel_id", []string{`"x"`}, []string{``, `null`, `""`, `1`}},
	{"parcels[0].description", []string{many("x", 1000)}, []string{``, `null`, `""`, many("x", 1001)}},
	{"parcels[0].length_cm", []string{`0.1`, `300`, `3e2`, `300.0`, `1E-1`}, []string{``, `null`, `"30"`, `0`, `0.09`, `300.01`, `-1`, `1e400`, `-1e400`, `1e-400`}},
	{"parcels[0].weight_kg", []string{`0.01`, `70`}, []string{``, `null`, `"2"`, `0.009`, `70.001`, `true`}},
	{"parcels[0].value_cents", []string{`0`, `-0`, `100.0`, `1e2`, `100000000000`}, []string{``, `null`, `10.5`, `-1`, `"100"`, `1e400`, `100000000001`, `1e-1`}},
	{"parcels[0].fragile", []string{``, `null`, `true`, `false`}, []string{`"true"`, `1`, `{}`}},
	{"parcels[0].barcode", []string{``, `null`, `""`, many("x", 255)}, []string{`12`, many("x", 256)}},

	{"cod", []string{``, `null`, `{"amount_cents":0,"currency":"CAD"}`, `{"amount_cents":5e2,"currency":"USD"}`}, []string{`5`, `[]`}},
	{"insurance.currency", nil, []string{`"EUR"`, `"cad"`, `1`}},
}

// complete makes the blocks that an order may leave out sound but for one field.
func complete(t *testing.T, body, field string) string {
	if strings.HasPrefix(field, "insurance.") {
		body = set(t, body, "insurance.amount_cents", `1`)
	}
	return body
}

func TestFieldRules(t *testing.T) {
	t.Parallel()
	for _, rule := range fieldRules {
		t.Run(rule.field, func(t *testing.T) {
			t.Parallel()
			body := complete(t, orderBody, rule.field)
			for _, value := range rule.taken {
				if _, problems := delivery.ReadOrderRequest(parse(t, set(t, body, rule.field, value))); len(problems) > 0 {
					t.Errorf("%.60s is refused: %+v", value, problems)
				}
			}
			for _, value := range rule.refused {
				_, problems := delivery.ReadOrderRequest(parse(t, set(t, body, rule.field, value)))
				if got := fieldsOf(problems); !slices.Equal(got, []string{rule.field}) || problems[0].Expected == "" {
					t.Errorf("%.60s: faults at %q", value, got)
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
		_, problems := delivery.ReadOrderRequest(parse(t, set(t, orderBody, "items", items)))
		if got := fieldsOf(problems); !slices.Equal(got, want) {
			t.Errorf("%.60s: faults at %q, want %q", items, got, want)
		}
	}
}

func TestRootMustBeAnObject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`null`, `[]`, `"x"`, `1`, `true`} {
		_, problems := delivery.ReadOrderRequest(parse(t, body))
		if len(problems) != 1 || problems[0].Field != "" || problems[0].Expected != "a JSON object" {
			t.Errorf("%s: %+v", body, problems)
		}
	}
}

func TestOrderIsReadAsSent(t *testing.T) {
	t.Parallel()
	body := set(t, orderBody, "metadata", `{ "b" : 1.50 , "a":[ ] }`)
	body = set(t, body, "cod", `{"amount_cents":100.0,"currency":"USD"}`)
	body = set(t, body, "unknown", `{"ignored":true}`)
	body = set(t, body, "parcels[0].fragile", `true`)
	// The other edits have compacted it.
	body = strings.Replace(body, `{"a":[],"b":1.50}`, `{ "b" : 1.50 , "a":[ ] }`, 1)
	got, problems := delivery.ReadOrderRequest(parse(t, body))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	window := delivery.Window{Start: time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC), End: time.Date(2026, 3, 2, 17, 0, 0, 0, time.UTC)}
	parcel := delivery.Parcel{
		ParcelID: "p1", Description: "Books", LengthCm: 30, WidthCm: 20.5, HeightCm: 10, WeightKg: 2.25, ValueCents: 5000, Fragile: true,
	}
	switch {
	case !bytes.Equal(got.Metadata, []byte(`{ "b" : 1.50 , "a":[ ] }`)):
		t.Errorf("metadata %s", got.Metadata)
	case got.COD == nil || *got.COD != delivery.Money{AmountCents: 100, Currency: delivery.USD} || got.Insurance != nil:
		t.Errorf("cod %v, insurance %v", got.COD, got.Insurance)
	case got.Pickup.Window != window || got.Pickup.Address.PostalCode != "H2X 1Y4" || got.Dropoff != got.Pickup:
		t.Errorf("pickup %+v", got.Pickup)
	case !slices.Equal(got.Parcels, []delivery.Parcel{parcel}) || len(got.Items) != 0:
		t.Errorf("parcels %+v, items %v", got.Parcels, got.Items)
	}
}

func TestQuoteNeedsOnlyWhatDecidesThePrice(t *testing.T) {
	t.Parallel()
	const end = `{"address":{"postal_code":"H2X1Y4","city":"Montréal","province":"QC","country":"CA"}}`
	const least = `{"service_level":"express","pickup":` + end + `,"dropoff":` + end + `,"parcels":[{"weight_kg":2}]}`
	if _, problems := delivery.ReadQuoteRequest(parse(t, least)); len(problems) > 0 {
		t.Error(problems)
	}
	if _, problems := delivery.ReadOrderRequest(parse(t, least)); len(problems) != 1+2*5+6 {
		t.Errorf("as an order it has the faults %q", fieldsOf(problems))
	}
	for _, field := range []string{"service_level", "pickup.address", "dropoff.address.city", "parcels", "parcels[0].weight_kg"} {
		if _, problems := delivery.ReadQuoteRequest(parse(t, set(t, least, field, ""))); !slices.Equal(fieldsOf(problems), []string{field}) {
			t.Errorf("without %s: faults at %q", field, fieldsOf(problems))
		}
	}
	// What need not be there must still be valid.
	for _, field := range []string{"pickup.phone", "dropoff.address.line1", "parcels[0].length_cm", "parcels[0].parcel_id", "pickup.time_window"} {
		if _, problems := delivery.ReadQuoteRequest(parse(t, set(t, least, field, `false`))); !slices.Equal(fieldsOf(problems), []string{field}) {
			t.Errorf("with a wrong %s: faults at %q", field, fieldsOf(problems))
		}
	}
}

func TestCancelReason(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`: "", `{"reason":null}`: "", `{"reason":""}`: "", `{"reason":"trop tard"}`: "trop tard", `{"Reason":5}`: "",
		`{"reason":` + many("é", 500) + `}`: strings.Repeat("é", 500),
	} {
		if reason, problems := delivery.ReadCancelRequest(parse(t, body)); reason != want || len(problems) > 0 {
			t.Errorf("%.60s: %q, %v", body, reason, problems)
		}
	}
	for _, body := range []string{`{"reason":5}`, `{"reason":` + many("é", 501) + `}`, `{"reason":"\u0000"}`, `[]`} {
		if _, problems := delivery.ReadCancelRequest(parse(t, body)); len(problems) != 1 {
			t.Errorf("%.60s: %v", body, problems)
		}
	}
}

// Every fault is told in one answer, once, in the order of the fields.
func TestEveryFaultIsTold(t *testing.T) {
	t.Parallel()
	body := set(t, orderBody, "parcels", parcels(50))
	var want []string
	for i := range 30 {
		fault := []struct{ name, value string }{
			{"weight_kg", `"2"`}, {"weight_kg", ``}, {"height_cm", `301`}, {"value_cents", `10.5`}, {"description", `null`}, {"fragile", `"no"`},
		}[i%6]
		field := fmt.Sprintf("parcels[%d].%s", i+i/2, fault.name)
		body = set(t, body, field, fault.value)
		want = append(want, field)
	}
	_, problems := delivery.ReadOrderRequest(parse(t, body))
	if got := fieldsOf(problems); !slices.Equal(got, want) {
		t.Fatalf("%d faults at %q, want %d", len(got), got, len(want))
	}
	details := tell(t, problems)
	if len(details.Errors) != 30 || details.Problem != details.Errors[0] || details.Value != "2" || details.Field != "parcels[0].weight_kg" {
		t.Errorf("the first is %+v, of %d", details.Problem, len(details.Errors))
	}
	if message := problems.Err().Error(); !strings.Contains(message, "and 29 more") {
		t.Error(message)
	}
}

func TestParcelIDsAreUnique(t *testing.T) {
	t.Parallel()
	body := set(t, orderBody, "parcels", "["+parcelBody+","+parcelBody+","+strings.Replace(parcelBody, "p1", "P1", 1)+"]")
	if _, problems := delivery.ReadOrderRequest(parse(t, body)); !slices.Equal(fieldsOf(problems), []string{"parcels[1].parcel_id"}) {
		t.Errorf("faults at %q", fieldsOf(problems))
	}
	// Two that are missing are two faults, and no third one for being equal.
	body = set(t, set(t, body, "parcels[0].parcel_id", ""), "parcels[1].parcel_id", "")
	if _, problems := delivery.ReadOrderRequest(parse(t, body)); !slices.Equal(fieldsOf(problems), []string{"parcels[0].parcel_id", "parcels[1].parcel_id"}) {
		t.Errorf("faults at %q", fieldsOf(problems))
	}
}

func TestWhatIsEchoed(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]any{
		``:                             nil,
		`null`:                         nil,
		`12.50`:                        "12.50",
		`9007199254740993`:             "9007199254740993",
		`1e400`:                        "1e400",
		"1" + strings.Repeat("0", 400): "1" + strings.Repeat("0", 99) + "…",
		`true`:                         true,
		`["secret"]`:                   "[…]",
		`{"a":"secret"}`:               "{…}",
		`"\u0000x"`:                    "\x00x",
		many("字", 100):                 strings.Repeat("字", 100),
		many("字", 5000):                strings.Repeat("字", 100) + "…",
		`"` + strings.Repeat("e\u0301", 51) + `"`: strings.Repeat("e\u0301", 50) + "…",
	} {
		_, problems := delivery.ReadOrderRequest(parse(t, set(t, orderBody, "service_level", value)))
		if len(problems) != 1 {
			t.Fatalf("%.40s: %+v", value, problems)
		}
		got := problems[0].Value
		if digits, ok := got.(json.RawMessage); ok {
			got = string(digits)
		}
		if got != want {
			t.Errorf("%.40s: %v", value, got)
		}
	}
}

func TestSecretsAreNeverEchoed(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`"hunter2"`, `1234567`, `["hunter2"]`, `{"p":"hunter2"}`, `true`, `null`, many("hunter2", 100), `"hunter2hunter2\u0000"`} {
		var problems form.Problems
		root := form.New(parse(t, `{"login":{"password":`+value+`}}`), &problems).Object("login", form.Required)
		if secret := root.Secret("password", form.Required, form.Length(8, 128)); secret != "" {
			t.Errorf("%.40s is taken", value)
		}
		details := tell(t, problems)
		if len(problems) != 1 || details.Field != "login.password" || details.Value != nil || details.Errors[0].Value != nil {
			t.Errorf("%.40s: %+v", value, details)
		}
		if strings.Contains(fmt.Sprintf("%v %+v", problems.Err(), details), "hunter2") {
			t.Errorf("%.40s is told back: %+v", value, details)
		}
	}
	var problems form.Problems
	root := form.New(parse(t, `{"password":"correct horse","other":null}`), &problems)
	if root.Secret("password", form.Required, form.Length(8, 128)) != "correct horse" || root.Secret("other", form.Optional, form.Length(8, 128)) != "" || len(problems) > 0 {
		t.Errorf("a good one is refused: %+v", problems)
	}
}

func TestWithProblemsCompletesARefusal(t *testing.T) {
	t.Parallel()
	var first, more form.Problems
	first.Add("a", nil, "one")
	more.Add("b", 2, "two")
	completed := form.WithProblems(first.Err(), more)
	if !refusal.HasCode(completed, refusal.CodeValidation) || !strings.Contains(completed.Error(), "and 1 more") {
		t.Errorf("got %v", completed)
	}
	other := refusal.NotFound("order")
	if !errors.Is(form.WithProblems(other, more), other) || form.Problems(nil).Err() != nil || form.WithProblems(nil, more) != nil {
		t.Error("an error changed that has no problems to add to")
	}
	if wrapped := fmt.Errorf("while testing: %w", other); !refusal.HasCode(wrapped, refusal.CodeNotFound) || refusal.HasCode(wrapped, refusal.CodeConflict) {
		t.Error("the kind of a wrapped refusal is not seen")
	}
}
