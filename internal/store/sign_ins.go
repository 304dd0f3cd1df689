package store

import (
	"context"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
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
