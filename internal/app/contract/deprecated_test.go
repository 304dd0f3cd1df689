package contract_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/httpd"
)

// TestDeprecationsAreDocumented compares the table of deprecated operations with those
// that the documents mark.
func TestDeprecationsAreDocumented(t *testing.T) {
	t.Parallel()
	marked := map[string]bool{}
	for _, o := range read(t).operations {
		marked[o.method+" "+o.path] = o.at("deprecated").flag()
	}
	for _, fault := range deprecationFaults(api.Deprecated(), marked) {
		t.Error(fault)
	}

	since := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	good := httpd.Deprecation{Since: since, Sunset: since.AddDate(1, 0, 0), Instead: "/docs/versions"}
	soon := good
	soon.Sunset = since.AddDate(0, 5, 0)
	for want, c := range map[string]struct {
		entry  map[string]httpd.Deprecation
		marked map[string]bool
	}{
		"": {map[string]httpd.Deprecation{"GET /v1/orders": good}, map[string]bool{
			"GET /v1/orders": true, "GET /v1/figures": false,
		}},
		"is no operation": {map[string]httpd.Deprecation{"GET /v1/parcels": good}, nil},
		"has no deprecated: true": {
			map[string]httpd.Deprecation{"GET /v1/orders": good}, map[string]bool{"GET /v1/orders": false},
		},
		"not in api.Deprecated": {nil, map[string]bool{"GET /v1/orders": true}},
		"ends before six months": {
			map[string]httpd.Deprecation{"GET /v1/orders": soon}, map[string]bool{"GET /v1/orders": true},
		},
		"needs Since and a page": {
			map[string]httpd.Deprecation{"GET /v1/orders": {}}, map[string]bool{"GET /v1/orders": true},
		},
		"needs Since and a page: ": {
			map[string]httpd.Deprecation{"GET /v1/orders": {Since: since}}, map[string]bool{"GET /v1/orders": true},
		},
	} {
		got := strings.Join(deprecationFaults(c.entry, c.marked), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, strings.TrimSuffix(want, ": ")) {
			t.Errorf("%v and %v: got %q, want %q", c.entry, c.marked, got, want)
		}
	}
}

// notice is how long an operation stays after it was deprecated, in months at least
// (docs/versions.md).
const notice = 6

// deprecationFaults compares the table with the documented operations, of which the
// deprecated ones are true.
func deprecationFaults(table map[string]httpd.Deprecation, marked map[string]bool) (faults []string) {
	for name, d := range table {
		deprecated, documented := marked[name]
		switch {
		case !documented:
			faults = append(faults, name+": is no operation")
		case !deprecated:
			faults = append(faults, name+": has no deprecated: true in the OpenAPI document")
		}
		if d.Since.IsZero() || !strings.HasPrefix(d.Instead, "/docs/") {
			faults = append(faults, name+": needs Since and a page below /docs/")
		} else if !d.Sunset.IsZero() && d.Sunset.Before(d.Since.AddDate(0, notice, 0)) {
			faults = append(faults, name+": ends before six months have passed")
		}
	}
	for name, deprecated := range marked {
		if _, ok := table[name]; deprecated && !ok {
			faults = append(faults, name+": is marked as deprecated, but not in api.Deprecated")
		}
	}
	slices.Sort(faults)
	return faults
}
