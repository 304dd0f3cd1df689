package store

import (
	"context"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
)

// recoveryCode is a code that stands in for those of an authenticator app.
type recoveryCode struct {
	personID string
	codeHash []byte
}

// signInRule lists the roles of a kind of people that must have a second factor.
type signInRule struct {
	kind  string
	roles string // separated by spaces
}

var (
	signIns = db.NewTable("sign_ins",
		db.Key(db.Text("person_id", func(f *signin.Factor) *string { return &f.PersonID })),
		db.Blob("totp_secret", func(f *signin.Factor) *[]byte { return &f.Secret }),
		db.Moment("totp_confirmed_at", func(f *signin.Factor) *time.Time { return &f.ConfirmedAt }),
		db.Integer("totp_step", func(f *signin.Factor) *int64 { return &f.Step }),
		db.Moment("reset_requested_at", func(f *signin.Factor) *time.Time { return &f.ResetRequestedAt }),
	)
	saveSignIns = signIns.Upsert()
	findSignIns = db.LookUpBy(db.ByID("person_id"), signIns)

	recoveryCodes = db.NewTable("recovery_codes",
		db.Key(
			db.Text("person_id", func(c *recoveryCode) *string { return &c.personID }),
			db.Blob("code_hash", func(c *recoveryCode) *[]byte { return &c.codeHash })))
	addRecoveryCodes = recoveryCodes.Insert()

	signInRules = db.NewTable("sign_in_rules",
		db.Key(db.Text("kind", func(r *signInRule) *string { return &r.kind })),
		db.Text("roles", func(r *signInRule) *string { return &r.roles }),
	)
	addSignInRules  = signInRules.Insert()
	saveSignInRules = signInRules.Upsert()
	lockSignInRules = db.LockBy(db.ByID("kind"), signInRules)
)

// proving is the part of a transaction that reads and writes what people sign in with
// besides their passwords.
type proving struct{ linking }

// Factor returns what a person signs in with besides the password.
func (tx proving) Factor(ctx context.Context, personID string) (signin.Factor, error) {
	found, err := db.FindOne(ctx, tx.conn, findSignIns, personID)
	if err != nil || found == nil {
		return signin.Factor{PersonID: personID}, err
	}
	return *found, nil
}

// Factors returns what people sign in with besides their passwords, by their ids.
func (tx proving) Factors(ctx context.Context, personIDs []string) (map[string]signin.Factor, error) {
	found, err := db.FindNow(ctx, tx.conn, findSignIns, personIDs...)
	factors := make(map[string]signin.Factor, len(found))
	for _, factor := range found {
		factors[factor.PersonID] = *factor
	}
	return factors, err
}

// SaveFactor writes what a person signs in with besides the password.
func (tx proving) SaveFactor(ctx context.Context, factor signin.Factor) error {
	_, err := db.WriteNow(ctx, tx.conn, saveSignIns, &factor)
	return err
}

// TakeRecoveryCode removes a recovery code. It returns false if there is none.
func (tx proving) TakeRecoveryCode(ctx context.Context, personID string, hash []byte) (taken bool, err error) {
	rows, err := tx.conn.Exec(ctx, "DELETE FROM recovery_codes WHERE person_id = $1 AND code_hash = $2", personID, hash)
	return rows == 1, err
}

// CountRecoveryCodes counts a person's recovery codes.
func (tx proving) CountRecoveryCodes(ctx context.Context, personID string) (left int64, err error) {
	err = tx.conn.Query(ctx, "SELECT count(*) FROM recovery_codes WHERE person_id = $1", []any{personID},
		func(r db.Row) error { return r.Scan(&left) })
	return left, err
}

// SetRecoveryCodes replaces a person's recovery codes.
func (tx proving) SetRecoveryCodes(ctx context.Context, personID string, hashes [][]byte) error {
	if _, err := tx.conn.Exec(ctx, "DELETE FROM recovery_codes WHERE person_id = $1", personID); err != nil {
		return err
	}
	codes := make([]recoveryCode, len(hashes))
	for i, hash := range hashes {
		codes[i] = recoveryCode{personID, hash}
	}
	return db.WriteAllNow(ctx, tx.conn, addRecoveryCodes, db.Pointers(codes)...)
}

