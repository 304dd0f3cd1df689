package app_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// atLevel returns the body of testkit.OrderJSON with another service level.
func atLevel(level delivery.ServiceLevel) []byte {
	body := string(testkit.OrderJSON("A-1", ""))
	return []byte(strings.Replace(body, `"service_level":"express"`, fmt.Sprintf(`"service_level":%q`, level), 1))
}

// TestQuotesOfAllLevels compares the quotes of one request with the quote of each level, first by the built-in
// card, then by one that does not offer every level, and gives one of them in an order.
func TestQuotesOfAllLevels(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o, p := s.Operate(t), s.Register(t, "metro")
	compare := func(offered int) *apptest.Answer {
		t.Helper()
		body := strings.Replace(string(testkit.OrderJSON("A-1", "")), `"service_level":"express",`, "", 1)
		all := p.Call(t, "POST", "/v1/rates/quotes", []byte(body)).Must(t, 200)
		quotes, refused := 0, 0
		for _, level := range delivery.ServiceLevels {
			one := p.Call(t, "POST", "/v1/rates/quote", atLevel(level))
			if one.Status == 200 {
				if got, want := all.JSON("quotes", quotes), one.JSON(); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %v, want %v", level, got, want)
				}
				quotes++
				continue
			}
			one.Refused(t, 422, "validation_error")
			got, want := all.JSON("not_offered", refused), one.JSON("error", "details", "errors", 0)
			if want == nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v not offered, want %v", level, got, want)
			}
			refused++
		}
		if quotes != offered || all.Len("quotes") != quotes {
			t.Errorf("got %s, want %d quotes", all.Body, offered)
		}
		if refused == 0 && all.JSON("not_offered") != nil {
			t.Errorf("got %s, want it without not_offered", all.Body)
		}
		return all
	}
	quote := compare(len(delivery.ServiceLevels)).Text("quotes", 1, "quote_id")
	near := regexp.MustCompile(`\s*"adjacent": [^\n]*"transit_days": 0},`)
	o.Call(t, "POST", "/ops/v1/rate-cards", near.ReplaceAll(upload("default", "near-1", "", 0), nil)).Must(t, 201)
	compare(len(delivery.ServiceLevels) - 1)
	named := strings.Replace(string(testkit.OrderJSON("A-1", "")), "{", fmt.Sprintf(`{"quote_id":%q,`, quote), 1)
	p.Create(t, []byte(named)).Must(t, 201)
	p.Call(t, "POST", "/v1/rates/quotes", []byte(`{"parcels":[]}`)).Refused(t, 422, "validation_error")
}

// TestQuotesByPostalCode leaves cities and provinces out of quotes: the price is that of the places that the
// answer names, but only a quote with both cities can be ordered.
func TestQuotesByPostalCode(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t).Register(t, "metro")
	ask := func(pickup, dropoff string) *apptest.Answer {
		t.Helper()
		return p.Call(t, "POST", "/v1/rates/quote", fmt.Appendf(nil, `{"service_level":"express","parcels":[{"weight_kg":2}],
"pickup":{"address":{%s,"country":"CA"}},"dropoff":{"address":{%s,"country":"CA"}}}`, pickup, dropoff)).Must(t, 200)
	}
	const (
		montreal = `"postal_code":"H2X 1Y4","city":"Montréal","province":"QC"`
		downtown = `"postal_code":"h3b 2y5","city":"Montréal","province":"QC"`
		unknown  = `"postal_code":"J9W 1A1","province":"QC"`
	)
	for _, c := range []struct{ pickup, dropoff, like, assumed string }{
		{montreal, `"postal_code":"h3b 2y5"`, downtown, `{"dropoff":{"city":"Montréal","province":"QC"}}`},
		{`"postal_code":"H2X1Y4","province":"QC"`, `"postal_code":"h3b 2y5","province":null`, downtown,
			`{"dropoff":{"city":"Montréal","province":"QC"},"pickup":{"city":"Montréal"}}`},
		{montreal, `"postal_code":"X0A 0H0"`, `"postal_code":"X0A 0H0","city":"Iqaluit","province":"NU"`,
			`{"dropoff":{"city":"Iqaluit","province":"NU"}}`},
		{montreal, `"postal_code":"X0E 0T0","city":"Inuvik"`, `"postal_code":"X0E 0T0","city":"Inuvik","province":"NT"`,
			`{"dropoff":{"province":"NT"}}`},
		{montreal, `"postal_code":"V9Z 9Z9"`, `"postal_code":"V9Z 9Z9","city":"Sooke","province":"BC"`,
			`{"dropoff":{"city":"Sooke","province":"BC"}}`},
		{montreal, unknown, unknown + `,"city":"Elsewhere"`, ``},
	} {
		short, whole := ask(c.pickup, c.dropoff), ask(montreal, c.like)
		for _, member := range []string{"rate_cents", "estimated_delivery"} {
			if short.JSON(member) != whole.JSON(member) {
				t.Errorf("%s: got %s, want the %s of %s", c.dropoff, short.Body, member, whole.Body)
			}
		}
		got, _ := json.Marshal(short.JSON("assumed"))
		if want := cmp.Or(c.assumed, "null"); string(got) != want || whole.JSON("assumed") != nil {
			t.Errorf("%s: got %s assumed, want %s", c.dropoff, got, want)
		}
		if cities := strings.Contains(c.dropoff, "city"); cities != (short.JSON("quote_id") != nil) ||
			whole.JSON("quote_id") == nil {
			t.Errorf("%s: got %s, want a quote_id %v", c.dropoff, short.Body, cities)
		}
	}
	near, far := ask(unknown, `"postal_code":"J8K 1A1","province":"QC"`), ask(unknown+`,"city":"Here"`, montreal)
	if near.JSON("rate_cents") != far.JSON("rate_cents") {
		t.Errorf("between areas that are not known: got %s, want the rate of %s", near.Body, far.Body)
	}
	all := p.Call(t, "POST", "/v1/rates/quotes", []byte(`{"parcels":[{"weight_kg":2}],
"pickup":{"address":{"postal_code":"H2X 1Y4","country":"CA"}},"dropoff":{"address":{"postal_code":"M5V 2T6","country":"CA"}}}`))
	if all.Must(t, 200).Text("quotes", 2, "assumed", "dropoff", "city") != "Toronto" {
		t.Errorf("got %s, want Toronto assumed", all.Body)
	}
	body := strings.Replace(string(testkit.OrderJSON("A-1", "")), `"city":"Toronto",`, "", 1)
	if refused := p.Create(t, []byte(body)).Refused(t, 422, "validation_error"); refused.Text("error", "details",
		"field") != "dropoff.address.city" {
		t.Errorf("got %s, want the city missing", refused.Body)
	}
}
