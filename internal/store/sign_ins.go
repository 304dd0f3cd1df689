package store

import (
	"context"
	"strings"
	"time"

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
	signIns = newTable("sign_ins",
		key(text("person_id", func(f *signin.Factor) *string { return &f.PersonID })),
		blob("totp_secret", func(f *signin.Factor) *[]byte { return &f.Secret }),
		moment("totp_confirmed_at", func(f *signin.Factor) *time.Time { return &f.ConfirmedAt }),
		integer("totp_step", func(f *signin.Factor) *int64 { return &f.Step }),
		moment("reset_requested_at", func(f *signin.Factor) *time.Time { return &f.ResetRequestedAt }),
	)
	saveSignIns = signIns.upsert()
	findSignIns = lookUpBy(byID("person_id"), signIns)

	recoveryCodes = newTable("recovery_codes",
		key(
			text("person_id", func(c *recoveryCode) *string { return &c.personID }),
			blob("code_hash", func(c *recoveryCode) *[]byte { return &c.codeHash })))
	addRecoveryCodes = recoveryCodes.insert()

	signInRules = newTable("sign_in_rules",
		key(text("kind", func(r *signInRule) *string { return &r.kind })),
		text("roles", func(r *signInRule) *string { return &r.roles }),
	)
	addSignInRules  = signInRules.insert()
	saveSignInRules = signInRules.upsert()
	lockSignInRules = lockBy(byID("kind"), signInRules)
)

// proving is the part of a transaction that reads and writes what people sign in with
// besides their passwords.
type proving struct{ linking }

// Factor returns what a person signs in with besides the password.
func (tx proving) Factor(ctx context.Context, personID string) (signin.Factor, error) {
	found, err := findOne(ctx, tx.conn, findSignIns, personID)
	if err != nil || found == nil {
		return signin.Factor{PersonID: personID}, err
	}
	return *found, nil
}

// Factors returns what people sign in with besides their passwords, by their ids.
func (tx proving) Factors(ctx context.Context, personIDs []string) (map[string]signin.Factor, error) {
	found, err := findNow(ctx, tx.conn, findSignIns, personIDs...)
	factors := make(map[string]signin.Factor, len(found))
	for _, factor := range found {
		factors[factor.PersonID] = *factor
	}
	return factors, err
}

// SaveFactor writes what a person signs in with besides the password.
func (tx proving) SaveFactor(ctx context.Context, factor signin.Factor) error {
	_, err := writeNow(ctx, tx.conn, saveSignIns, &factor)
	return err
}

// TakeRecoveryCode removes a recovery code. It returns false if there is none.
func (tx proving) TakeRecoveryCode(ctx context.Context, personID string, hash []byte) (taken bool, err error) {
	rows, err := tx.conn.exec(ctx, "DELETE FROM recovery_codes WHERE person_id = $1 AND code_hash = $2", personID, hash)
	return rows == 1, err
}

// CountRecoveryCodes counts a person's recovery codes.
func (tx proving) CountRecoveryCodes(ctx context.Context, personID string) (left int64, err error) {
	err = tx.conn.query(ctx, "SELECT count(*) FROM recovery_codes WHERE person_id = $1", []any{personID},
		func(r row) error { return r.scan(&left) })
	return left, err
}

// SetRecoveryCodes replaces a person's recovery codes.
func (tx proving) SetRecoveryCodes(ctx context.Context, personID string, hashes [][]byte) error {
	if _, err := tx.conn.exec(ctx, "DELETE FROM recovery_codes WHERE person_id = $1", personID); err != nil {
		return err
	}
	codes := make([]recoveryCode, len(hashes))
	for i, hash := range hashes {
		codes[i] = recoveryCode{personID, hash}
	}
	return writeAllNow(ctx, tx.conn, addRecoveryCodes, pointers(codes)...)
}

// Required lists the roles of a kind of people that must have a second factor.
func (tx proving) Required(ctx context.Context, kind signin.Kind) ([]string, error) {
	rule, err := signInRules.one(ctx, tx.conn, "WHERE kind = $1", string(kind))
	if err != nil || rule == nil {
		return nil, err
	}
	return strings.Fields(rule.roles), nil
}

// LockRequired returns what Required does, locked until the transaction ends. A kind
// without a rule gets one that requires nothing.
func (tx proving) LockRequired(ctx context.Context, kind signin.Kind) ([]string, error) {
	if _, err := writeNow(ctx, tx.conn, addSignInRules, &signInRule{kind: string(kind)}); err != nil {
		return nil, err
	}
	rule, err := findOne(ctx, tx.conn, lockSignInRules, string(kind))
	if err != nil || rule == nil {
		return nil, err
	}
	return strings.Fields(rule.roles), nil
}

// SetRequired sets the roles of a kind of people that must have a second factor.
func (tx proving) SetRequired(ctx context.Context, kind signin.Kind, roles []string) error {
	_, err := writeNow(ctx, tx.conn, saveSignInRules, &signInRule{string(kind), strings.Join(roles, " ")})
	return err
}

// removeSignIn removes what a person who leaves has signed in with besides the
// password, and from which devices.
func removeSignIn(ctx context.Context, c conn, personID string) error {
	for _, table := range []string{recoveryCodes.name, knownDevices.name, signIns.name} {
		if _, err := c.exec(ctx, "DELETE FROM "+table+" WHERE person_id = $1", personID); err != nil {
			return err
		}
	}
	return nil
}
