package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
)

// Partners is the store as package partner sees it.
func (s *Store) Partners() partner.Store {
	return view[partner.Reader, partner.Writer]{s.Database,
		func(c db.Conn) partner.Reader { return partnerTx{linking{auditing{c}, mailing{c}}} },
		func(c db.Conn) partner.Writer { return partnerTx{linking{auditing{c}, mailing{c}}} }}
}

// partnerTx is a transaction of package partner.
type partnerTx struct{ linking }

// Account returns the user with an e-mail address in lower case; nil if there is
// none.
func (tx partnerTx) Account(ctx context.Context, emailKey string) (*partner.Account, error) {
	return users.One(ctx, tx.conn, "WHERE email_key = $1", emailKey)
}

// Partner returns a partner; nil if there is none.
func (tx partnerTx) Partner(ctx context.Context, partnerID string) (*partner.Partner, error) {
	return db.FindOne(ctx, tx.conn, findPartners, partnerID)
}

// AddPartner adds a partner with its counters. It is false if the id is in use.
func (tx partnerTx) AddPartner(ctx context.Context, added *partner.Partner) (bool, error) {
	if rows, err := db.WriteNow(ctx, tx.conn, addPartners, added); err != nil || rows == 0 {
		return false, err
	}
	if err := db.WriteAllNow(ctx, tx.conn, addUsages, &usageRow{partnerID: added.PartnerID}); err != nil {
		return false, err
	}
	_, err := db.WriteNow(ctx, tx.conn, addCounters, &counters{partnerID: added.PartnerID})
	return err == nil, err
}

// AddTestAccount adds the counters of a test account, unless they exist.
func (tx partnerTx) AddTestAccount(ctx context.Context, testAccount string) error {
	_, err := db.WriteNow(ctx, tx.conn, addUsages, &usageRow{partnerID: testAccount})
	if err == nil {
		_, err = db.WriteNow(ctx, tx.conn, addCounters, &counters{partnerID: testAccount})
	}
	return err
}

// AddUser adds a user. It is false if the e-mail address is in use.
func (tx partnerTx) AddUser(ctx context.Context, account *partner.Account) (bool, error) {
	rows, err := db.WriteNow(ctx, tx.conn, addUsers, account)
	return rows > 0, err
}

// Users lists the people of a partner, oldest first.
func (tx partnerTx) Users(ctx context.Context, partnerID string) (listed []partner.User, err error) {
	err = users.Each(ctx, tx.conn, "WHERE partner_id = $1 ORDER BY created_at, user_id", []any{partnerID},
		func(row *partner.Account) error {
			listed = append(listed, row.User)
			return nil
		})
	return listed, err
}

// LockPartner locks a partner until the transaction ends.
func (tx partnerTx) LockPartner(ctx context.Context, partnerID string) error {
	_, err := db.FindOne(ctx, tx.conn, lockPartners, partnerID)
	return err
}

// lockFirst locks the partner of a user: whatever changes a team locks the partner before
// the people.
func (tx partnerTx) lockFirst(ctx context.Context, by *actor.Actor) error {
	if by.Kind != actor.User {
		return nil
	}
	return tx.LockPartner(ctx, by.PartnerID)
}

// SaveUser writes the name and the role of a user.
func (tx partnerTx) SaveUser(ctx context.Context, user *partner.User) error {
	_, err := db.WriteNow(ctx, tx.conn, saveUsers, user)
	return err
}

// RemoveUser removes a user, and then the user's sessions, devices and second factor: a login
// waits for the user's row, so that no session begins in between.
func (tx partnerTx) RemoveUser(ctx context.Context, partnerID, userID string) error {
	if _, err := tx.conn.Exec(ctx, "DELETE FROM users WHERE user_id = $1", userID); err != nil {
		return err
	}
	if _, err := tx.conn.Exec(ctx, "DELETE FROM sessions WHERE partner_id = $1 AND user_id = $2", partnerID,
		userID); err != nil {
		return err
	}
	return removeSignIn(ctx, tx.conn, userID)
}

// List lists partners by id, those after the given one, with what was set for
// them.
func (tx partnerTx) List(ctx context.Context, after string, limit int) ([]partner.Listed, error) {
	accounts, err := partners.All(ctx, tx.conn, "WHERE partner_id > $1 ORDER BY partner_id LIMIT $2", after, limit)
	if err != nil {
		return nil, err
	}
	listed, places := make([]partner.Listed, len(accounts)), map[string]int{}
	ids := make([]string, len(accounts))
	for i, account := range accounts {
		listed[i] = partner.Listed{Partner: *account, Settings: partner.DefaultSettings}
		ids[i], places[account.PartnerID] = account.PartnerID, i
	}
	settings, err := db.FindNow(ctx, tx.conn, findSettings, ids...)
	for _, row := range settings {
		listed[places[row.partnerID]].Settings = row.Settings
	}
	return listed, err
}

// Settings returns what was set for a partner, or the defaults.
func (tx partnerTx) Settings(ctx context.Context, partnerID string) (partner.Settings, error) {
	row, err := db.FindOne(ctx, tx.conn, findSettings, partnerID)
	return settingsOrDefault(row), err
}

