package contract_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
)

// TestRoutesAreDocumented compares the routes with the documented operations.
func TestRoutesAreDocumented(t *testing.T) {
	t.Parallel()
	documented, served := map[string]*operation{}, map[string]bool{}
	for _, o := range read(t).operations {
		documented[o.method+" "+o.path] = o
	}
	for _, route := range api.Routes() {
		name := route.Method + " " + route.Pattern
		served[name] = true
		o := documented[name]
		if o == nil {
			t.Errorf("%s: got a route that is not documented", name)
			continue
		}
		if got := o.access(); got != route.Access {
			t.Errorf("%s: got the documented security %s, want %s", name, got, route.Access)
		}
		needs, _ := route.Needs.(operator.Needs)
		permission, _ := route.Needs.(partner.Permission)
		var roles []string
		for _, role := range needs.Roles {
			roles = append(roles, string(role))
		}
		if got := o.roles(); !slices.Equal(got, roles) {
			t.Errorf("%s: got the documented roles %v, want %v", name, got, roles)
		}
		if got := o.permission(); got != permission {
			t.Errorf("%s: got the documented permission %q, want %q", name, got, permission)
		}
	}
	for name := range documented {
		if !served[name] {
			t.Errorf("%s: got it documented, but there is no route", name)
		}
	}
}

// permission returns what the role of a partner's user must permit; empty for
// operations that need none.
func (o *operation) permission() partner.Permission {
	return partner.Permission(o.at("x-permission").text())
}

// access returns the kind of access that the documented security describes.
// Operations with a session or something else are public to the routes, because
// their handlers check it.
func (o *operation) access() httpd.Access {
	switch {
	case o.asksFor("signedKey") && o.asksFor("session"):
		return httpd.AccessPartner
	case o.asksFor("signedKey"):
		return httpd.AccessSigned
	case o.asksFor("token"):
		return httpd.AccessOperator
	case o.asksFor("session") && len(o.security()) == 1:
		return httpd.AccessSession
	case strings.HasPrefix(o.path, "/track/"), strings.HasPrefix(o.path, "/proofs/"), strings.HasPrefix(o.path, "/logos/"),
		o.id == "getLinkedLabel":
		return httpd.AccessTracking
	default:
		return httpd.AccessPublic
	}
}

// isSigned reports whether a signature is accepted.
func (o *operation) isSigned() bool { return o.asksFor("signedKey") }

// roles returns the roles of operators that the document allows, one for each
// alternative.
func (o *operation) roles() (roles []string) {
	for _, way := range o.security() {
		roles = append(roles, way.roles...)
	}
	return roles
}

// signatureHeaders are the security schemes that a signature needs together, and their headers.
var signatureHeaders = map[string]string{
	"signedKey": "X-Api-Key", "signedTimestamp": "X-Timestamp", "signedSignature": "X-Signature",
}

// TestSignatureHeadersAreDocumented checks that the headers of a signature are
// security schemes, of which a signed request needs all three, and never parameters,
// which generated clients would ask every caller for.
func TestSignatureHeadersAreDocumented(t *testing.T) {
	t.Parallel()
	c := read(t)
	schemes := c.documents["openapi.yaml"].node(c).at("components", "securitySchemes")
	for scheme, header := range signatureHeaders {
		if n := schemes.at(scheme); n.at("type").text() != "apiKey" || n.at("in").text() != "header" ||
			n.at("name").text() != header {
			t.Errorf("%s: got %v, want an apiKey in the header %s", scheme, n.value, header)
		}
	}
	for _, o := range c.operations {
		for _, header := range signatureHeaders {
			if o.takes("header", header) {
				t.Errorf("%s: got the parameter %s, want a security scheme only", o.id, header)
			}
		}
		for _, way := range o.security() {
			signed := slices.ContainsFunc(way.schemes, func(name string) bool { return signatureHeaders[name] != "" })
			if signed && !slices.Equal(way.schemes, slices.Sorted(maps.Keys(signatureHeaders))) {
				t.Errorf("%s: got the requirement %v, want all headers of a signature and nothing else", o.id, way.schemes)
			}
		}
		wantsKey := slices.Contains([]string{
			"createOrder", "createOrderBatch", "cancelOrder", "editOrder", "requestCancellation", "createReturn",
		}, o.id)
		if o.isSigned() && o.requires("header", "Idempotency-Key") != wantsKey {
			t.Errorf("%s: got Idempotency-Key documented or missing, want it where it is used only", o.id)
		}
	}
}
