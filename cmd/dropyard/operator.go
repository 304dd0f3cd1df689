package main

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

type operatorCommand struct {
	Add addOperatorCommand `cmd:"" help:"Add an operator."`
}

type addOperatorCommand struct {
	Data     string `help:"Directory of the database and the master key." default:"./data" env:"DROPYARD_DATA" placeholder:"DIR"`
	Database string `help:"Where the data is, as for serve." env:"DROPYARD_DATABASE" placeholder:"URL"`
	Email    string `arg:"" help:"The operator's e-mail."`
	Password string `help:"The operator's password." env:"DROPYARD_OPERATOR_PASSWORD" required:""`
	Courier  string `help:"With the role courier: which courier (cou_…) the operator is." placeholder:"ID"`
	Role     string `help:"admin, dispatcher, warehouse or courier." default:"admin" enum:"admin,dispatcher,warehouse,courier"`
}

// Run adds the operator; it may run beside the service.
func (c *addOperatorCommand) Run(ctx context.Context) error {
	settings := &config.Config{Data: c.Data, DatabaseURL: c.Database}
	if err := app.AddOperator(ctx, settings, app.System(), app.NewOperator{Email: c.Email, Password: c.Password, Role: c.Role, CourierID: c.Courier}); err != nil {
		if refusal.HasCode(err, refusal.CodeValidation) {
			return usageError{err}
		}
		return err
	}
	_, err := fmt.Printf("operator %s added as %s\n", c.Email, c.Role)
	return err
}
