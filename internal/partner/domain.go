package partner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/mail"
)

// Domain is a domain at which people of a partner have their e-mail addresses. Until the
// partner has proven it, by a TXT record, no one signs in with it.
type Domain struct {
	PartnerID, Name string // the name in lower case
	Token           string // which the record must have
	AddedAt         time.Time
	CheckedAt       time.Time // when the record was last looked for; zero for never
	Problem         DomainProblem
	ProvenAt        time.Time // zero until it is proven
}

// Proven reports whether the partner has proven the domain.
func (d *Domain) Proven() bool { return !d.ProvenAt.IsZero() }

// RecordName returns the name that must have the TXT record.
func (d *Domain) RecordName() string { return "_dropyard." + d.Name }

// RecordValue returns what the TXT record must be.
func (d *Domain) RecordValue() string { return "dropyard-domain=" + d.Token }

// DomainProblem says why a domain was not proven when it was last checked.
type DomainProblem string

// The problems of domains.
const (
	DomainWithoutRecord DomainProblem = "no_record"
	DomainOtherRecord   DomainProblem = "other_record" // there are TXT records, but not with the value
	DomainUnanswered    DomainProblem = "no_answer"
	DomainTaken         DomainProblem = "taken" // another partner has proven it
)

// TextResolver looks TXT records up in the DNS, as *net.Resolver does.
type TextResolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

const (
	// maxDomains is how many domains a partner may have.
	maxDomains = 10
	// maxDomain is the length of the longest domain whose record has a valid name.
	maxDomain = 253 - len("_dropyard.")
	// lookupTimeout bounds the look-up of a record.
	lookupTimeout = 5 * time.Second
)

// domainRate is how often a partner may have the records of domains looked up.
var domainRate = throttle.Rate{Per: time.Minute, Limit: 10, Burst: 5}

var (
	errTooManyDomains = refusal.New(refusal.CodeConflict,
		fmt.Sprintf("%d domains are the most that an account may have", maxDomains))
	errDomainKnown = refusal.New(refusal.CodeConflict, "the account has this domain already")

	domainPattern = regexp.MustCompile(
		`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])$`)
	domainRule = form.TextRule{
		Rule: form.Define("domain", "a domain such as example.com; one with other letters as xn--"),
		Allows: func(text string) bool {
			// As it was sent: in lower case, the Kelvin sign is the letter k.
			return len(text) <= maxDomain && domainPattern.MatchString(text)
		},
	}
)

// ReadDomain reads the name of a domain.
func ReadDomain(f *form.Form) string {
	return strings.ToLower(f.Text("domain", form.Required, domainRule))
}

// DomainOf returns the domain of an e-mail address, in lower case.
func DomainOf(email string) string {
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}

// AddDomain names a domain that the partner is about to prove. It refuses with conflict if
// the partner has named it already, or has too many.
func (s *Service) AddDomain(ctx context.Context, partnerID, name string) (*CompanySignIn, error) {
	token, err := credential.Token(s.config.Random, "")
	if err != nil {
		return nil, err
	}
	return s.changeCompany(ctx, partnerID, func(tx Writer, _ *OpenID) error {
		if err := s.refuseUnprovenActor(ctx, tx); err != nil {
			return err
		}
		all, err := tx.Domains(ctx, partnerID)
		switch {
		case err != nil:
			return err
		case indexOfDomain(all, name) >= 0:
			return errDomainKnown
		case len(all) >= maxDomains:
			return errTooManyDomains
		}
		added := &Domain{PartnerID: partnerID, Name: name, Token: token, AddedAt: s.now()}
		if err := tx.SaveDomain(ctx, added); err != nil {
			return err
		}
		return s.noteDomain(ctx, tx, partnerID, nil, added)
	})
}

func indexOfDomain(all []Domain, name string) int {
	return slices.IndexFunc(all, func(d Domain) bool { return d.Name == name })
}

