package portal_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestDomainsInPortal proves domains on the page: a record that is missing, wrong, unreadable or
// that of a domain of another partner proves nothing.
func TestDomainsInPortal(t *testing.T) {
	t.Parallel()
	records := &apptest.Records{}
	s := apptest.Start(t, records.Companies())
	first, second := s.Register(t, "metro").Owner(t), s.Register(t, "rival").Owner(t)
	first.ProveDomain(t, records, "metro.example")
	contains(t, first.Open(t, apptest.CompanyPage), "metro.example", "Proven")

	second.NameDomain(t, records, "metro.example") // now with its own record
	second.CheckDomain(t, "metro.example")
	contains(t, second.Open(t, apptest.CompanyPage), "Another account has proven this domain.")
	records.Set("_dropyard.metro.example", "dropyard-domain=guessed")
	second.CheckDomain(t, "metro.example")
	contains(t, second.Open(t, apptest.CompanyPage), "The TXT record has another value.")
	records.Fail(errors.New("no route"))
	second.CheckDomain(t, "metro.example")
	contains(t, second.Open(t, apptest.CompanyPage), "The DNS of the domain did not answer.")
	records.Fail(nil)
	page := second.Open(t, apptest.CompanyPage)
	second.Send(t, page, apptest.CompanyPage+"/domains", "domain", "Rival.Example").Leads(t, apptest.CompanyPage)
	second.CheckDomain(t, "rival.example")
	contains(t, second.Open(t, apptest.CompanyPage), "The TXT record was not found.")

	// The look-ups of an account are limited, as are its domains.
	check := apptest.CompanyPage + "/domains/rival.example/check"
	second.CheckDomain(t, "rival.example")
	limited := second.Send(t, second.Open(t, apptest.CompanyPage), check)
	limited.Shows(t, http.StatusTooManyRequests, "Records are checked too often.")
	s.Clock.Advance(time.Minute)
	second.CheckDomain(t, "rival.example")
	for i := range 8 {
		second.Send(t, second.Open(t, apptest.CompanyPage), apptest.CompanyPage+"/domains", "domain",
			fmt.Sprintf("d%d.example", i)).Leads(t, apptest.CompanyPage)
	}
	for domain, status := range map[string]int{
		"eleventh.example": 409, "d1.example": 409, "example": 422, "a b.example": 422, "metro.example/": 422, "1.2.3.4": 422,
	} {
		second.Send(t, second.Open(t, apptest.CompanyPage), apptest.CompanyPage+"/domains", "domain", domain).Shows(t, status,
			`aria-invalid="true"`)
	}

	// The first removes the domain, and the second proves it.
	first.Send(t, first.Open(t, apptest.CompanyPage), apptest.CompanyPage+"/domains/metro.example/remove").Leads(t,
		apptest.CompanyPage)
	second.Send(t, second.Open(t, apptest.CompanyPage), apptest.CompanyPage+"/domains/metro.example/remove").Leads(t,
		apptest.CompanyPage)
	second.ProveDomain(t, records, "metro.example")
	contains(t, second.Open(t, apptest.CompanyPage), "Proven")

	clerk := first.As(t, "clerk")
	clerk.Open(t, apptest.CompanyPage).Must(t, http.StatusForbidden)
	second.Send(t, second.Open(t, apptest.CompanyPage), apptest.CompanyPage, "issuer", "http://127.0.0.1:9",
		"client_id", "c", "client_secret", "s", "default_role", "owner").Shows(t, 422, `id="fault-default_role"`)
	second.Send(t, second.Open(t, apptest.CompanyPage), apptest.CompanyPage, "issuer", "http://127.0.0.1:9",
		"client_id", "c", "client_secret", "s", "role_claim", "groups", "role_values.owner", "x", "role_values.clerk",
		"x").Shows(t, 422, "Another role has this value.")
}
