package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/partner"
)

// provenDomain is a domain that a partner has proven to be its own.
type provenDomain struct {
	domain, partnerID string
	at                time.Time
}

var (
	partnerOpenID = db.NewTable("partner_openid",
		db.Key(db.Text("partner_id", func(o *partner.OpenID) *string { return &o.PartnerID })),
		db.Text("issuer", func(o *partner.OpenID) *string { return &o.Issuer }),
		db.Text("client_id", func(o *partner.OpenID) *string { return &o.ClientID }),
		db.Blob("client_secret", func(o *partner.OpenID) *[]byte { return &o.Secret }),
		db.Text("role_claim", func(o *partner.OpenID) *string { return &o.RoleClaim }),
		db.JSON("role_values", func(o *partner.OpenID) *map[partner.Role]string { return &o.Values },
			func(values map[partner.Role]string) bool { return len(values) == 0 },
			// A value of no claim: without any, the names of roles would count.
			func(o *partner.OpenID, _ error) { o.Values = map[partner.Role]string{partner.RoleReader: ""} }),
		db.Text("default_role", func(o *partner.OpenID) *string { return (*string)(&o.DefaultRole) }),
		db.Moment("stopped_at", func(o *partner.OpenID) *time.Time { return &o.StoppedAt }),
		db.Moment("changed_at", func(o *partner.OpenID) *time.Time { return &o.ChangedAt }),
	)
	saveOpenID = partnerOpenID.Upsert()
	findOpenID = db.LookUpBy(db.ByID("partner_id"), partnerOpenID)

	partnerDomains = db.NewTable("partner_domains",
		db.Key(
			db.Text("partner_id", func(d *partner.Domain) *string { return &d.PartnerID }),
			db.Text("domain", func(d *partner.Domain) *string { return &d.Name })),
		db.Text("token", func(d *partner.Domain) *string { return &d.Token }),
		db.Moment("added_at", func(d *partner.Domain) *time.Time { return &d.AddedAt }),
		db.Moment("checked_at", func(d *partner.Domain) *time.Time { return &d.CheckedAt }),
		db.Text("problem", func(d *partner.Domain) *string { return (*string)(&d.Problem) }),
	)
	saveDomains = partnerDomains.Upsert()

	provenDomains = db.NewTable("proven_domains",
		db.Key(db.Text("domain", func(d *provenDomain) *string { return &d.domain })),
		db.Text("partner_id", func(d *provenDomain) *string { return &d.partnerID }),
		db.Moment("proven_at", func(d *provenDomain) *time.Time { return &d.at }),
	)
	addProvenDomains  = provenDomains.Insert()
	findProvenDomains = db.LookUpBy(db.ByID("domain"), provenDomains)

	userIdentities = db.NewTable("user_identities",
		db.Key(
			db.Text("partner_id", func(i *partner.Identity) *string { return &i.PartnerID }),
			db.Text("issuer", func(i *partner.Identity) *string { return &i.Issuer }),
			db.Text("subject", func(i *partner.Identity) *string { return &i.Subject })),
		db.Text("user_id", func(i *partner.Identity) *string { return &i.UserID }),
		db.Moment("created_at", func(i *partner.Identity) *time.Time { return &i.CreatedAt }),
	)
	saveIdentities = userIdentities.Upsert()
)

// OpenID returns the provider that a partner has set; nil if it has set none.
func (tx partnerTx) OpenID(ctx context.Context, partnerID string) (*partner.OpenID, error) {
	return db.FindOne(ctx, tx.conn, findOpenID, partnerID)
}

// SaveOpenID writes the provider of a partner.
func (tx partnerTx) SaveOpenID(ctx context.Context, set *partner.OpenID) error {
	_, err := db.WriteNow(ctx, tx.conn, saveOpenID, set)
	return err
}

// RemoveOpenID removes the provider of a partner.
func (tx partnerTx) RemoveOpenID(ctx context.Context, partnerID string) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM partner_openid WHERE partner_id = $1", partnerID)
	return err
}

// Domains lists the domains of a partner by name, with when each was proven.
func (tx partnerTx) Domains(ctx context.Context, partnerID string) ([]partner.Domain, error) {
	return domainsOf(ctx, tx.conn, partnerID)
}

