package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/store"
)

const (
	// lookAgain is how long a verdict is used, so that many probes cost as much as one.
	lookAgain = time.Second
	// lookFor bounds one look: the service is ready if it can write within this time.
	lookFor = time.Second
	// ordersStuck is longer than a group of orders takes on a database that works, even if
	// its first connection turns out to be broken.
	ordersStuck = 5 * time.Second
	// senderHangs is longer than a look of the sender for due events can take.
	senderHangs = 30 * time.Second
	// minFree is how much room the disks must have, in bytes.
	minFree = 100 << 20
	// maxLog bounds the part of the write-ahead log that is not in the database file
	// yet, in bytes. It is hundreds of times what a healthy service has: only a reader
	// that never ends makes it this long.
	maxLog = 1 << 30
	// jumpShownFor is how long the service is not ready after its clock has jumped.
	// Afterwards the new time counts.
	jumpShownFor = time.Minute
)

// readiness knows whether the service should get requests.
type readiness struct {
	draining atomic.Bool
	look     func(context.Context) []installation.Reason

	mu      sync.Mutex // guards the following fields
	at      time.Time  // of the last look
	verdict []installation.Reason
	// incidents has one for each reason that there has been.
	incidents map[string]*incident
}

var draining = installation.Reason{Reason: "draining", Message: "the service is stopping"}

// reasons returns why the service is not ready. It looks again if the last look is older
// than lookAgain.
func (a *App) reasons(ctx context.Context) []installation.Reason {
	r := &a.ready
	if r.draining.Load() {
		return []installation.Reason{draining}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) < lookAgain {
		return r.verdict
	}
	// Others will use the verdict, even if the caller who asked first has gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookFor)
	defer cancel()
	r.verdict = r.look(ctx)
	r.at = time.Now()
	a.logReasons()
	return r.verdict
}

// logReasons logs the reasons that are new, last, or have gone. The caller holds the
// mutex.
func (a *App) logReasons() {
	r := &a.ready
	present := map[string]bool{}
	for _, reason := range r.verdict {
		present[reason.Reason] = true
		if r.incidents[reason.Reason] == nil {
			r.incidents[reason.Reason] = &incident{log: a.Log, what: "not ready: " + reason.Reason}
		}
		r.incidents[reason.Reason].failed(reason.Message)
	}
	for word, seen := range r.incidents {
		if !present[word] {
			seen.over()
		}
	}
}

// openReadiness prepares to report whether the service is ready. The store and the
// sender must be open.
func (a *App) openReadiness() {
	watch := newClockWatch(a.machine, a.Elapsed)
	directories := a.directories()
	if folder := filepath.Dir(a.config.Database()); !a.store.Shared() && !slices.Contains(directories, folder) {
		directories = append(directories, folder)
	}
	a.ready.incidents = map[string]*incident{}
	a.ready.look = func(ctx context.Context) (found []installation.Reason) {
		add := func(word string, err error) {
			if err != nil {
				found = append(found, installation.Reason{Reason: word, Message: err.Error()})
			}
		}
		if unfit := a.store.Unfit(); unfit != nil {
			add("database_unfit", unfit)
		} else {
			add("not_writable", a.store.CheckWritable(ctx))
		}
		add("disk_full", a.store.Full())
		version, now, err := a.store.Look(ctx)
		if add("not_readable", err); err == nil {
			add("schema_old", schemaOld(version))
		}
		add("clock_off", watch.check(now))
		add("orders_stuck", stuckOrders(a.orders.Delays()))
		add("sender_stuck", senderStuck(a.sender.Looking()))
		add("disk_low", diskLow(directories, minFree))
		add("log_large", logLarge(a.store.Stats()))
		return found
	}
}

// directories returns the local directories that the service writes to.
func (a *App) directories() (all []string) {
	if !a.store.Shared() {
		all = append(all, a.config.Data)
	}
	if proofs, err := a.config.ProofStore(); err == nil && proofs.Endpoint == nil {
		all = append(all, proofs.Directory)
	}
	return all
}

// schemaOld returns an error if migrations are missing, as after an older database was
// put in place. A newer schema is fine: nodes of two releases run side by side during an
// upgrade.
func schemaOld(version int64) error {
	known, err := store.Schema.Version()
	if err == nil && version < known {
		err = fmt.Errorf("the schema has version %d, this release needs %d", version, known)
	}
	return err
}

// stuckOrders returns an error if all partners' orders wait. Partners that are set aside do
// not make the node unready: on another node their rows are just as locked.
func stuckOrders(d order.Delays) error {
	if d.Group < ordersStuck {
		return nil
	}
	return fmt.Errorf("orders have been waiting to be committed for %v", d.Group.Round(time.Second))
}

func senderStuck(looking time.Duration) error {
	if looking < senderHangs {
		return nil
	}
	return fmt.Errorf("the sender of webhooks has been looking for due events for %v", looking.Round(time.Second))
}

// diskLow returns an error if one of the directories has less room than it should.
func diskLow(directories []string, least int64) error {
	var errs []error
	for _, directory := range directories {
		if space, err := machine.DiskSpaceOf(directory); err != nil {
			errs = append(errs, fmt.Errorf("look at the disk of %s: %w", directory, err))
		} else if space.Free < least {
			errs = append(errs,
				fmt.Errorf("the disk of %s has %d MB left, at least %d MB are needed", directory, space.Free>>20, least>>20))
		}
	}
	return errors.Join(errs...)
}

func logLarge(stats db.Stats) error {
	if stats.WAL == nil || stats.WAL.Pending < maxLog {
		return nil
	}
	return fmt.Errorf("%d MB of the write-ahead log are not in the database file yet: a reader may be holding it",
		stats.WAL.Pending>>20)
}

// clockWatch finds out that the clock was set, or is wrong.
type clockWatch struct {
	now     func() time.Time
	elapsed func() time.Duration // by a clock that is never set
	wall    time.Time            // at the last look
	mono    time.Duration        // at the last look
	jump    time.Duration        // the last one
	until   time.Duration        // how long it is shown, by elapsed
}

func newClockWatch(now func() time.Time, elapsed func() time.Duration) *clockWatch {
	c := &clockWatch{now: now, elapsed: elapsed}
	if c.elapsed != nil {
		c.wall, c.mono = c.now().Round(0), c.elapsed()
	}
	return c
}

// check compares the clock with one that is never set, and with the database's unless
// that is zero. What partners' clocks may differ is allowed.
func (c *clockWatch) check(database time.Time) error {
	if c.elapsed == nil {
		return nil
	}
	wall, mono := c.now().Round(0), c.elapsed() // Round drops the monotonic reading
	if jump := wall.Sub(c.wall) - (mono - c.mono); jump.Abs() > signature.MaxSkew {
		c.jump, c.until = jump, mono+jumpShownFor
	}
	c.wall, c.mono = wall, mono
	if mono < c.until {
		return fmt.Errorf("the clock has jumped by %v", c.jump.Round(time.Second))
	}
	if off := wall.Sub(database); !database.IsZero() && off.Abs() > signature.MaxSkew {
		return fmt.Errorf("the clock differs from the database's by %v, at most %v is allowed", off.Round(time.Second),
			signature.MaxSkew)
	}
	return nil
}

// watchStore logs when the database cannot be reached, with the cause.
func (a *App) watchStore() {
	outage := &incident{log: a.Log, what: "the database cannot be reached"}
	a.store.Report(func(err error) {
		if err == nil {
			outage.over()
		} else {
			outage.failed(err.Error())
		}
	})
}
