package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/operator"
)

var (
	operators = db.NewTable("operators",
		db.Key(db.Text("operator_id", func(a *operator.Account) *string { return &a.OperatorID })),
		db.Text("email", func(a *operator.Account) *string { return &a.Email }),
		db.Text("email_key", func(a *operator.Account) *string { return &a.EmailKey }),
		db.Text("password_hash", func(a *operator.Account) *string { return &a.PasswordHash }),
		db.Text("role", func(a *operator.Account) *string { return (*string)(&a.Role) }),
		db.Text("courier_id", func(a *operator.Account) *string { return &a.CourierID }),
		db.Flag("active", func(a *operator.Account) *bool { return &a.Active }),
		db.Moment("created_at", func(a *operator.Account) *time.Time { return &a.CreatedAt }),
	)
	addOperators  = operators.Insert()
	saveOperators = operators.Update()
	lockOperators = db.LockBy(db.ByID("operator_id"), operators)
	// lockByRole locks the operators of a role that are active, or those that are
	// not.
	lockByRole = db.LockBy(db.Key(
		db.Text("role", func(o *operator.Operator) *string { return (*string)(&o.Role) }),
		db.Flag("active", func(o *operator.Operator) *bool { return &o.Active })), operators)
)

// operatorOrNil returns the operator of an account that may be nil.
func operatorOrNil(account *operator.Account) *operator.Operator {
	if account == nil {
		return nil
	}
	return &account.Operator
}

var (
	operatorTokens = db.NewTable("operator_tokens",
		db.Key(db.Text("token_id", func(t *operator.Token) *string { return &t.TokenID })),
		db.Blob("token_hash", func(t *operator.Token) *[]byte { return &t.TokenHash }),
		db.Text("operator_id", func(t *operator.Token) *string { return &t.OperatorID }),
		db.Text("name", func(t *operator.Token) *string { return &t.Name }),
		db.Moment("created_at", func(t *operator.Token) *time.Time { return &t.CreatedAt }),
		db.Moment("expires_at", func(t *operator.Token) *time.Time { return &t.ExpiresAt }),
	)
	addOperatorTokens = operatorTokens.Insert()
)

var (
	operatorIdentities = db.NewTable("operator_identities",
		db.Key(db.Text("issuer", func(i *operator.Identity) *string { return &i.Issuer }),
			db.Text("subject", func(i *operator.Identity) *string { return &i.Subject })),
		db.Text("operator_id", func(i *operator.Identity) *string { return &i.OperatorID }),
		db.Moment("created_at", func(i *operator.Identity) *time.Time { return &i.CreatedAt }),
	)
	addOperatorIdentities = operatorIdentities.Insert()
)

// Identity returns the identity of a person at a provider; nil if the person has not
// signed in before.
func (tx operatorTx) Identity(ctx context.Context, issuer, subject string) (*operator.Identity, error) {
	return operatorIdentities.One(ctx, tx.conn, "WHERE issuer = $1 AND subject = $2", issuer, subject)
}

// HasIdentity reports whether an operator is tied to a person at a provider.
func (tx operatorTx) HasIdentity(ctx context.Context, operatorID, issuer string) (bool, error) {
	return db.Exists(ctx, tx.conn, "SELECT subject FROM operator_identities WHERE operator_id = $1 AND issuer = $2",
		operatorID, issuer)
}

// AddIdentity adds an identity. It is false if the person has one.
func (tx operatorTx) AddIdentity(ctx context.Context, identity *operator.Identity) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addOperatorIdentities, identity)
	return rows == 1, err
}

var (
	couriers = db.NewTable("couriers",
		db.Key(db.Text("courier_id", func(c *operator.Courier) *string { return &c.CourierID })),
		db.Text("name", func(c *operator.Courier) *string { return &c.Name }),
		db.Text("phone", func(c *operator.Courier) *string { return &c.Phone }),
		db.Text("vehicle", func(c *operator.Courier) *string { return &c.Vehicle }),
		db.Flag("active", func(c *operator.Courier) *bool { return &c.Active }),
		db.Moment("created_at", func(c *operator.Courier) *time.Time { return &c.CreatedAt }),
	)
	addCouriers  = couriers.Insert()
	saveCouriers = couriers.Update()
	findCouriers = db.LookUpBy(db.ByID("courier_id"), couriers)
	lockCouriers = db.LockBy(db.ByID("courier_id"), couriers)
)

// couriersByID returns couriers by their ids, active or not; those that do not
// exist are left out.
func couriersByID(ctx context.Context, c db.Conn, ids []string) (map[string]*operator.Courier, error) {
	rows, err := db.FindNow(ctx, c, findCouriers, ids...)
	byID := make(map[string]*operator.Courier, len(rows))
	for _, row := range rows {
		byID[row.CourierID] = row
	}
	return byID, err
}

// Operators is the store as package operator sees it.
func (s *Store) Operators() operator.Store {
	return view[operator.Reader, operator.Writer]{s.Database,
		func(c db.Conn) operator.Reader { return operatorTx{signingOf(operatorPeople, c)} },
		func(c db.Conn) operator.Writer { return operatorTx{signingOf(operatorPeople, c)} }}
}

// operatorTx is a transaction of package operator.
type operatorTx struct{ signing }

// Account returns the account with an e-mail address in lower case; nil if there
// is none.
func (tx operatorTx) Account(ctx context.Context, emailKey string) (*operator.Account, error) {
	return operators.One(ctx, tx.conn, "WHERE email_key = $1", emailKey)
}

