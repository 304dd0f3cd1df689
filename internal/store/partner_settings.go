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
// set for them. That is read by itself: the two tables may lie on different
// nodes.
func (tx *Tx) ListPartners(ctx context.Context, after string, limit int) (found []partner.Listed, err error) {
	places := map[string]int{} // in found
	err = tx.conn.query(ctx, "SELECT partner_id, name, email, created_at FROM partners WHERE partner_id > $1 ORDER BY partner_id LIMIT $2",
		[]any{after, limit}, func(r row) error {
			l := partner.Listed{Settings: partner.DefaultSettings}
			err := r.scan(&l.PartnerID, &l.Name, &l.Email, &l.CreatedAt)
			places[l.PartnerID] = len(found)
			found = append(found, l)
			return err
		})
	if err != nil || len(found) == 0 {
		return found, err
	}
	err = tx.conn.query(ctx, "SELECT partner_id, suspended_at, rate_limit, suspended_reason, rate_card FROM partner_settings WHERE partner_id > $1 AND partner_id <= $2",
		[]any{after, found[len(found)-1].PartnerID}, func(r row) error {
			var id string
			var settings partner.Settings
			var rate int64
			err := r.scan(&id, &settings.SuspendedAt, &rate, &settings.SuspendedReason, &settings.RateCard)
			settings.RateLimit = int(rate)
			if place, known := places[id]; known {
				found[place].Settings = settings
			}
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
