package shared

import (
	"cmp"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
)

// companySignIn is how the people of a partner sign in through its OpenID provider.
type companySignIn struct {
	RedirectURI string          `json:"redirect_uri"`
	Provider    *openIDProvider `json:"provider"` // null if none is set
	Domains     []openIDDomain  `json:"domains"`
}

// openIDProvider is a partner's provider without the client's secret, which is never shown.
type openIDProvider struct {
	Issuer      string                  `json:"issuer"`
	ClientID    string                  `json:"client_id"`
	RoleClaim   *string                 `json:"role_claim"` // null if roles are set here
	RoleValues  map[partner.Role]string `json:"role_values"`
	DefaultRole *string                 `json:"default_role"` // null if people must be invited
	Stopped     bool                    `json:"stopped"`
	ChangedAt   time.Time               `json:"changed_at"`
}

type openIDDomain struct {
	Domain      string                `json:"domain"`
	State       partner.DomainProblem `json:"state"`
	RecordName  string                `json:"record_name"`
	RecordValue string                `json:"record_value"`
	AddedAt     time.Time             `json:"added_at"`
	CheckedAt   *time.Time            `json:"checked_at"` // null for never
	ProvenAt    *time.Time            `json:"proven_at"`  // null until it is proven
}

// The states of domains that have no problem.
const (
	domainUnchecked partner.DomainProblem = "unchecked"
	domainProven    partner.DomainProblem = "proven"
)

// CompanySignIn responds with how the people of a partner sign in through its provider.
func CompanySignIn(c *partner.CompanySignIn, err error) (httpd.Reply, error) {
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(companySignInOf(c))
}

// AddedDomain responds with it after a domain was added.
func AddedDomain(c *partner.CompanySignIn, err error) (httpd.Reply, error) {
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(companySignInOf(c))
}

func companySignInOf(c *partner.CompanySignIn) companySignIn {
	answer := companySignIn{RedirectURI: c.RedirectURI, Domains: make([]openIDDomain, len(c.Domains))}
	if set := c.OpenID; set != nil {
		answer.Provider = &openIDProvider{
			Issuer: set.Issuer, ClientID: set.ClientID, RoleClaim: strictjson.OrNull(set.RoleClaim),
			RoleValues: map[partner.Role]string{}, DefaultRole: strictjson.OrNull(string(set.DefaultRole)),
			Stopped: set.Stopped(), ChangedAt: set.ChangedAt,
		}
		if len(set.Values) > 0 {
			answer.Provider.RoleValues = set.Values
		}
	}
	for i, d := range c.Domains {
		state := cmp.Or(d.Problem, domainUnchecked)
		if d.Proven() {
			state = domainProven
		}
		answer.Domains[i] = openIDDomain{
			Domain: d.Name, State: state, RecordName: d.RecordName(), RecordValue: d.RecordValue(), AddedAt: d.AddedAt,
			CheckedAt: strictjson.OrNull(d.CheckedAt), ProvenAt: strictjson.OrNull(d.ProvenAt),
		}
	}
	return answer
}
