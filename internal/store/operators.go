package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

var (
	_ operator.Reader = (*Tx)(nil)
	_ operator.Writer = (*Tx)(nil)
)

// Operators is the store as the operator room sees it.
func (s *Store) Operators() operator.Store { return View[operator.Reader, operator.Writer]{s} }

// OperatorByEmail finds an operator by e-mail address in lower case; nil if
// there is none.
func (tx *Tx) OperatorByEmail(ctx context.Context, emailKey string) (found *operator.Account, err error) {
	err = tx.conn.query(ctx, "SELECT operator_id, email, email_key, password_hash, role, created_at FROM operators WHERE email_key = $1",
		[]any{emailKey}, func(r row) error {
			found = &operator.Account{}
			return r.scan(&found.OperatorID, &found.Email, &found.EmailKey, &found.PasswordHash, (*string)(&found.Role), &found.CreatedAt)
		})
	return found, err
}

// AddOperator adds an operator. It is false if the e-mail address is in use.
func (tx *Tx) AddOperator(ctx context.Context, a *operator.Account) (added bool, err error) {
	rows, err := tx.conn.exec(ctx, "INSERT INTO operators (operator_id, email, email_key, password_hash, role, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email_key) DO NOTHING",
		a.OperatorID, a.Email, a.EmailKey, a.PasswordHash, string(a.Role), a.CreatedAt)
	return rows == 1, err
}

// OperatorByToken finds whom a token belongs to; nil if there is no such token,
// or it has expired.
func (tx *Tx) OperatorByToken(ctx context.Context, tokenHash []byte, now time.Time) (found *operator.Operator, err error) {
	err = tx.conn.query(ctx, `
		SELECT o.operator_id, o.email, o.role, o.created_at
		FROM operator_tokens t JOIN operators o ON o.operator_id = t.operator_id
		WHERE t.token_hash = $1 AND t.expires_at > $2`,
		[]any{tokenHash, now}, func(r row) error {
			found = &operator.Operator{}
			return r.scan(&found.OperatorID, &found.Email, (*string)(&found.Role), &found.CreatedAt)
		})
	return found, err
}

// AddOperatorToken adds a token.
func (tx *Tx) AddOperatorToken(ctx context.Context, t *operator.Token) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO operator_tokens (token_id, token_hash, operator_id, name, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
		t.TokenID, t.TokenHash, t.OperatorID, t.Name, t.CreatedAt, t.ExpiresAt)
	return err
}

// RemoveOperatorTokens removes an operator's expired tokens.
func (tx *Tx) RemoveOperatorTokens(ctx context.Context, operatorID string, now time.Time) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM operator_tokens WHERE operator_id = $1 AND expires_at <= $2", operatorID, now)
	return err
}

// AddCourier adds a courier.
func (tx *Tx) AddCourier(ctx context.Context, c *operator.Courier) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO couriers (courier_id, name, phone, vehicle, active, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
		c.CourierID, c.Name, c.Phone, c.Vehicle, flag(c.Active), c.CreatedAt)
	return err
}

// Couriers lists couriers by id, those after the given one.
func (tx *Tx) Couriers(ctx context.Context, after string, limit int) (couriers []operator.Courier, err error) {
	err = tx.conn.query(ctx, "SELECT courier_id, name, phone, vehicle, active, created_at FROM couriers WHERE courier_id > $1 ORDER BY courier_id LIMIT $2",
		[]any{after, limit}, func(r row) error {
			var c operator.Courier
			var active int64
			err := r.scan(&c.CourierID, &c.Name, &c.Phone, &c.Vehicle, &active, &c.CreatedAt)
			c.Active = active == 1
			couriers = append(couriers, c)
			return err
		})
	return couriers, err
}
