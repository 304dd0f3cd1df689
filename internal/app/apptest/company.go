package apptest

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

// Records are the TXT records of a DNS that has no others.
type Records struct {
	mu    sync.Mutex
	texts map[string][]string // by name; guarded by mu
	fails error               // of every look-up; guarded by mu
}

// Set sets the records of a name, as partners write it.
func (r *Records) Set(name string, texts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts == nil {
		r.texts = map[string][]string{}
	}
	r.texts[name+"."] = texts
}

// Fail lets look-ups fail with an error; nil lets them succeed again.
func (r *Records) Fail(with error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails = with
}

// LookupTXT returns the records of a name, as a net.Resolver does.
func (r *Records) LookupTXT(_ context.Context, name string) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fails != nil {
		return nil, r.fails
	}
	if texts, found := r.texts[name]; found {
		return texts, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// Companies lets partners use OpenID Connect providers on this machine, and prove domains by
// the records.
func (r *Records) Companies(providers ...*Provider) Option {
	return func(c *config.Config, world *app.Surroundings) {
		c.WebhookInsecure, world.Resolver = true, r
		for _, p := range providers {
			p.InTime()(c, world)
		}
	}
}

// CompanyPage is the page of the sign-in through a company's provider.
const CompanyPage = "/portal/team/sign-in"

// UseProvider sets the provider of the user's partner on the page, with more values of the form.
func (u *User) UseProvider(t testing.TB, p *Provider, more ...string) {
	t.Helper()
	page := u.Open(t, CompanyPage).Must(t, http.StatusOK)
	u.Send(t, page, CompanyPage, append(append(p.Settings(), "password", u.Password), more...)...).Leads(t, CompanyPage)
}

// NameDomain names a domain on the page, and publishes its record.
func (u *User) NameDomain(t testing.TB, r *Records, domain string) {
	t.Helper()
	u.Send(t, u.Open(t, CompanyPage), CompanyPage+"/domains", "domain", domain).Leads(t, CompanyPage)
	page := string(u.Open(t, CompanyPage).Must(t, http.StatusOK).Body)
	_, rest, _ := strings.Cut(page, `data-copy="_dropyard.`+domain+`"`)
	_, rest, _ = strings.Cut(rest, `data-copy="`)
	value, _, _ := strings.Cut(rest, `"`)
	if !strings.HasPrefix(value, "dropyard-domain=") {
		t.Fatalf("got a page without the record of %s:\n%s", domain, page)
	}
	r.Set("_dropyard."+domain, "v=spf1 -all", value)
}

// ProveDomain names a domain on the page and proves it.
func (u *User) ProveDomain(t testing.TB, r *Records, domain string) {
	t.Helper()
	u.NameDomain(t, r, domain)
	u.CheckDomain(t, domain)
}

// CheckDomain has the record of a domain looked up.
func (u *User) CheckDomain(t testing.TB, domain string) {
	t.Helper()
	u.Send(t, u.Open(t, CompanyPage), CompanyPage+"/domains/"+domain+"/check").Leads(t, CompanyPage)
}

// Begin begins a sign-in on the pages with an e-mail address, and returns where the browser is led.
func (v *Visitor) Begin(t testing.TB, email string) string {
	t.Helper()
	found := v.Fill(t, "/portal/signin", "email", email).Must(t, http.StatusSeeOther)
	v.Open(t, found.Header.Get("Location")).Must(t, http.StatusOK)
	_, domain, _ := strings.Cut(email, "@")
	return v.Open(t, "/portal/signin/go?domain="+domain).Must(t, http.StatusSeeOther).Header.Get("Location")
}

// Company signs a person in at the provider of the partner that has the domain of the address
// with which the person begins, and returns the service's answer.
func (v *Visitor) Company(t testing.TB, p *Provider, email string, token Claims) *Answer {
	t.Helper()
	return v.Open(t, p.Answer(t, v.Service, v.Begin(t, email), token, Claims{"sub": token["sub"]}))
}
