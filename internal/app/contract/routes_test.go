package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/api"
)

// TestRoutesAndDocumentsListTheSame goes both ways.
func TestRoutesAndDocumentsListTheSame(t *testing.T) {
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
			t.Errorf("%s is served but not documented", name)
			continue
		}
		if got := o.access(); got != route.Access {
			t.Errorf("%s: the documented security is %s, the route's %s", name, got, route.Access)
		}
		var roles []string
		for _, role := range route.Roles {
			roles = append(roles, string(role))
		}
		if got := o.roles(); !slices.Equal(got, roles) {
			t.Errorf("%s: the documented roles are %v, the route's %v", name, got, roles)
		}
	}
	for name := range documented {
		if !served[name] {
			t.Errorf("%s is documented but not served", name)
		}
	}
}

// access is the kind of access that the declared security stands for. What
// takes a session is public to the routes: its handler looks for the session.
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

// roles are the operators that the documents let in: one alternative for each
// role.
func (o *operation) roles() (roles []string) {
	for _, way := range o.security() {
		roles = append(roles, way.roles...)
	}
	return roles
}

// TestSignedOperationsTellTheirHeaders: a scheme of OpenAPI names one header;
// the others are parameters, required where no session will do.
func TestSignedOperationsTellTheirHeaders(t *testing.T) {
	t.Parallel()
	for _, o := range read(t).operations {
		for _, name := range []string{"X-Api-Key", "X-Timestamp", "X-Signature"} {
			if o.takes("header", name) != o.isSigned() {
				t.Errorf("%s: the parameter %s belongs to signed operations, all of them", o.id, name)
			}
			if o.requires("header", name) != (o.access() == api.AccessSigned) {
				t.Errorf("%s: the parameter %s is required where nothing else will do", o.id, name)
			}
		}
		wantsKey := slices.Contains([]string{"createOrder", "createOrderBatch", "cancelOrder"}, o.id)
		if o.isSigned() && o.requires("header", "Idempotency-Key") != wantsKey {
			t.Errorf("%s: Idempotency-Key belongs to creating and cancelling orders", o.id)
		}
	}
}