// Required lists the roles of a kind of people that must have a second factor.
func (tx proving) Required(ctx context.Context, kind signin.Kind) ([]string, error) {
	rule, err := signInRules.One(ctx, tx.conn, "WHERE kind = $1", string(kind))
	if err != nil || rule == nil {
		return nil, err
	}
	return strings.Fields(rule.roles), nil
}

// LockRequired returns what Required does, locked until the transaction ends. A kind
// without a rule gets one that requires nothing.
func (tx proving) LockRequired(ctx context.Context, kind signin.Kind) ([]string, error) {
	if _, err := db.WriteNow(ctx, tx.conn, addSignInRules, &signInRule{kind: string(kind)}); err != nil {
		return nil, err
	}
	rule, err := db.FindOne(ctx, tx.conn, lockSignInRules, string(kind))
	if err != nil || rule == nil {
		return nil, err
	}
	return strings.Fields(rule.roles), nil
}

// SetRequired sets the roles of a kind of people that must have a second factor.
func (tx proving) SetRequired(ctx context.Context, kind signin.Kind, roles []string) error {
	_, err := db.WriteNow(ctx, tx.conn, saveSignInRules, &signInRule{string(kind), strings.Join(roles, " ")})
	return err
}

// removeSignIn removes what a person who leaves has signed in with besides the
// password, and from which devices.
func removeSignIn(ctx context.Context, c db.Conn, personID string) error {
	for _, table := range []string{recoveryCodes.Name, knownDevices.Name, signIns.Name} {
		if _, err := c.Exec(ctx, "DELETE FROM "+table+" WHERE person_id = $1", personID); err != nil {
			return err
		}
	}
	return nil
}

var (
	knownDevices = db.NewTable("known_devices",
		db.Key(
			db.Text("person_id", func(d *signin.KnownDevice) *string { return &d.PersonID }),
			db.Blob("device_hash", func(d *signin.KnownDevice) *[]byte { return &d.Hash })),
		db.Moment("last_seen_at", func(d *signin.KnownDevice) *time.Time { return &d.LastSeenAt }),
	)
	saveKnownDevices = knownDevices.Upsert()
)

// DevicesOf lists a person's devices, the last one seen first.
func (tx proving) DevicesOf(ctx context.Context, personID string) ([]*signin.KnownDevice, error) {
	return knownDevices.All(ctx, tx.conn, "WHERE person_id = $1 ORDER BY last_seen_at DESC, device_hash", personID)
}

// SaveDevices writes when devices were last seen.
func (tx proving) SaveDevices(ctx context.Context, devices ...*signin.KnownDevice) error {
	return db.WriteAllNow(ctx, tx.conn, saveKnownDevices, devices...)
}

// RemoveDevice removes a device of a person.
func (tx proving) RemoveDevice(ctx context.Context, personID string, hash []byte) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM known_devices WHERE person_id = $1 AND device_hash = $2", personID, hash)
	return err
}

// RemoveOldDevices removes the devices last seen before a time. The latest of each
// person stays: without any, the next device would count as the person's first.
func (tx proving) RemoveOldDevices(ctx context.Context, before time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM known_devices WHERE last_seen_at < $1 AND EXISTS (SELECT 1 FROM known_devices later"+
		" WHERE later.person_id = known_devices.person_id AND later.last_seen_at > known_devices.last_seen_at)", before)
	return err
}

// OperatorSignIns is the store as the room of sign-ins sees it for operators.
func (s *Store) OperatorSignIns() signin.Store { return s.signIns(operatorPeople) }

// UserSignIns is the store as the room of sign-ins sees it for partners' users.
func (s *Store) UserSignIns() signin.Store { return s.signIns(userPeople) }

func (s *Store) signIns(of people) signin.Store {
	return view[signin.Reader, signin.Writer]{s.Database,
		func(c db.Conn) signin.Reader { return signInTx{proving{linking{auditing{c}, mailing{c}}}, of} },
		func(c db.Conn) signin.Writer { return signInTx{proving{linking{auditing{c}, mailing{c}}}, of} }}
}

