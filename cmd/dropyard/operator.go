package main

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

type operatorCommand struct {
	Add addOperatorCommand `cmd:"" help:"Add an operator."`
}

type addOperatorCommand struct {
	databaseFlags
	Email    string `arg:"" help:"The operator's e-mail address."`
	Password string `help:"The operator's password. Required." env:"DROPYARD_OPERATOR_PASSWORD"`
	Courier  string `help:"Id (cou_…) of the operator's courier record; for the role courier only." placeholder:"ID"`
	Role     string `help:"Role: admin, dispatcher, accountant, warehouse or courier." default:"admin" enum:"admin,dispatcher,accountant,warehouse,courier"`
}

// Run adds the operator. The service may be running.
func (c *addOperatorCommand) Run(ctx context.Context) error {
	if c.Password == "" {
		return usageError{errors.New("set DROPYARD_OPERATOR_PASSWORD to the operator's password " +
			"(or --password, which other users of this machine can see)")}
	}
	if isCourier := c.Role == "courier"; isCourier != (c.Courier != "") {
		return usageError{errors.New("--courier: the role courier needs the id (cou_…) of the courier's record, " +
			"which dropyard couriers list prints, and other roles have none")}
	}
	added := app.NewOperator{Email: c.Email, Password: c.Password, Role: c.Role, CourierID: c.Courier}
	err := app.AddOperator(ctx, c.settings(), app.System(), added)
	if refusal.HasCode(err, refusal.CodeValidation) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	err = printf("operator %s added as %s\n", c.Email, c.Role)
	return err
}
