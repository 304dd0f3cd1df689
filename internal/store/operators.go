package store

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

var (
	_ operator.Reader = (*Tx)(nil)
	_ operator.Writer = (*Tx)(nil)
)

// Operators is the store as the operator room sees it.
func (s *Store) Operators() operator.Store { return View[operator.Reader, operator.Writer]{s} }

// operatorColumns are an operator without what only the login needs.
const operatorColumns = "o.operator_id, o.email, o.role, o.active, o.courier_id, o.created_at"

func scanOperator(r row, o *operator.Operator, more ...any) error {
	var active int64
	err := r.scan(append([]any{&o.OperatorID, &o.Email, (*string)(&o.Role), &active, &o.CourierID, &o.CreatedAt}, more...)...)
	o.Active = active == 1
	return err
}

var (
	operatorKeys   = texts("operator_id")
	accountColumns = slices.Concat(texts("email", "email_key", "password_hash", "role", "courier_id"), integers("active", "created_at"))
	lockOperator   = newSet(lookUpLock, "operators", operatorKeys, accountColumns)
	lockAdmins     = newSet(lookUpLock, "operators", slices.Concat(texts("role"), integers("active")), operatorKeys)
)

func scanAccount(r row, a *operator.Account, more ...any) error {
	var active int64
	err := r.scan(append([]any{&a.Email, &a.EmailKey, &a.PasswordHash, (*string)(&a.Role), &a.CourierID, &active, &a.CreatedAt}, more...)...)
	a.Active = active == 1
	return err
}

// LockOperator reads an operator, who is locked until the transaction ends; nil
// if there is none.
func (tx *Tx) LockOperator(ctx context.Context, operatorID string) (found *operator.Account, err error) {
	key := func(_ int, b binder) { b.text(operatorID) }
	err = tx.conn.find(ctx, lockOperator, 1, key, func(r row) error {
		found = &operator.Account{Operator: operator.Operator{OperatorID: operatorID}}
		return scanAccount(r, found)
	})
	return found, err
}

// LockActiveAdmins counts the active admins, who are locked until the
// transaction ends.
func (tx *Tx) LockActiveAdmins(ctx context.Context) (count int, err error) {
	key := func(_ int, b binder) {
		b.text(string(operator.RoleAdmin))
		b.integer(1)
	}
	err = tx.conn.find(ctx, lockAdmins, 1, key, func(r row) error {
		var id string
		count++
		return r.scan(&id)
	})
	return count, err
}

// SaveOperator writes what of an operator can change.
func (tx *Tx) SaveOperator(ctx context.Context, a *operator.Account) error {
	_, err := tx.conn.exec(ctx, "UPDATE operators SET password_hash = $1, role = $2, active = $3, courier_id = $4 WHERE operator_id = $5",
		a.PasswordHash, string(a.Role), flagOf(a.Active), a.CourierID, a.OperatorID)
	return err
}

// Operators lists operators by id, those after the given one.
func (tx *Tx) Operators(ctx context.Context, after string, limit int) (found []operator.Operator, err error) {
	err = tx.conn.query(ctx, "SELECT "+operatorColumns+" FROM operators o WHERE o.operator_id > $1 ORDER BY o.operator_id LIMIT $2",
		[]any{after, limit}, func(r row) error {
			var o operator.Operator
			err := scanOperator(r, &o)
			found = append(found, o)
			return err
		})
	return found, err
}

// OperatorByEmail finds an operator by e-mail address in lower case; nil if
// there is none.
func (tx *Tx) OperatorByEmail(ctx context.Context, emailKey string) (found *operator.Account, err error) {
	err = tx.conn.query(ctx, "SELECT "+names(accountColumns)+", operator_id FROM operators WHERE email_key = $1",
		[]any{emailKey}, func(r row) error {
			found = &operator.Account{}
			return scanAccount(r, found, &found.OperatorID)
		})
	return found, err
}