// people says where one kind of people is stored.
type people struct {
	kind       actor.Kind
	table, key string
	sessions   string // the table of their sessions, which has the same key
	tokens     string // the table of their bearer tokens; empty if they have none
	// find lists people by what follows the name of the table.
	find func(ctx context.Context, c db.Conn, tail string, args ...any) ([]*signin.Person, error)
	// lock returns a person, locked until the transaction ends; nil if there is none.
	lock func(ctx context.Context, c db.Conn, id string) (*signin.Person, error)
}

var operatorPeople = people{
	kind: actor.Operator, table: operators.Name, key: "operator_id", sessions: operatorSessions.Name, tokens: operatorTokens.Name,
	find: func(ctx context.Context, c db.Conn, tail string, args ...any) (found []*signin.Person, err error) {
		err = operators.Each(ctx, c, tail, args, func(row *operator.Account) error {
			found = append(found, personOfOperator(row))
			return nil
		})
		return found, err
	},
	lock: func(ctx context.Context, c db.Conn, id string) (*signin.Person, error) {
		row, err := db.FindOne(ctx, c, lockOperators, id)
		if err != nil || row == nil {
			return nil, err
		}
		return personOfOperator(row), nil
	},
}

func personOfOperator(a *operator.Account) *signin.Person {
	return &signin.Person{
		PersonID: a.OperatorID, Email: a.Email, EmailKey: a.EmailKey, PasswordHash: a.PasswordHash,
		Role: string(a.Role), CreatedAt: a.CreatedAt,
	}
}

var userPeople = people{
	kind: actor.User, table: users.Name, key: "user_id", sessions: sessions.Name,
	find: func(ctx context.Context, c db.Conn, tail string, args ...any) (found []*signin.Person, err error) {
		err = users.Each(ctx, c, tail, args, func(row *partner.Account) error {
			found = append(found, personOfUser(row))
			return nil
		})
		return found, err
	},
	lock: func(ctx context.Context, c db.Conn, id string) (*signin.Person, error) {
		row, err := db.FindOne(ctx, c, lockUsers, id)
		if err != nil || row == nil {
			return nil, err
		}
		return personOfUser(row), nil
	},
}

func personOfUser(a *partner.Account) *signin.Person {
	return &signin.Person{
		PersonID: a.UserID, PartnerID: a.PartnerID, Name: a.Name, Email: a.Email, EmailKey: a.EmailKey, PasswordHash: a.PasswordHash,
		Role: string(a.Role), CreatedAt: a.CreatedAt, UnprovenSince: a.UnprovenSince,
	}
}

// signInTx is a transaction of the room of sign-ins, for one kind of people.
type signInTx struct {
	proving
	people
}

// lockFirst locks the person who acts: most of what people change here is their own.
func (tx signInTx) lockFirst(ctx context.Context, by *actor.Actor) error {
	if by.Kind != tx.kind {
		return nil
	}
	_, err := tx.lock(ctx, tx.conn, by.PersonID)
	return err
}

