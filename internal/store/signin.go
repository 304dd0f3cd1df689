package store

import (
	"context"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
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
	_, err := tx.conn.Exec(ctx,
		"DELETE FROM known_devices WHERE last_seen_at < $1 AND EXISTS (SELECT 1 FROM known_devices later"+
			" WHERE later.person_id = known_devices.person_id AND later.last_seen_at > known_devices.last_seen_at)", before)
	return err
}

// sessionTable describes a table of sessions, whose columns differ in how they name the
// person.
func sessionTable(name string, person ...db.Column[*signin.Session]) *db.Table[*signin.Session] {
	key := db.Key(db.Blob("token_hash", func(s *signin.Session) *[]byte { return &s.TokenHash }))
	return db.NewTable(name, key, append(person,
		db.Text("session_id", func(s *signin.Session) *string { return &s.SessionID }),
		db.Text("address", func(s *signin.Session) *string { return &s.Address }),
		db.Text("agent", func(s *signin.Session) *string { return &s.Agent }),
		db.Moment("created_at", func(s *signin.Session) *time.Time { return &s.CreatedAt }),
		db.Moment("last_seen_at", func(s *signin.Session) *time.Time { return &s.LastSeenAt }),
		db.Flag("vouched", func(s *signin.Session) *bool { return &s.Vouched }),
	)...)
}

func personColumn(name string) db.Column[*signin.Session] {
	return db.Text(name, func(s *signin.Session) *string { return &s.PersonID })
}

var (
	sessions = sessionTable("sessions", personColumn("user_id"),
		db.Text("partner_id", func(s *signin.Session) *string { return &s.PartnerID }))
	operatorSessions = sessionTable("operator_sessions", personColumn("operator_id"))
)

// OperatorSignIns is the store as package signin sees it for operators.
func (s *Store) OperatorSignIns() signin.Store { return s.signIns(operatorPeople) }

// UserSignIns is the store as package signin sees it for partners' users.
func (s *Store) UserSignIns() signin.Store { return s.signIns(userPeople) }

func (s *Store) signIns(of people) signin.Store {
	return view[signin.Reader, signin.Writer]{s.Database,
		func(c db.Conn) signin.Reader { return signInTx{signingOf(of, c)} },
		func(c db.Conn) signin.Writer { return signInTx{signingOf(of, c)} }}
}

// people says where one kind of people is stored.
type people struct {
	kind       actor.Kind
	table, key string
	tokens     string // the table of their bearer tokens; empty if they have none
	sessions   *db.Table[*signin.Session]
	addSession *db.Statement[*signin.Session]
	theirs     string // the condition of the sessions of one person
	// find lists people by what follows the name of the table.
	find func(ctx context.Context, c db.Conn, tail string, args ...any) ([]*signin.Person, error)
	// lock returns a person, locked until the transaction ends; nil if there is none.
	lock func(ctx context.Context, c db.Conn, id string) (*signin.Person, error)
	// holder returns a person who may sign in; nil if there is none.
	holder func(ctx context.Context, c db.Conn, id string) (signin.Holder, error)
}

// peopleOf describes the people of a table by how one of its rows is a person.
func peopleOf[A any](
	of people, table *db.Table[*A], lock *db.Lookup[*string, *A], person func(*A) *signin.Person,
) people {
	of.table, of.addSession = table.Name, of.sessions.Insert()
	of.find = func(ctx context.Context, c db.Conn, tail string, args ...any) (found []*signin.Person, err error) {
		err = table.Each(ctx, c, tail, args, func(row *A) error {
			found = append(found, person(row))
			return nil
		})
		return found, err
	}
	of.lock = func(ctx context.Context, c db.Conn, id string) (*signin.Person, error) {
		row, err := db.FindOne(ctx, c, lock, id)
		if err != nil || row == nil {
			return nil, err
		}
		return person(row), nil
	}
	return of
}

