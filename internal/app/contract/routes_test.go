package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/api"
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
		var roles []string
		for _, role := range route.Roles {
			roles = append(roles, string(role))
		}
		if got := o.roles(); !slices.Equal(got, roles) {
			t.Errorf("%s: got the documented roles %v, want %v", name, got, roles)
		}
	}
	for name := range documented {
		if !served[name] {
			t.Errorf("%s: got it documented, but there is no route", name)
		}
	}
}

// access returns the kind of access that the documented security describes.
// Operations with a session are public to the routes, because their handlers check
// the session.
func (o *operation) access() api.Access {
	switch {
	case o.asksFor("signedKey") && o.asksFor("session"):
		return api.AccessPartner
	case o.asksFor("signedKey"):
		return api.AccessSigned
	case o.asksFor("token"):
		return api.AccessOperator
	case strings.HasPrefix(o.path, "/track/"), strings.HasPrefix(o.path, "/proofs/"):
		return api.AccessTracking
	default:
		return api.AccessPublic
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

// TestSignatureHeadersAreDocumented checks the parameters of signed operations. A
// security scheme names one header; the others are parameters, required unless a
// session is accepted.
func TestSignatureHeadersAreDocumented(t *testing.T) {
	t.Parallel()
	for _, o := range read(t).operations {
		for _, name := range []string{"X-Api-Key", "X-Timestamp", "X-Signature"} {
			if o.takes("header", name) != o.isSigned() {
				t.Errorf("%s: got parameter %s documented or missing, want it for signed operations only", o.id, name)
			}
			if o.requires("header", name) != (o.access() == api.AccessSigned) {
				t.Errorf("%s: got parameter %s required or not, want it required unless a session is accepted", o.id, name)
			}
		}
		wantsKey := slices.Contains([]string{"createOrder", "createOrderBatch", "cancelOrder"}, o.id)
		if o.isSigned() && o.requires("header", "Idempotency-Key") != wantsKey {
			t.Errorf("%s: got Idempotency-Key documented or missing, want it where it is used only", o.id)
		}
	}
}
