package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

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

// EndOperatorTokens removes all of an operator's tokens.
func (tx *Tx) EndOperatorTokens(ctx context.Context, operatorID string) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM operator_tokens WHERE operator_id = $1", operatorID)
	return err
}

// RemoveOperatorToken removes a token. It is false if there is none.
func (tx *Tx) RemoveOperatorToken(ctx context.Context, tokenID string) (removed bool, err error) {
	rows, err := tx.conn.exec(ctx, "DELETE FROM operator_tokens WHERE token_id = $1", tokenID)
	return rows == 1, err
}

const tokenColumns = "token_id, operator_id, name, created_at, expires_at"

func scanToken(r row, t *operator.Token) error {
	return r.scan(&t.TokenID, &t.OperatorID, &t.Name, &t.CreatedAt, &t.ExpiresAt)
}

// OperatorTokens lists the tokens of an operator that have not expired, by id,
// those after the given one.
func (tx *Tx) OperatorTokens(ctx context.Context, operatorID string, now time.Time, after string, limit int) (found []operator.Token, err error) {
	err = tx.conn.query(ctx, "SELECT "+tokenColumns+" FROM operator_tokens WHERE operator_id = $1 AND expires_at > $2 AND token_id > $3 ORDER BY token_id LIMIT $4",
		[]any{operatorID, now, after, limit}, func(r row) error {
			var t operator.Token
			err := scanToken(r, &t)
			found = append(found, t)
			return err
		})
	return found, err
}

// OperatorToken finds a token by its id; nil if there is none.
func (tx *Tx) OperatorToken(ctx context.Context, tokenID string) (found *operator.Token, err error) {
	err = tx.conn.query(ctx, "SELECT "+tokenColumns+" FROM operator_tokens WHERE token_id = $1", []any{tokenID}, func(r row) error {
		found = &operator.Token{}
		return scanToken(r, found)
	})
	return found, err
}

// OperatorSession finds a session and its operator; nil if there is none, or
// the operator is not active.
func (tx *Tx) OperatorSession(ctx context.Context, tokenHash []byte) (found *operator.Session, err error) {
	err = tx.conn.query(ctx, "SELECT "+operatorColumns+`, s.token_hash, s.created_at, s.last_seen_at
		FROM operator_sessions s JOIN operators o ON o.operator_id = s.operator_id WHERE s.token_hash = $1 AND o.active = 1`,
		[]any{tokenHash}, func(r row) error {
			found = &operator.Session{}
			return scanOperator(r, &found.Operator, &found.TokenHash, &found.CreatedAt, &found.LastSeenAt)
		})
	return found, err
}

// AddOperatorSession begins a session.
func (tx *Tx) AddOperatorSession(ctx context.Context, s *operator.Session) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO operator_sessions (token_hash, operator_id, created_at, last_seen_at) VALUES ($1, $2, $3, $4)",
		s.TokenHash, s.Operator.OperatorID, s.CreatedAt, s.LastSeenAt)
	return err
}

// TouchOperatorSession notes that a session was used. One that has ended stays
// so.
func (tx *Tx) TouchOperatorSession(ctx context.Context, tokenHash []byte, at time.Time) error {
	_, err := tx.conn.exec(ctx, "UPDATE operator_sessions SET last_seen_at = $1 WHERE token_hash = $2", at, tokenHash)
	return err
}

// EndOperatorSession removes a session and tells whose it was; empty if there
// is none.
func (tx *Tx) EndOperatorSession(ctx context.Context, tokenHash []byte) (operatorID string, err error) {
	err = tx.conn.query(ctx, "DELETE FROM operator_sessions WHERE token_hash = $1 RETURNING operator_id", []any{tokenHash},
		func(r row) error { return r.scan(&operatorID) })
	return operatorID, err
}

// EndOperatorSessions removes all of an operator's sessions.
func (tx *Tx) EndOperatorSessions(ctx context.Context, operatorID string) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM operator_sessions WHERE operator_id = $1", operatorID)
	return err
}

// SweepOperatorSessions removes the sessions begun, or last seen, before the
// given times.
func (tx *Tx) SweepOperatorSessions(ctx context.Context, begunBefore, seenBefore time.Time) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM operator_sessions WHERE created_at < $1 OR last_seen_at < $2", begunBefore, seenBefore)
	return err
}
