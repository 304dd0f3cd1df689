package app_test

import (
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
