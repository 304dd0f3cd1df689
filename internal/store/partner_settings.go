package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/partner"
)

var (
	settingsKeys    = texts("partner_id")
	settingsColumns = append(integers("suspended_at", "rate_limit"), texts("suspended_reason", "rate_card")...)
	lockSettings    = newSet(lookUpLock, "partner_settings", settingsKeys, settingsColumns)
	addSettings     = newSet(insertNew, "partner_settings", settingsKeys, settingsColumns)
	saveSettings    = newSet(update, "partner_settings", settingsKeys, settingsColumns)
	findSettings    = newSet(lookUp, "partner_settings", settingsKeys, settingsColumns)
)

// PartnerSettings reads what was set for a partner, or the defaults.
func (tx *Tx) PartnerSettings(ctx context.Context, partnerID string) (partner.Settings, error) {
	return tx.partnerSettings(ctx, findSettings, partnerID)
}

func (tx *Tx) partnerSettings(ctx context.Context, set *setStatement, partnerID string) (partner.Settings, error) {
	settings := partner.DefaultSettings
	key := func(_ int, b binder) { b.text(partnerID) }
	err := tx.conn.find(ctx, set, 1, key, func(r row) error {
		var rate int64
		err := r.scan(&settings.SuspendedAt, &rate, &settings.SuspendedReason, &settings.RateCard)
		settings.RateLimit = int(rate)
		return err
	})
	return settings, err
}

// LockPartnerSettings reads a partner's settings, which are locked until the
// transaction ends. A partner that has none gets the defaults.
func (tx *Tx) LockPartnerSettings(ctx context.Context, partnerID string) (partner.Settings, error) {
	// Another node may add it at the same moment. Then this waits for it, and
	// what is read next is what the other one has made of it.
	if _, err := tx.conn.apply(ctx, addSettings, 1, bindSettings(partnerID, partner.DefaultSettings)); err != nil {
		return partner.Settings{}, err
	}
	return tx.partnerSettings(ctx, lockSettings, partnerID)
}

// SetPartnerSettings writes settings that the same transaction has locked.
func (tx *Tx) SetPartnerSettings(ctx context.Context, partnerID string, settings partner.Settings) error {
	_, err := tx.conn.apply(ctx, saveSettings, 1, bindSettings(partnerID, settings))
	return err
}

func bindSettings(partnerID string, s partner.Settings) func(int, binder) {
	return func(_ int, b binder) {
		b.integer(micros(s.SuspendedAt))
		b.integer(int64(s.RateLimit))
		b.text(s.SuspendedReason)
		b.text(s.RateCard)
		b.text(partnerID)
	}
}

// ListPartners lists partners by id, those after the given one, with what was
// set for them.
func (tx *Tx) ListPartners(ctx context.Context, after string, limit int) (found []partner.Listed, err error) {
	err = tx.conn.query(ctx, `
		SELECT p.partner_id, p.name, p.email, p.created_at, coalesce(s.suspended_at, 0), coalesce(s.suspended_reason, ''),
			coalesce(s.rate_limit, -1), coalesce(s.rate_card, '')
		FROM partners p LEFT JOIN partner_settings s ON s.partner_id = p.partner_id
		WHERE p.partner_id > $1 ORDER BY p.partner_id LIMIT $2`,
		[]any{after, limit}, func(r row) error {
			var l partner.Listed
			var rate int64
			err := r.scan(&l.PartnerID, &l.Name, &l.Email, &l.CreatedAt, &l.SuspendedAt, &l.SuspendedReason, &rate, &l.RateCard)
			l.RateLimit = int(rate)
			found = append(found, l)
			return err
		})
	return found, err
}

// CountAPIKeys counts a partner's keys.
func (tx *Tx) CountAPIKeys(ctx context.Context, partnerID string) (active, revoked int64, err error) {
	err = tx.conn.query(ctx, "SELECT count(CASE revoked_at WHEN 0 THEN 1 END), count(CASE revoked_at WHEN 0 THEN NULL ELSE 1 END) FROM api_keys WHERE partner_id = $1",
		[]any{partnerID}, func(r row) error { return r.scan(&active, &revoked) })
	return active, revoked, err
}