// RemoveDomain removes a domain, proven or not, and ends the sessions that the provider has
// vouched for. It refuses with not_found.
func (s *Service) RemoveDomain(ctx context.Context, partnerID, name string) (*CompanySignIn, error) {
	return s.changeCompany(ctx, partnerID, func(tx Writer, _ *OpenID) error {
		removed, err := domainOf(ctx, tx, partnerID, name)
		if err != nil {
			return err
		}
		if err := tx.RemoveDomain(ctx, partnerID, removed.Name); err != nil {
			return err
		}
		if removed.Proven() {
			if err := s.endVouched(ctx, tx, partnerID); err != nil {
				return err
			}
		}
		return s.noteDomain(ctx, tx, partnerID, removed, nil)
	})
}

// domainOf returns a domain of a partner. It refuses with not_found.
func domainOf(ctx context.Context, tx Reader, partnerID, name string) (*Domain, error) {
	all, err := tx.Domains(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	at := indexOfDomain(all, strings.ToLower(name))
	if at < 0 {
		return nil, refusal.NotFound("the domain")
	}
	return &all[at], nil
}

// CheckDomain looks the TXT record of a domain up, and counts the domain as proven if it has
// the value. A domain that is proven stays so, and another partner cannot prove it. It
// refuses with not_found, or with rate_limited.
func (s *Service) CheckDomain(ctx context.Context, partnerID, name string) (*CompanySignIn, error) {
	var asked *Domain
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		asked, err = domainOf(ctx, tx, partnerID, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	if verdict := s.domainChecks.Take(partnerID); !verdict.Allowed {
		refused := refusal.New(refusal.CodeRateLimited, "domains are checked too often")
		refused.RetryAfter = verdict.RetryAfter
		return nil, refused
	}
	problem := s.lookUp(ctx, asked)
	return s.changeCompany(ctx, partnerID, func(tx Writer, _ *OpenID) error {
		checked, err := domainOf(ctx, tx, partnerID, name)
		if err != nil || checked.Proven() {
			return err
		}
		if checked.Token != asked.Token { // removed and added again meanwhile
			problem = DomainOtherRecord
		}
		before := *checked
		checked.CheckedAt, checked.Problem = s.now(), problem
		if problem == "" {
			proven, err := tx.ProveDomain(ctx, checked, checked.CheckedAt)
			if err != nil {
				return err
			}
			if proven {
				checked.ProvenAt = checked.CheckedAt
				if err := s.noteDomain(ctx, tx, partnerID, &before, checked); err != nil {
					return err
				}
			} else {
				checked.Problem = DomainTaken
			}
		}
		return tx.SaveDomain(ctx, checked)
	})
}

// lookUp looks the record of a domain up. It returns an empty text if the record is there.
func (s *Service) lookUp(ctx context.Context, d *Domain) DomainProblem {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := s.config.Resolver.LookupTXT(ctx, d.RecordName()+".") // absolute, not in a search domain
	var unanswered *net.DNSError
	switch {
	case err != nil && errors.As(err, &unanswered) && unanswered.IsNotFound, err == nil && len(found) == 0:
		return DomainWithoutRecord
	case err != nil:
		s.config.Log.WarnContext(ctx, "the record of a domain could not be looked up", "domain", d.Name, "error", err)
		return DomainUnanswered
	case slices.ContainsFunc(found, func(text string) bool { return strings.TrimSpace(text) == d.RecordValue() }):
		return ""
	default:
		return DomainOtherRecord
	}
}

// domainFacts is what the audit log holds of a domain.
type domainFacts struct {
	Domain string `json:"domain"`
	Proven bool   `json:"proven"`
}

func factsOfDomain(d *Domain) any {
	if d == nil {
		return nil
	}
	return domainFacts{d.Name, d.Proven()}
}

func (s *Service) noteDomain(ctx context.Context, tx Writer, partnerID string, before, after *Domain) error {
	if err := s.informOwners(ctx, tx, partnerID, mail.ReasonDomains); err != nil {
		return err
	}
	return s.note(ctx, tx, audit.ActionDomainChanged, partnerID, partnerID, factsOfDomain(before), factsOfDomain(after))
}