// LockSettings returns a partner's settings, locked until the transaction ends.
// A partner that has none gets a row with the defaults.
func (tx partnerTx) LockSettings(ctx context.Context, partnerID string) (partner.Settings, error) {
	// Another node may add the row at the same moment. The insert then waits for
	// that node, and the read sees what it has written.
	if _, err := db.WriteNow(ctx, tx.conn, addSettings, &settingsRow{partnerID, partner.DefaultSettings}); err != nil {
		return partner.Settings{}, err
	}
	row, err := db.FindOne(ctx, tx.conn, lockSettings, partnerID)
	return settingsOrDefault(row), err
}

// SaveSettings writes settings that the same transaction has locked.
func (tx partnerTx) SaveSettings(ctx context.Context, partnerID string, settings partner.Settings) error {
	_, err := db.WriteNow(ctx, tx.conn, saveSettings, &settingsRow{partnerID, settings})
	return err
}

// Usage returns what a partner has used of its quotas, with the orders of the day of
// a time.
func (tx partnerTx) Usage(ctx context.Context, partnerID string, at time.Time) (partner.Usage, error) {
	keys := []order.UsageKey{{PartnerID: partnerID, Day: order.DayOf(at)}}
	rows, err := db.FindNow(ctx, tx.conn, findUsages, partnerID)
	if err != nil {
		return partner.Usage{}, err
	}
	usages, err := usagesOf(ctx, tx.conn, rows, keys, false)
	if err != nil || usages[partnerID] == nil {
		return partner.Usage{}, err
	}
	return partner.Usage{OrdersToday: usages[partnerID].Orders, StoredBytes: usages[partnerID].Bytes}, nil
}

// HasRateCards reports whether there are rate cards of this name.
func (tx partnerTx) HasRateCards(ctx context.Context, name string) (bool, error) {
	return db.Exists(ctx, tx.conn, "SELECT name FROM rate_cards WHERE name = $1 LIMIT 1", name)
}

// LockUser returns a user, locked until the transaction ends; nil if there is none.
func (tx partnerTx) LockUser(ctx context.Context, userID string) (*partner.Account, error) {
	return db.FindOne(ctx, tx.conn, lockUsers, userID)
}

// EndSessionsOf removes all sessions of a partner.
func (tx partnerTx) EndSessionsOf(ctx context.Context, partnerID string) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM sessions WHERE partner_id = $1", partnerID)
	return err
}

// APIKeys lists a partner's active keys, oldest first.
func (tx partnerTx) APIKeys(ctx context.Context, partnerID string) (active []partner.APIKey, err error) {
	err = apiKeys.Each(ctx, tx.conn, "WHERE partner_id = $1 AND revoked_at = 0 ORDER BY created_at, key_id",
		[]any{partnerID}, func(row *keyRow) error {
			active = append(active, row.APIKey)
			return nil
		})
	return active, err
}

// CountAPIKeys counts a partner's keys.
func (tx partnerTx) CountAPIKeys(ctx context.Context, partnerID string) (active, revoked int64, err error) {
	err = tx.conn.Query(ctx, "SELECT count(*) FILTER (WHERE revoked_at = 0), count(*) FILTER (WHERE revoked_at <> 0) FROM api_keys WHERE partner_id = $1",
		[]any{partnerID}, func(r db.Row) error { return r.Scan(&active, &revoked) })
	return active, revoked, err
}

// APIKey returns the active key with a public key; nil if there is none.
func (tx partnerTx) APIKey(ctx context.Context, publicKey string) (*partner.SealedKey, error) {
	row, err := apiKeys.One(ctx, tx.conn, "WHERE public_key = $1 AND revoked_at = 0", publicKey)
	if err != nil || row == nil {
		return nil, err
	}
	return &row.SealedKey, nil
}

// AddAPIKey adds a key.
func (tx partnerTx) AddAPIKey(ctx context.Context, added *partner.SealedKey) error {
	_, err := db.WriteNow(ctx, tx.conn, addAPIKeys, &keyRow{SealedKey: *added})
	return err
}

// RevokeAPIKey ends a partner's active key and returns it; nil if there is no such
// key.
func (tx partnerTx) RevokeAPIKey(
	ctx context.Context, partnerID, keyID string, at time.Time,
) (revoked *partner.APIKey, err error) {
	err = tx.conn.Query(ctx, "UPDATE api_keys SET revoked_at = $1 WHERE key_id = $2 AND partner_id = $3 AND revoked_at = 0 RETURNING "+apiKeys.List(""),
		[]any{at, keyID, partnerID}, func(r db.Row) error {
			found := &keyRow{}
			revoked = &found.APIKey
			return r.Scan(db.Into(apiKeys.Columns, found)...)
		})
	return revoked, err
}

// SaveKeyUses writes when keys were last used. Nodes may overwrite each other
// with a time half a minute older, which does no harm.
func (tx partnerTx) SaveKeyUses(ctx context.Context, uses []partner.KeyUse) error {
	_, err := db.WriteNow(ctx, tx.conn, useAPIKeys, db.Pointers(uses)...)
	return err
}
