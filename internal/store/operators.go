package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

var (
	operators = newTable("operators",
		key(text("operator_id", func(a *operator.Account) *string { return &a.OperatorID })),
		text("email", func(a *operator.Account) *string { return &a.Email }),
		text("email_key", func(a *operator.Account) *string { return &a.EmailKey }),
		text("password_hash", func(a *operator.Account) *string { return &a.PasswordHash }),
		text("role", func(a *operator.Account) *string { return (*string)(&a.Role) }),
		text("courier_id", func(a *operator.Account) *string { return &a.CourierID }),
		flag("active", func(a *operator.Account) *bool { return &a.Active }),
		moment("created_at", func(a *operator.Account) *time.Time { return &a.CreatedAt }),
	)
	findOperators = lookUpBy(byID("operator_id"), operators)
	addOperators  = operators.insert()
	saveOperators = operators.update()
	lockOperators = lockBy(byID("operator_id"), operators)
	// lockByRole locks the operators of a role that are active, or those that are
	// not.
	lockByRole = lockBy(key(
		text("role", func(o *operator.Operator) *string { return (*string)(&o.Role) }),
		flag("active", func(o *operator.Operator) *bool { return &o.Active })), operators)
)

// operatorOrNil returns the operator of an account that may be nil.
func operatorOrNil(account *operator.Account) *operator.Operator {
	if account == nil {
		return nil
	}
	return &account.Operator
}