func domainsOf(ctx context.Context, c db.Conn, partnerID string) ([]partner.Domain, error) {
	named, err := partnerDomains.All(ctx, c, "WHERE partner_id = $1 ORDER BY domain", partnerID)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	names := make([]string, len(named))
	for i, domain := range named {
		names[i] = domain.Name
	}
	found, err := db.FindNow(ctx, c, findProvenDomains, names...)
	at := map[string]time.Time{}
	for _, proven := range found {
		if proven.partnerID == partnerID {
			at[proven.domain] = proven.at
		}
	}
	domains := db.Values(named)
	for i := range domains {
		domains[i].ProvenAt = at[domains[i].Name]
	}
	return domains, err
}

// ProvenBy returns the id of the partner that has proven a domain; empty if none has.
func (tx partnerTx) ProvenBy(ctx context.Context, domain string) (string, error) {
	found, err := db.FindOne(ctx, tx.conn, findProvenDomains, domain)
	if err != nil || found == nil {
		return "", err
	}
	return found.partnerID, nil
}

// SaveDomain writes all of a domain but when it was proven.
func (tx partnerTx) SaveDomain(ctx context.Context, domain *partner.Domain) error {
	_, err := db.WriteNow(ctx, tx.conn, saveDomains, domain)
	return err
}

// RemoveDomain removes a domain, and that the partner has proven it.
func (tx partnerTx) RemoveDomain(ctx context.Context, partnerID, domain string) error {
	for _, table := range []string{provenDomains.Name, partnerDomains.Name} {
		if _, err := tx.conn.Exec(ctx, "DELETE FROM "+table+" WHERE partner_id = $1 AND domain = $2", partnerID,
			domain); err != nil {
			return err
		}
	}
	return nil
}

// ProveDomain notes that a partner has proven a domain. It is false if another has, also in
// a transaction at the same moment: the domain is the key.
func (tx partnerTx) ProveDomain(ctx context.Context, domain *partner.Domain, at time.Time) (bool, error) {
	rows, err := db.WriteNow(ctx, tx.conn, addProvenDomains, &provenDomain{domain.Name, domain.PartnerID, at})
	return rows == 1, err
}

// Identity returns the identity of a person at a partner's provider; nil if the person has
// not signed in before.
func (tx partnerTx) Identity(ctx context.Context, partnerID, issuer, subject string) (*partner.Identity, error) {
	return userIdentities.One(ctx, tx.conn, "WHERE partner_id = $1 AND issuer = $2 AND subject = $3", partnerID, issuer,
		subject)
}

// HasIdentity reports whether a user is tied to a person at a provider.
func (tx partnerTx) HasIdentity(ctx context.Context, of *partner.Account, issuer string) (bool, error) {
	return db.Exists(ctx, tx.conn,
		"SELECT subject FROM user_identities WHERE partner_id = $1 AND issuer = $2 AND user_id = $3", of.PartnerID, issuer,
		of.UserID)
}

// SaveIdentity ties a person at a partner's provider to a user.
func (tx partnerTx) SaveIdentity(ctx context.Context, identity *partner.Identity) error {
	_, err := db.WriteNow(ctx, tx.conn, saveIdentities, identity)
	return err
}

// EndIdentities dates the identities of a user who is removed.
func (tx partnerTx) EndIdentities(ctx context.Context, partnerID, userID string, at time.Time) error {
	_, err := tx.conn.Exec(ctx, "UPDATE user_identities SET created_at = $1 WHERE partner_id = $2 AND user_id = $3",
		at, partnerID, userID)
	return err
}

// Prove notes that a user reads the mails to the address.
func (tx partnerTx) Prove(ctx context.Context, userID string) error {
	return proveUser(ctx, tx.conn, userID)
}

// EndVouchedSessions ends the sessions of a partner's people that a provider has vouched for,
// but that with a token.
func (tx partnerTx) EndVouchedSessions(ctx context.Context, partnerID string, except []byte) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM sessions WHERE partner_id = $1 AND vouched = 1 AND token_hash <> $2",
		partnerID, db.NotNil(except))
	return err
}
