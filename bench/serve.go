package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/order"
)

// serveCommand is the child: it fills a data directory and serves it until its
// standard input ends. It answers each line of its input with the CPU time that it
// has used, in nanoseconds.
type serveCommand struct {
	Data     string `required:"" help:"Data directory, which is kept."`
	Store    string `default:"sqlite" help:"Where orders are stored: sqlite, none, or the URL of a PostgreSQL database."`
	Orders   int    `help:"Number of orders at the start; missing ones are added."`
	Partners int    `default:"1" help:"Number of partners that the orders belong to."`
	Profile  string `help:"File for a CPU profile of the service." placeholder:"FILE"`
	logFlags
}

func (c *serveCommand) arguments() []string {
	return []string{
		"serve", "--data=" + c.Data, "--store=" + c.Store, "--orders=" + strconv.Itoa(c.Orders),
		"--partners=" + strconv.Itoa(c.Partners), "--profile=" + c.Profile,
		"--request-log-bytes=" + strconv.FormatInt(c.RequestLogBytes, 10),
	}
}

// settings returns the settings of the service, without a rate limit.
func (c *serveCommand) settings() *config.Config {
	settings := &config.Config{Listen: "127.0.0.1:0", MetricsListen: "127.0.0.1:0", Data: c.Data, RequestLogBytes: c.RequestLogBytes}
	if isPostgres(c.Store) {
		settings.DatabaseURL = c.Store
	}
	return settings
}

// database returns the URL of the database, or its file.
func (c *serveCommand) database() string {
	if isPostgres(c.Store) {
		return c.Store
	}
	return c.settings().Database()
}

// Run seeds, serves and finishes.
func (c *serveCommand) Run(ctx context.Context) (err error) {
	seeded, err := seed(ctx, c.settings(), c.database(), c.Partners, c.Orders)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	world := quietWorld()
	if c.Store == "none" {
		world.OrderStore = func(real order.Store) order.Store { return forgetful{real} }
	}
	service, err := app.Start(ctx, c.settings(), world)
	if err != nil {
		return err
	}
	seeded.Address, seeded.Metrics = service.Address(), service.MetricsAddress()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		talk(os.Stdin, os.Stdout)
	}()
	if err := json.NewEncoder(os.Stdout).Encode(seeded); err != nil {
		return err
	}
	finish, err := startProfile(c.Profile)
	if err != nil {
		return err
	}
	return errors.Join(service.Run(ctx), finish())
}

// quietWorld returns the surroundings of a real service, with a log of warnings and
// errors only.
func quietWorld() app.Surroundings {
	world := app.System()
	world.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return world
}

// talk answers every line with the CPU time used so far, until the input ends.
func talk(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		used, err := ownCPU()
		if err != nil {
			return
		}
		if _, err := fmt.Fprintln(out, used.Nanoseconds()); err != nil {
			return
		}
	}
}

// ownCPU returns the CPU time that this process has used, in user and system mode.
func ownCPU() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// startProfile starts a CPU profile of this process, and returns a function that
// finishes it. It does nothing if the file has no name.
func startProfile(name string) (finish func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	file, err := os.Create(filepath.Clean(name))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return file.Close()
	}, nil
}