// Operators lists operators by id, those after the given one.
func (tx operatorTx) Operators(ctx context.Context, after string, limit int) (found []*operator.Operator, err error) {
	err = operators.Each(ctx, tx.conn, "WHERE operator_id > $1 ORDER BY operator_id LIMIT $2", []any{after, limit},
		func(row *operator.Account) error {
			found = append(found, &row.Operator)
			return nil
		})
	return found, err
}

// Operator returns an operator; nil if there is none.
func (tx operatorTx) Operator(ctx context.Context, operatorID string) (*operator.Operator, error) {
	found, err := operators.One(ctx, tx.conn, "WHERE operator_id = $1", operatorID)
	if err != nil || found == nil {
		return nil, err
	}
	return &found.Operator, nil
}

// HasOtherLogin reports whether an operator other than one is a courier.
func (tx operatorTx) HasOtherLogin(ctx context.Context, courierID, operatorID string) (bool, error) {
	found, err := operators.One(ctx, tx.conn, "WHERE courier_id = $1 AND operator_id <> $2 LIMIT 1", courierID, operatorID)
	return found != nil, err
}

// LockOperator returns an operator, locked until the transaction ends; nil if
// there is none.
func (tx operatorTx) LockOperator(ctx context.Context, operatorID string) (*operator.Account, error) {
	return db.FindOne(ctx, tx.conn, lockOperators, operatorID)
}

// LockActiveAdmins counts the active admins and locks them until the transaction
// ends.
func (tx operatorTx) LockActiveAdmins(ctx context.Context) (int, error) {
	admins, err := db.FindNow(ctx, tx.conn, lockByRole, operator.Operator{Role: operator.RoleAdmin, Active: true})
	return len(admins), err
}

// AddOperator adds an operator. It is false if the e-mail address is in use.
func (tx operatorTx) AddOperator(ctx context.Context, account *operator.Account) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addOperators, account)
	return rows == 1, err
}

// SaveOperator writes an operator that the same transaction has locked.
func (tx operatorTx) SaveOperator(ctx context.Context, account *operator.Account) error {
	_, err := db.WriteNow(ctx, tx.conn, saveOperators, account)
	return err
}

// Token returns a token, expired or not; nil if there is none.
func (tx operatorTx) Token(ctx context.Context, tokenID string) (*operator.Token, error) {
	return operatorTokens.One(ctx, tx.conn, "WHERE token_id = $1", tokenID)
}

// Tokens lists the tokens of an operator that have not expired, by id, those
// after the given one.
func (tx operatorTx) Tokens(
	ctx context.Context, operatorID string, now time.Time, after string, limit int,
) ([]*operator.Token, error) {
	return operatorTokens.All(ctx, tx.conn,
		"WHERE operator_id = $1 AND expires_at > $2 AND token_id > $3 ORDER BY token_id LIMIT $4", operatorID, now, after,
		limit)
}

// OfToken returns the operator of a token that has not expired; nil if there is
// no such token, or the operator is not active.
func (tx operatorTx) OfToken(ctx context.Context, tokenHash []byte, now time.Time) (*operator.Operator, error) {
	account, err := operators.One(ctx, tx.conn,
		"WHERE active = 1 AND operator_id = (SELECT operator_id FROM operator_tokens WHERE token_hash = $1 AND expires_at > $2)",
		tokenHash, now)
	return operatorOrNil(account), err
}

// AddToken adds a token.
func (tx operatorTx) AddToken(ctx context.Context, token *operator.Token) error {
	_, err := db.WriteNow(ctx, tx.conn, addOperatorTokens, token)
	return err
}

// RemoveToken removes a token. It is false if there is none.
func (tx operatorTx) RemoveToken(ctx context.Context, tokenID string) (removed bool, err error) {
	rows, err := tx.conn.Exec(ctx, "DELETE FROM operator_tokens WHERE token_id = $1", tokenID)
	return rows == 1, err
}

// RemoveExpiredTokens removes an operator's tokens that have expired.
func (tx operatorTx) RemoveExpiredTokens(ctx context.Context, operatorID string, now time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM operator_tokens WHERE operator_id = $1 AND expires_at <= $2", operatorID, now)
	return err
}

// Courier returns a courier, active or not; nil if there is none.
func (tx operatorTx) Courier(ctx context.Context, courierID string) (*operator.Courier, error) {
	return db.FindOne(ctx, tx.conn, findCouriers, courierID)
}

// Couriers lists couriers by id, those after the given one.
func (tx operatorTx) Couriers(ctx context.Context, after string, limit int) ([]*operator.Courier, error) {
	return couriers.All(ctx, tx.conn, "WHERE courier_id > $1 ORDER BY courier_id LIMIT $2", after, limit)
}

// LockCourier returns a courier, locked until the transaction ends; nil if there
// is none.
func (tx operatorTx) LockCourier(ctx context.Context, courierID string) (*operator.Courier, error) {
	return db.FindOne(ctx, tx.conn, lockCouriers, courierID)
}

// AddCourier adds a courier.
func (tx operatorTx) AddCourier(ctx context.Context, courier *operator.Courier) error {
	_, err := db.WriteNow(ctx, tx.conn, addCouriers, courier)
	return err
}

// SaveCourier writes a courier that the same transaction has locked.
func (tx operatorTx) SaveCourier(ctx context.Context, courier *operator.Courier) error {
	_, err := db.WriteNow(ctx, tx.conn, saveCouriers, courier)
	return err
}

// Audit lists entries of the audit log in the filter's order.
func (tx operatorTx) Audit(ctx context.Context, filter operator.AuditFilter) ([]*operator.Audited, error) {
	return auditLog(ctx, tx.conn, filter)
}