// AddOperator adds an operator. It is false if the e-mail address is in use.
func (tx *Tx) AddOperator(ctx context.Context, a *operator.Account) (added bool, err error) {
	rows, err := tx.conn.exec(ctx, "INSERT INTO operators (operator_id, email, email_key, password_hash, role, created_at, active, courier_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (email_key) DO NOTHING",
		a.OperatorID, a.Email, a.EmailKey, a.PasswordHash, string(a.Role), a.CreatedAt, flagOf(a.Active), a.CourierID)
	return rows == 1, err
}

// OperatorByToken finds whom a token belongs to; nil if there is no such token,
// it has expired, or the operator is not active.
func (tx *Tx) OperatorByToken(ctx context.Context, tokenHash []byte, now time.Time) (found *operator.Operator, err error) {
	err = tx.conn.query(ctx, `
		SELECT `+operatorColumns+` FROM operator_tokens t JOIN operators o ON o.operator_id = t.operator_id
		WHERE t.token_hash = $1 AND t.expires_at > $2 AND o.active = 1`,
		[]any{tokenHash, now}, func(r row) error {
			found = &operator.Operator{}
			return scanOperator(r, found)
		})
	return found, err
}

var (
	courierColumns = slices.Concat(texts("courier_id", "name", "phone", "vehicle"), integers("active", "created_at"))
	findCouriers   = newSet(lookUp, "couriers", texts("courier_id"), courierColumns)
	lockCouriers   = newSet(lookUpLock, "couriers", texts("courier_id"), courierColumns)
)

// scanCourier reads one row of courierColumns.
func scanCourier(r row) (c operator.Courier, err error) {
	var active int64
	err = r.scan(&c.CourierID, &c.Name, &c.Phone, &c.Vehicle, &active, &c.CreatedAt)
	c.Active = active == 1
	return c, err
}

// CourierRecord reads a courier, active or not; nil if there is none.
func (tx *Tx) CourierRecord(ctx context.Context, courierID string) (*operator.Courier, error) {
	return tx.courier(ctx, findCouriers, courierID)
}

// LockCourier reads a courier, who is locked until the transaction ends; nil if
// there is none.
func (tx *Tx) LockCourier(ctx context.Context, courierID string) (*operator.Courier, error) {
	return tx.courier(ctx, lockCouriers, courierID)
}

func (tx *Tx) courier(ctx context.Context, set *setStatement, courierID string) (found *operator.Courier, err error) {
	err = tx.conn.find(ctx, set, 1, func(_ int, b binder) { b.text(courierID) }, func(r row) error {
		c, err := scanCourier(r)
		found = &c
		return err
	})
	return found, err
}

// SaveCourier writes what of a courier can change.
func (tx *Tx) SaveCourier(ctx context.Context, c *operator.Courier) error {
	_, err := tx.conn.exec(ctx, "UPDATE couriers SET name = $1, phone = $2, vehicle = $3, active = $4 WHERE courier_id = $5",
		c.Name, c.Phone, c.Vehicle, flagOf(c.Active), c.CourierID)
	return err
}

// AddCourier adds a courier.
func (tx *Tx) AddCourier(ctx context.Context, c *operator.Courier) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO couriers (courier_id, name, phone, vehicle, active, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
		c.CourierID, c.Name, c.Phone, c.Vehicle, flagOf(c.Active), c.CreatedAt)
	return err
}

// Couriers lists couriers by id, those after the given one.
func (tx *Tx) Couriers(ctx context.Context, after string, limit int) (couriers []operator.Courier, err error) {
	err = tx.conn.query(ctx, "SELECT "+names(courierColumns)+" FROM couriers WHERE courier_id > $1 ORDER BY courier_id LIMIT $2",
		[]any{after, limit}, func(r row) error {
			c, err := scanCourier(r)
			couriers = append(couriers, c)
			return err
		})
	return couriers, err
}
