package store

import (
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
	findOperators = db.LookUpBy(db.ByID("operator_id"), operators)
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
