package app_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// lists are the signed lists and the parameters of each.
var lists = map[string][]string{
	"/v1/orders":              {"limit", "offset", "status", "cursor", "created_from", "created_to"},
	"/v1/inventory/products":  {"limit", "offset"},
	"/v1/inventory/movements": {"limit", "offset", "product_id"},
}

// garbage is what parameters do not accept.
var garbage = map[string][]string{
	"limit": {
		"0", "-1", "501", "1e2", "0x10", "1_0", "10.0", "10.5", "abc", "NaN", "%20", "10%20", "٣", "2147483648",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "99999999999999999999999999", "10;20",
		"%27%20OR%201=1--",
	},
	"offset": {
		"-1", "1.5", "abc", "%20", "1099511627777", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
		"1%2C000",
	},
	"status": {"flying", "PENDING", "pending%20", "pending,accepted", "%27"},
	"cursor": {
		"x", "0", "ord_", "ord_x", "ORD_00000000000000000000000000000000", "ord_0000000000000000000000000000000u",
		"ord_00000000000000000000000000000000%0a",
	},
	"created_from": {
		"yesterday", "2026-01-14", "2026-01-14T15:00:00", "2026-01-14%2015:00:00Z", "1768402800", "2026-02-30T00:00:00Z",
		"1969-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "2026-01-14T15:00:00+05:00",
	},
	"created_to": {"tomorrow", "2026-13-01T00:00:00Z", "0000-00-00T00:00:00Z"},
	"product_id": {"0", "-1", "abc", "1.0", "9223372036854775808"},
}

// TestInvalidParameters sends invalid values, alone and together. Each error names its
// parameter.
func TestInvalidParameters(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	for target, names := range lists {
		for _, name := range names {
			for _, text := range garbage[name] {
				got := partner.Call(t, "GET", target+"?"+name+"="+text, nil)
				if strings.Contains(text, ";") {
					got.Refused(t, 400, "bad_request")
				} else if got.Refused(t, 422, "validation_error"); got.Text("error", "details", "field") != name ||
					got.Len("error", "details", "errors") != 1 {
					t.Errorf("%s?%s=%s: got %s, want one error of %s", target, name, text, got.Body, name)
				}
			}
		}
	}
	all := partner.Call(t, "GET", "/v1/orders?limit=0&offset=-1&status=x&cursor=x&created_from=x&created_to=x",
		nil).Refused(t, 422, "validation_error")
	if all.Len("error", "details", "errors") != 6 {
		t.Errorf("got %s, want 6 errors", all.Body)
	}
}

// TestMalformedQueries sends queries that cannot be parsed.
func TestMalformedQueries(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	for target := range lists {
		for _, query := range []string{
			"%zz", "limit=%zz", "%", "a=%f", "partner_order_id=%00", "search=a%00b", "%00=1", "search=%ff",
			"partner_order_id=%c3%28", "%ff=1", "a;b", "limit=1;offset=2",
		} {
			service.Raw(t, "GET", target+"?"+query, "", partner.Signed("GET", target, nil)...).Refused(t, 400, "bad_request")
		}
	}
}

// TestRepeatedParameters sends parameters twice. They are refused, because it is
// unclear which value is meant.
func TestRepeatedParameters(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	for target, names := range lists {
		for _, name := range names {
			got := partner.Call(t, "GET", target+"?"+name+"=1&"+name+"=1", nil).Refused(t, 422, "validation_error")
			if got.Text("error", "details", "field") != name {
				t.Errorf("%s?%s: got %s, want an error of %s", target, name, got.Body, name)
			}
		}
	}
}

// TestAcceptedQueries sends empty values of the contract's parameters, also of those that a
// list does not have, and values at their limits.
func TestAcceptedQueries(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	for target := range lists {
		for _, query := range []string{
			"", "&&&", "limit=", "offset=", "limit=1&offset=0", "limit=100&offset=1099511627776", "=", "status=", "search=",
			"product_id=",
		} {
			got := partner.Call(t, "GET", target+"?"+query, nil)
			if got.Status != 200 || got.JSON("count") != 0.0 {
				t.Errorf("%s?%s: got status %d, want 200 and an empty list: %s", target, query, got.Status, got.Body)
			}
		}
	}
	for _, target := range []string{
		"/v1/inventory/products?search=%25_%27%22", "/v1/orders?partner_order_id=%27%20OR%201=1--",
	} {
		if got := partner.Call(t, "GET", target, nil).Must(t, 200); got.JSON("count") != 0.0 {
			t.Errorf("%s: got %s, want an empty list", target, got.Body)
		}
	}
}

// TestUnknownParameters sends lists a parameter that they do not have. An answer without
// the filter would look as if it had been applied.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	for target, known := range lists {
		for _, query := range []string{
			"page=2", "status%5B%5D=pending", "Limit=5", "LIMIT=0", "unknown=1&unknown=2", "a%5B%5D=1", "x",
		} {
			got := partner.Call(t, "GET", target+"?"+query, nil).Refused(t, 422, "validation_error")
			expected := got.Text("error", "details", "errors", 0, "expected")
			for _, name := range known {
				if !strings.Contains(expected, name) {
					t.Errorf("%s?%s: got %q, want %s to be named", target, query, expected, name)
				}
			}
			if field := got.Text("error", "details",
				"field"); !strings.HasPrefix(query, strings.ReplaceAll(field, "[]", "%5B%5D")) {
				t.Errorf("%s?%s: got an error of %q", target, query, field)
			}
		}
	}
	for _, target := range []string{"/v1/logs", "/v1/figures", "/v1/webhooks/events", "/v1/webhooks/feed"} {
		partner.Call(t, "GET", target+"?page=2", nil).Refused(t, 422, "validation_error")
	}
	partner.Call(t, "GET", "/v1/logs?mode=live", nil).Must(t, 200)
	catalogue := "/ops/v1/partners/" + partner.PartnerID + "/products"
	for _, target := range []string{
		"/ops/v1/orders", "/ops/v1/partners", "/ops/v1/couriers", "/ops/v1/operators", "/ops/v1/rate-cards",
		"/ops/v1/audit", "/ops/v1/tokens", "/ops/v1/low-stock", "/ops/v1/figures", catalogue,
	} {
		got := operator.Call(t, "GET", target+"?page=2", nil)
		if got.Refused(t, 422, "validation_error"); got.Text("error", "details", "field") != "page" {
			t.Errorf("%s: got %s", target, got.Body)
		}
	}
	created := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	service.Raw(t, "GET", "/track/"+created.Text("order_id")+"?utm_source=mail", "").Must(t, 200)
	service.Raw(t, "GET", "/v1/health?page=2", "").Must(t, 200)
}
