package main

import (
	"context"
	"fmt"
	"os"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

type doctorCommand struct {
	config.Config
}

// Run prints what it finds, one line each. The service may be running.
func (c *doctorCommand) Run(ctx context.Context) error {
	if err := app.Check(&c.Config); err != nil {
		return usageError{err}
	}
	diagnosis, err := app.Doctor(ctx, &c.Config)
	if err != nil {
		return err
	}
	diagnosis.Findings = append(diagnosis.Findings, unknownVariables(os.Environ(), knownVariables(ctx))...)
	return printDiagnosis(diagnosis)
}

// printDiagnosis prints notes and faults, one line each. It returns an error if there are faults.
func printDiagnosis(diagnosis *app.Diagnosis) error {
	for _, note := range diagnosis.Notes {
		tell("note: %s", note)
	}
	for _, finding := range diagnosis.Findings {
		tell("fault: %s", finding)
	}
	if n := len(diagnosis.Findings); n > 0 {
		return fmt.Errorf("faults found: %d", n)
	}
	return printf("no fault found\n")
}