var (
	operatorPeople = peopleOf(people{
		kind: actor.Operator, key: "operator_id", tokens: operatorTokens.Name,
		sessions: operatorSessions, theirs: "operator_id = $1",
		holder: func(ctx context.Context, c db.Conn, id string) (signin.Holder, error) {
			account, err := operators.One(ctx, c, "WHERE active = 1 AND operator_id = $1", id)
			if err != nil || account == nil {
				return nil, err
			}
			return &account.Operator, nil
		},
	}, operators, lockOperators, (*operator.Account).Person)
	userPeople = peopleOf(people{
		kind: actor.User, key: "user_id", sessions: sessions,
		// The index of sessions has the partner in front.
		theirs: "partner_id = (SELECT partner_id FROM users WHERE user_id = $1) AND user_id = $1",
		holder: func(ctx context.Context, c db.Conn, id string) (signin.Holder, error) {
			user, err := db.FindOne(ctx, c, findUsers, id)
			if err != nil || user == nil {
				return nil, err
			}
			of, err := db.FindOne(ctx, c, findPartners, user.PartnerID)
			if err != nil || of == nil {
				return nil, err
			}
			return &partner.Member{Partner: *of, User: user.User}, nil
		},
	}, users, lockUsers, (*partner.Account).Person)
)

// signing is the part of a transaction that reads and changes how one kind of people sign in.
type signing struct {
	proving
	people
}

func signingOf(of people, c db.Conn) signing {
	return signing{proving{linking{auditing{c}, mailing{c}}}, of}
}

// signInTx is a transaction of package signin, for one kind of people.
type signInTx struct{ signing }

// lockFirst locks the person who acts: most of what people change here is their own.
func (tx signInTx) lockFirst(ctx context.Context, by *actor.Actor) error {
	if by.Kind != tx.kind {
		return nil
	}
	_, err := tx.lock(ctx, tx.conn, by.PersonID)
	return err
}

