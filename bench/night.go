package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/exports"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/testkit"
)

// nightCommand measures the export of a day with many orders.
type nightCommand struct {
	Orders   int    `default:"100000" help:"Orders of the day. Each has two events and an entry of the journal, and every second one a movement of stock."`
	Database string `enum:"sqlite,postgres" default:"sqlite" help:"Database of the service."`
	Binary   string `help:"Measure this dropyard binary. Default: one that is built from this tree." placeholder:"FILE"`
	JSON     bool   `name:"json" help:"Print the report as JSON."`
}

// Validate is called by kong.
func (c *nightCommand) Validate() error {
	if c.Orders < 1 || c.Orders > maxOrders {
		return fmt.Errorf("at most %d orders", maxOrders)
	}
	return nil
}

// night is the result.
type night struct {
	environment
	Database string  `json:"database"`
	Orders   int     `json:"orders"`
	Seconds  float64 `json:"seconds"`
	CPU      float64 `json:"cpu_seconds"` // of the program, without that of a database server
	Memory   float64 `json:"memory_mb"`   // at most
	Files    int64   `json:"files_bytes"`
}

// Run measures, and prints the report.
func (c *nightCommand) Run(ctx context.Context) error {
	found, err := inTempDir(func(directory string) (*night, error) { return c.measure(ctx, directory) })
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, found)
}

func (c *nightCommand) measure(ctx context.Context, directory string) (*night, error) {
	i := &installation{directory: directory, binary: c.Binary}
	if i.binary == "" {
		i.binary = filepath.Join(directory, "dropyard")
		if err := buildDropyard(ctx, i.binary); err != nil {
			return nil, err
		}
	}
	if c.Database == "sqlite" {
		return c.measureOn(ctx, i)
	}
	return withPostgres(ctx, func(_ *testkit.Postgres, url string) (*night, error) {
		i.url = url
		return c.measureOn(ctx, i)
	})
}

func (c *nightCommand) measureOn(ctx context.Context, i *installation) (*night, error) {
	const partners = 8
	if err := i.fill(ctx, partners, 0); err != nil {
		return nil, err
	}
	toronto := zone.Own().Location("America/Toronto") // that of a service without settings
	day := date.Of(time.Now(), toronto) - 1
	if err := c.fill(ctx, i, day, toronto); err != nil {
		return nil, err
	}
	to := filepath.Join(i.directory, "exports")
	flags := []string{
		"export", "nightly", "--data=" + filepath.Join(i.directory, "data"), "--export-to=" + to,
		"--export-from=" + day.String(), "--day=" + day.String(),
	}
	if i.url != "" {
		flags = append(flags, "--database="+i.url)
	}
	command := exec.CommandContext(ctx, i.binary, flags...) //nolint:gosec // the binary that is measured
	command.Stderr = os.Stderr
	begun := time.Now()
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	n := &night{
		environment: thisEnvironment(), Database: c.Database, Orders: c.Orders, Seconds: time.Since(begun).Seconds(),
		CPU: (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds(),
	}
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		n.Memory = float64(usage.Maxrss) / 1024
	}
	var err error
	n.Files, err = c.check(filepath.Join(to, "day="+day.String()))
	return n, err
}

// fill lays down the orders of a day, evenly spaced, with what came after their creation.
func (c *nightCommand) fill(ctx context.Context, i *installation, day date.Day, in *time.Location) (err error) {
	db, err := openStore(ctx, i.database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	const hours = 23 // every day has them
	midnight := day.Midnight()
	begin := time.Date(midnight.Year(), midnight.Month(), midnight.Day(), 0, 0, 0, 0, in)
	maker, apart := newOrderMaker(), hours*time.Hour/time.Duration(c.Orders+1)
	maker.createdAt = func(n int) time.Time { return begin.Add(time.Duration(n) * apart) }
	maker.follow = follow
	return maker.write(ctx, db, i.Accounts, 0, c.Orders)
}

// follow adds that an order was accepted and delivered, and what its delivery was charged.
func follow(changes *order.Changes, o *delivery.Order) error {
	id := func() (id string, err error) { return identifier.NewUUID(rand.Reader, o.CreatedAt) }
	for i, status := range []delivery.Status{delivery.StatusAccepted, delivery.StatusDelivered} {
		kind, _ := delivery.EventFor(status)
		eventID, err := id()
		if err != nil {
			return err
		}
		changes.Events = append(changes.Events, &delivery.Event{
			EventID: eventID, PartnerID: o.PartnerID, OrderID: o.OrderID, Type: kind, Sequence: int64(i + 1),
			CreatedAt: o.CreatedAt,
			Facts:     delivery.EventFacts{PartnerOrderID: o.PartnerOrderID, Status: status, At: o.CreatedAt},
		})
	}
	entryID, err := id()
	changes.Entries = append(changes.Entries, &money.Entry{
		PartnerID: o.PartnerID, EntryID: entryID, Day: date.Of(o.CreatedAt, time.UTC), At: o.CreatedAt,
		RecordedAt: o.CreatedAt, Act: money.ActDelivery, OrderID: o.OrderID, PartnerOrderID: o.PartnerOrderID,
		Lines: []money.Line{
			{Account: money.Charges, Currency: delivery.CAD, Cents: 2650},
			{Account: money.Revenue, Currency: delivery.CAD, Cents: -2345},
			{Account: money.TaxHST, Currency: delivery.CAD, Cents: -305},
		},
	})
	return err
}

// check returns the size of the files of the day, whose manifest must list all rows.
func (c *nightCommand) check(folder string) (bytes int64, err error) {
	text, err := os.ReadFile(filepath.Join(folder, exports.ManifestName)) //nolint:gosec // which the command has written
	if err != nil {
		return 0, err
	}
	var m exports.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return 0, err
	}
	rows := map[exports.Kind]int64{}
	for _, file := range m.Files {
		if bytes += file.Bytes; file.Format == exports.FormatJSONL {
			rows[file.Kind] += file.Rows
		}
	}
	n := int64(c.Orders)
	for kind, want := range map[exports.Kind]int64{
		exports.KindOrders: n, exports.KindEvents: 2 * n, exports.KindJournal: n, exports.KindMovements: n / 2,
	} {
		if rows[kind] < want {
			err = errors.Join(err, fmt.Errorf("got %d rows of %s, want %d", rows[kind], kind, want))
		}
	}
	return bytes, err
}

func (n *night) text(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%v\n\nA day of %d orders on %s: %.0f s, of which %.0f s of CPU; %.0f MB of memory, files of %.1f MB.\n",
		n.environment, n.Orders, n.Database, n.Seconds, n.CPU, n.Memory, float64(n.Files)/1e6)
	return err
}