// one returns the only person of a query; nil if there is none.
func (tx signInTx) one(ctx context.Context, tail string, args ...any) (*signin.Person, error) {
	found, err := tx.find(ctx, tx.conn, tail, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Person returns a person; nil if there is none.
func (tx signInTx) Person(ctx context.Context, personID string) (*signin.Person, error) {
	return tx.one(ctx, "WHERE "+tx.key+" = $1", personID)
}

// PersonByEmail returns the person with an e-mail address in lower case; nil if there
// is none.
func (tx signInTx) PersonByEmail(ctx context.Context, emailKey string) (*signin.Person, error) {
	return tx.one(ctx, "WHERE email_key = $1", emailKey)
}

// PeopleOf lists the people of a partner, oldest first.
func (tx signInTx) PeopleOf(ctx context.Context, partnerID string) ([]*signin.Person, error) {
	return tx.find(ctx, tx.conn, "WHERE partner_id = $1 ORDER BY created_at, "+tx.key, partnerID)
}

// LockPerson returns a person, locked until the transaction ends; nil if there is
// none.
func (tx signInTx) LockPerson(ctx context.Context, personID string) (*signin.Person, error) {
	return tx.lock(ctx, tx.conn, personID)
}

// SetPassword sets the hash of a person's password.
func (tx signInTx) SetPassword(ctx context.Context, personID, hash string) error {
	_, err := tx.conn.Exec(ctx, "UPDATE "+tx.table+" SET password_hash = $1 WHERE "+tx.key+" = $2", hash, personID)
	return err
}

// SetEmail sets a person's address, and that of the partner if it was the same. It is
// false if the address is in use.
func (tx signInTx) SetEmail(ctx context.Context, personID, email, emailKey string) (changed bool, err error) {
	if tx.table == users.Name {
		_, err := tx.conn.Exec(ctx, "UPDATE partners SET email = $1 WHERE EXISTS (SELECT 1 FROM users WHERE user_id = $2 AND users.partner_id = partners.partner_id AND users.email = partners.email)",
			email, personID)
		if err != nil {
			return false, err
		}
	}
	// A unique key refuses what this condition misses in a race, and the transaction is
	// tried again.
	rows, err := tx.conn.Exec(ctx, "UPDATE "+tx.table+" SET email = $1, email_key = $2 WHERE "+tx.key+
		" = $3 AND NOT EXISTS (SELECT 1 FROM "+tx.table+" other WHERE other.email_key = $4 AND other."+tx.key+" <> $5)",
		email, emailKey, personID, emailKey, personID)
	if err != nil || rows == 0 {
		return false, err
	}
	return true, tx.Prove(ctx, personID)
}

// Prove notes that a person reads the mails to the address. Operators always count as
// proven.
func (tx signInTx) Prove(ctx context.Context, personID string) error {
	if tx.table != users.Name {
		return nil
	}
	_, err := tx.conn.Exec(ctx, "UPDATE users SET unproven_since = 0 WHERE user_id = $1", personID)
	return err
}

// SessionsOf lists a person's sessions, oldest first.
func (tx signInTx) SessionsOf(ctx context.Context, personID string) (found []*signin.Session, err error) {
	err = tx.conn.Query(ctx, "SELECT token_hash, session_id, address, agent, created_at, last_seen_at FROM "+tx.sessions+
		" WHERE "+tx.key+" = $1 ORDER BY created_at, session_id", []any{personID}, func(r db.Row) error {
		s := &signin.Session{}
		found = append(found, s)
		return r.Scan(&s.TokenHash, &s.SessionID, &s.Address, &s.Agent, &s.CreatedAt, &s.LastSeenAt)
	})
	return found, err
}

// EndSession ends a session of a person. It is false if there is none.
func (tx signInTx) EndSession(ctx context.Context, personID, sessionID string) (ended bool, err error) {
	rows, err := tx.conn.Exec(ctx, "DELETE FROM "+tx.sessions+" WHERE "+tx.key+" = $1 AND session_id = $2", personID, sessionID)
	return rows == 1, err
}

// EndSessionsOf ends all sessions of a person but the one with a token.
func (tx signInTx) EndSessionsOf(ctx context.Context, personID string, except []byte) (ended int64, err error) {
	return tx.conn.Exec(ctx, "DELETE FROM "+tx.sessions+" WHERE "+tx.key+" = $1 AND token_hash <> $2", personID, db.NotNil(except))
}

// RevokeKeys revokes the active API keys that a person has made, and returns their ids.
func (tx signInTx) RevokeKeys(ctx context.Context, of *signin.Person, at time.Time) (keyIDs []string, err error) {
	err = tx.conn.Query(ctx, "UPDATE api_keys SET revoked_at = $1 WHERE partner_id = $2 AND created_by = $3 AND revoked_at = 0 RETURNING key_id",
		[]any{at, of.PartnerID, of.PersonID}, func(r db.Row) error {
			var id string
			err := r.Scan(&id)
			keyIDs = append(keyIDs, id)
			return err
		})
	return keyIDs, err
}

// DisableWebhook stops deliveries to a partner's endpoint.
func (tx signInTx) DisableWebhook(ctx context.Context, partnerID string) error {
	_, err := tx.conn.Exec(ctx, "UPDATE webhook_endpoints SET enabled = 0, disabled_reason = '' WHERE partner_id = $1", partnerID)
	return err
}

// RevokeTokens revokes all bearer tokens of a person.
func (tx signInTx) RevokeTokens(ctx context.Context, personID string) error {
	if tx.tokens == "" {
		return nil
	}
	_, err := tx.conn.Exec(ctx, "DELETE FROM "+tx.tokens+" WHERE "+tx.key+" = $1", personID)
	return err
}
