package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dropyard/dropyard/internal/app"
)

type doctorCommand struct {
	databaseAndKeyFlags
	Proofs string `help:"Where proofs of delivery are kept, as for serve." env:"DROPYARD_PROOFS" placeholder:"DIR|URL"`
}

// Run prints what it finds, one line each. The service may be running.
func (c *doctorCommand) Run(ctx context.Context) error {
	settings := c.settings()
	settings.Proofs = c.Proofs
	if err := settings.CheckPlaces(); err != nil {
		return usageError{err}
	}
	diagnosis, err := app.Doctor(ctx, settings)
	if errors.Is(err, app.ErrNotEmbedded) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	for _, note := range diagnosis.Notes {
		fmt.Println("note:", note)
	}
	for _, finding := range diagnosis.Findings {
		fmt.Println("fault:", finding)
	}
	if n := len(diagnosis.Findings); n > 0 {
		return fmt.Errorf("faults found: %d", n)
	}
	_, err = fmt.Println("no fault found")
	return err
}
