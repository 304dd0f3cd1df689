package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/date"
)

// defaultExportAt is when the day before is exported if --export-to is set.
const defaultExportAt = "02:30"

// exportFormats lists the formats of files.
var exportFormats = []string{"csv", "jsonl"}

// ExportStore parses --export-to; nil if it is not set. Its errors do not repeat the URL of a bucket, which holds a
// secret.
func (c *Config) ExportStore() (*FileStore, error) {
	if c.ExportTo == "" {
		return nil, nil
	}
	store, err := readStore("--export-to", c.ExportTo)
	return &store, err
}

// ExportTime returns the time of day at which the day before is exported.
func (c *Config) ExportTime() (hour, minute int, err error) {
	text := cmp.Or(c.ExportAt, defaultExportAt)
	at, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, 0, fmt.Errorf("--export-at: %q is not a time of day such as 02:30", c.ExportAt)
	}
	return at.Hour(), at.Minute(), nil
}

// ExportFiles returns the formats of files, each once.
func (c *Config) ExportFiles() ([]string, error) {
	if len(c.ExportFormats) == 0 {
		return exportFormats, nil
	}
	for i, format := range c.ExportFormats {
		if !slices.Contains(exportFormats, format) || slices.Contains(c.ExportFormats[:i], format) {
			return nil, fmt.Errorf("--export-formats: %q is not csv or jsonl, or is named twice", format)
		}
	}
	return c.ExportFormats, nil
}

// ExportFirst returns the first day that is exported; 0 for that of the first start with --export-to.
func (c *Config) ExportFirst() (date.Day, error) {
	day, ok := date.Parse(c.ExportFrom)
	if !ok && c.ExportFrom != "" {
		return 0, fmt.Errorf("--export-from: %q is not a date such as 2026-11-01", c.ExportFrom)
	}
	return day, nil
}

func (c *Config) checkExports() error {
	_, errStore := c.ExportStore()
	_, _, errTime := c.ExportTime()
	_, errFiles := c.ExportFiles()
	_, errFirst := c.ExportFirst()
	if err := cmp.Or(errStore, errTime, errFiles, errFirst); err != nil {
		return err
	}
	if c.ExportTo == "" && (c.ExportAt != "" || c.ExportFrom != "" || c.ExportPersonal) {
		return errors.New("--export-at, --export-from, --export-personal: there is no place for files; set --export-to, too")
	}
	return nil
}

// exportsName returns the ExportStore as String shows it.
func (c *Config) exportsName() string {
	store, err := c.ExportStore()
	switch {
	case err != nil:
		return "(not readable)"
	case store == nil:
		return ""
	}
	return store.String()
}