// one returns the only person of a query; nil if there is none.
func (tx signing) one(ctx context.Context, tail string, args ...any) (*signin.Person, error) {
	found, err := tx.find(ctx, tx.conn, tail, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Person returns a person; nil if there is none.
func (tx signing) Person(ctx context.Context, personID string) (*signin.Person, error) {
	return tx.one(ctx, "WHERE "+tx.key+" = $1", personID)
}

// PersonByEmail returns the person with an e-mail address in lower case; nil if there
// is none.
func (tx signing) PersonByEmail(ctx context.Context, emailKey string) (*signin.Person, error) {
	return tx.one(ctx, "WHERE email_key = $1", emailKey)
}

// PeopleOf lists the people of a partner, oldest first.
func (tx signing) PeopleOf(ctx context.Context, partnerID string) ([]*signin.Person, error) {
	return tx.find(ctx, tx.conn, "WHERE partner_id = $1 ORDER BY created_at, "+tx.key, partnerID)
}

// LockPerson returns a person, locked until the transaction ends; nil if there is
// none.
func (tx signing) LockPerson(ctx context.Context, personID string) (*signin.Person, error) {
	return tx.lock(ctx, tx.conn, personID)
}

// SetPassword sets the hash of a person's password.
func (tx signing) SetPassword(ctx context.Context, personID, hash string) error {
	_, err := tx.conn.Exec(ctx, "UPDATE "+tx.table+" SET password_hash = $1 WHERE "+tx.key+" = $2", hash, personID)
	return err
}

// SetEmail sets a person's address, and that of the partner if it was the same. It is
// false if the address is in use.
func (tx signing) SetEmail(ctx context.Context, personID, email, emailKey string) (changed bool, err error) {
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
func (tx signing) Prove(ctx context.Context, personID string) error {
	if tx.table != users.Name {
		return nil
	}
	return proveUser(ctx, tx.conn, personID)
}

func proveUser(ctx context.Context, c db.Conn, userID string) error {
	_, err := c.Exec(ctx, "UPDATE users SET unproven_since = 0 WHERE user_id = $1", userID)
	return err
}

// Holder returns a person who may sign in; nil if there is none.
func (tx signing) Holder(ctx context.Context, personID string) (signin.Holder, error) {
	return tx.holder(ctx, tx.conn, personID)
}

// Session returns a session with its holder; nil if there is none, or the holder may not
// sign in.
func (tx signing) Session(ctx context.Context, tokenHash []byte) (*signin.Session, error) {
	session, err := tx.sessions.One(ctx, tx.conn, "WHERE token_hash = $1", tokenHash)
	if err != nil || session == nil {
		return nil, err
	}
	if session.Holder, err = tx.Holder(ctx, session.PersonID); err != nil || session.Holder == nil {
		return nil, err
	}
	return session, nil
}

// SessionsOf lists a person's sessions, oldest first.
func (tx signing) SessionsOf(ctx context.Context, personID string) ([]*signin.Session, error) {
	return tx.sessions.All(ctx, tx.conn, "WHERE "+tx.theirs+" ORDER BY created_at, session_id", personID)
}

// AddSession begins a session.
func (tx signing) AddSession(ctx context.Context, session *signin.Session) error {
	_, err := db.WriteNow(ctx, tx.conn, tx.addSession, session)
	return err
}

// TouchSession notes that a session was used. One that has ended stays ended.
func (tx signing) TouchSession(ctx context.Context, tokenHash []byte, at time.Time) error {
	_, err := tx.conn.Exec(ctx, "UPDATE "+tx.sessions.Name+" SET last_seen_at = $1 WHERE token_hash = $2", at, tokenHash)
	return err
}

// Logout ends the session with a token and returns the id of its person; empty if there is
// none.
func (tx signing) Logout(ctx context.Context, tokenHash []byte) (personID string, err error) {
	err = tx.conn.Query(ctx, "DELETE FROM "+tx.sessions.Name+" WHERE token_hash = $1 RETURNING "+tx.key, []any{tokenHash},
		func(r db.Row) error { return r.Scan(&personID) })
	return personID, err
}

// EndSessions ends the sessions begun, or last seen, before the given times.
func (tx signing) EndSessions(ctx context.Context, begunBefore, seenBefore time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM "+tx.sessions.Name+" WHERE created_at < $1 OR last_seen_at < $2", begunBefore,
		seenBefore)
	return err
}

// EndSession ends a session of a person. It is false if there is none.
func (tx signing) EndSession(ctx context.Context, personID, sessionID string) (ended bool, err error) {
	rows, err := tx.conn.Exec(ctx, "DELETE FROM "+tx.sessions.Name+" WHERE "+tx.key+" = $1 AND session_id = $2", personID,
		sessionID)
	return rows == 1, err
}

// EndSessionsOf ends all sessions of a person but the one with a token.
func (tx signing) EndSessionsOf(ctx context.Context, personID string, except []byte) (ended int64, err error) {
	return tx.conn.Exec(ctx, "DELETE FROM "+tx.sessions.Name+" WHERE "+tx.key+" = $1 AND token_hash <> $2", personID,
		db.NotNil(except))
}

// RevokeKeys revokes the active API keys that a person has made, and returns their ids.
func (tx signing) RevokeKeys(ctx context.Context, of *signin.Person, at time.Time) (keyIDs []string, err error) {
	err = tx.conn.Query(ctx,
		"UPDATE api_keys SET revoked_at = $1 WHERE partner_id = $2 AND created_by = $3 AND revoked_at = 0 RETURNING key_id",
		[]any{at, of.PartnerID, of.PersonID}, func(r db.Row) error {
			var id string
			err := r.Scan(&id)
			keyIDs = append(keyIDs, id)
			return err
		})
	return keyIDs, err
}

// DisableWebhooks stops deliveries to a partner's endpoints, in both modes.
func (tx signing) DisableWebhooks(ctx context.Context, partnerID string) error {
	for _, q := range queuesInOrder {
		_, err := tx.conn.Exec(ctx,
			"UPDATE "+q.endpoints.Name+" SET enabled = 0, disabled_reason = '' WHERE partner_id IN ($1, $2)",
			partnerID, delivery.TestAccount(partnerID))
		if err != nil {
			return err
		}
	}
	return nil
}

// RevokeTokens revokes all bearer tokens of a person.
func (tx signing) RevokeTokens(ctx context.Context, personID string) error {
	if tx.tokens == "" {
		return nil
	}
	_, err := tx.conn.Exec(ctx, "DELETE FROM "+tx.tokens+" WHERE "+tx.key+" = $1", personID)
	return err
}
