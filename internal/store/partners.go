package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

var (
	_ partner.Reader = (*Tx)(nil)
	_ partner.Writer = (*Tx)(nil)
)

// Partners is the store as the partner room sees it.
func (s *Store) Partners() partner.Store { return View[partner.Reader, partner.Writer]{s} }

// PartnerByEmail finds an account by its e-mail address in lower case; nil if
// there is none.
func (tx *Tx) PartnerByEmail(ctx context.Context, emailKey string) (found *partner.Account, err error) {
	err = tx.conn.query(ctx, "SELECT partner_id, name, email, email_key, password_hash, created_at FROM partners WHERE email_key = $1",
		[]any{emailKey}, func(r row) error {
			found = &partner.Account{}
			return r.scan(&found.PartnerID, &found.Name, &found.Email, &found.EmailKey, &found.PasswordHash, &found.CreatedAt)
		})
	return found, err
}

// AddPartner adds an account with its counters. It is false if the e-mail address or the id is in use.
func (tx *Tx) AddPartner(ctx context.Context, a *partner.Account) (added bool, err error) {
	rows, err := tx.conn.exec(ctx, "INSERT INTO partners (partner_id, name, email, email_key, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
		a.PartnerID, a.Name, a.Email, a.EmailKey, a.PasswordHash, a.CreatedAt)
	if err != nil || rows == 0 {
		return false, err
	}
	err = tx.AddPartnerCounters(ctx, a.PartnerID)
	return err == nil, err
}

// AddPartnerCounters adds what a partner's product and movement ids are taken
// from.
func (tx *Tx) AddPartnerCounters(ctx context.Context, partnerID string) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO partner_counters (partner_id, last_product, last_movement) VALUES ($1, $2, $3)", partnerID, 0, 0)
	return err
}

// PartnerByID finds a partner; nil if there is none.
func (tx *Tx) PartnerByID(ctx context.Context, partnerID string) (found *partner.Partner, err error) {
	err = tx.conn.query(ctx, "SELECT partner_id, name, email, created_at FROM partners WHERE partner_id = $1", []any{partnerID}, func(r row) error {
		found = &partner.Partner{}
		return r.scan(&found.PartnerID, &found.Name, &found.Email, &found.CreatedAt)
	})
	return found, err
}

// Session finds a session and its partner; nil if there is none.
func (tx *Tx) Session(ctx context.Context, tokenHash []byte) (found *partner.Session, err error) {
	err = tx.conn.query(ctx, `
		SELECT s.token_hash, s.created_at, s.last_seen_at, p.partner_id, p.name, p.email, p.created_at
		FROM sessions s JOIN partners p ON p.partner_id = s.partner_id WHERE s.token_hash = $1`,
		[]any{tokenHash}, func(r row) error {
			found = &partner.Session{}
			p := &found.Partner
			return r.scan(&found.TokenHash, &found.CreatedAt, &found.LastSeenAt, &p.PartnerID, &p.Name, &p.Email, &p.CreatedAt)
		})
	return found, err
}

// AddSession begins a session.
func (tx *Tx) AddSession(ctx context.Context, s *partner.Session) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO sessions (token_hash, partner_id, created_at, last_seen_at) VALUES ($1, $2, $3, $4)",
		s.TokenHash, s.Partner.PartnerID, s.CreatedAt, s.LastSeenAt)
	return err
}

// TouchSession notes that a session was used. One that has ended stays so.
func (tx *Tx) TouchSession(ctx context.Context, tokenHash []byte, at time.Time) error {
	_, err := tx.conn.exec(ctx, "UPDATE sessions SET last_seen_at = $1 WHERE token_hash = $2", at, tokenHash)
	return err
}

// EndSession removes a session, if there is one.
func (tx *Tx) EndSession(ctx context.Context, tokenHash []byte) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM sessions WHERE token_hash = $1", tokenHash)
	return err
}

// EndPartnerSessions removes all of a partner's sessions.
func (tx *Tx) EndPartnerSessions(ctx context.Context, partnerID string) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM sessions WHERE partner_id = $1", partnerID)
	return err
}

// EndSessions removes the sessions begun, or last seen, before the given times.
func (tx *Tx) EndSessions(ctx context.Context, begunBefore, seenBefore time.Time) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM sessions WHERE created_at < $1 OR last_seen_at < $2", begunBefore, seenBefore)
	return err
}

// APIKeys lists a partner's active keys, oldest first.
func (tx *Tx) APIKeys(ctx context.Context, partnerID string) (keys []partner.APIKey, err error) {
	err = tx.conn.query(ctx, "SELECT key_id, name, public_key, created_at, last_used_at FROM api_keys WHERE partner_id = $1 AND revoked_at = $2 ORDER BY created_at, key_id",
		[]any{partnerID, 0}, func(r row) error {
			var key partner.APIKey
			err := r.scan(&key.KeyID, &key.Name, &key.PublicKey, &key.CreatedAt, &key.LastUsedAt)
			keys = append(keys, key)
			return err
		})
	return keys, err
}

// APIKey finds an active key by its public key; nil if there is none.
func (tx *Tx) APIKey(ctx context.Context, publicKey string) (found *partner.SealedKey, err error) {
	err = tx.conn.query(ctx, "SELECT key_id, partner_id, name, public_key, secret, created_at, last_used_at FROM api_keys WHERE public_key = $1 AND revoked_at = $2",
		[]any{publicKey, 0}, func(r row) error {
			found = &partner.SealedKey{}
			return r.scan(&found.KeyID, &found.PartnerID, &found.Name, &found.PublicKey, &found.Secret, &found.CreatedAt, &found.LastUsedAt)
		})
	return found, err
}

// AddAPIKey adds a key.
func (tx *Tx) AddAPIKey(ctx context.Context, key *partner.SealedKey) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO api_keys (key_id, partner_id, name, public_key, secret, created_at, revoked_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		key.KeyID, key.PartnerID, key.Name, key.PublicKey, key.Secret, key.CreatedAt, time.Time{}, key.LastUsedAt)
	return err
}

// RevokeAPIKey ends a partner's active key and tells its public key; empty if
// there is no such key.
func (tx *Tx) RevokeAPIKey(ctx context.Context, partnerID, keyID string, at time.Time) (publicKey string, err error) {
	err = tx.conn.query(ctx, "UPDATE api_keys SET revoked_at = $1 WHERE key_id = $2 AND partner_id = $3 AND revoked_at = $4 RETURNING public_key",
		[]any{at, keyID, partnerID, 0}, func(r row) error { return r.scan(&publicKey) })
	return publicKey, err
}

var setKeyUse = newSet(update, "api_keys", texts("key_id"), integers("last_used_at"))

// SaveKeyUses writes when keys were last used. Nodes may overwrite each other
// with a time half a minute older, which nobody minds.
func (tx *Tx) SaveKeyUses(ctx context.Context, uses []partner.KeyUse) error {
	_, err := tx.conn.apply(ctx, setKeyUse, len(uses), func(i int, b binder) {
		b.integer(micros(uses[i].At))
		b.text(uses[i].KeyID)
	})
	return err
}
