package contract_test

import (
	"maps"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// driveOpenID begins a sign-in through a provider and, if there are claims, returns from
// the provider, which vouches for the only admin with these claims.
func driveOpenID(query string, changed apptest.Claims) drive {
	return func(t *testing.T, o *operation) *apptest.Answer {
		provider := apptest.NewProvider(t)
		f := newFixture(t, roomy, provider.Trusted("groups"))
		begin := f.contract.operation("beginOpenID")
		if changed == nil {
			return f.send(t, call{operation: begin.id})
		}
		claims := apptest.Claims{"sub": "1", "email": exampleOperator, "email_verified": true}
		maps.Copy(claims, changed)
		target, ticket := provider.Approve(t, f.Service, begin.path+query, claims, claims)
		answer := f.Do(t, o.method, target, nil, "Cookie", ticket)
		o.check(t, answer, true)
		return answer
	}
}

func driveElsewhere(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, query: "?return_to=https://login.example.com"})
}
