package app

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
)

// Surroundings holds what a service takes from outside, so that tests can replace
// it. In an App, Now and At are those of its steady clock.
type Surroundings struct {
	Now func() time.Time
	At  func(time.Time) <-chan time.Time // fires at a time by the clock of Now
	// Elapsed returns the time since a fixed moment by a clock that is never set, with
	// which Now is compared; nil leaves Now unchecked. Now may go back only if there is one.
	Elapsed func() time.Duration
	// Zones are the time zones, by which local times and dates are found.
	Zones  *zone.Database
	Random io.Reader // cryptographically secure, safe for concurrent use
	Log    *slog.Logger
	// Out is where the demo prints its credentials, and a first start what to do next.
	Out io.Writer
	// Version is the version of dropyard, which the metrics show.
	Version string
	// Memory is how much memory Go may use, in bytes. The room for requests and
	// responses in flight is a part of it.
	Memory int64
	// Hasher hashes passwords.
	Hasher *credential.Hasher
	// Post sends mails instead of the mail server in the settings. With nil and without
	// a server there is no mail, and links are returned to those who made them.
	Post mail.Post
	// Resolver looks up the records by which partners prove domains.
	Resolver partner.TextResolver
	// OrderStore wraps the store of orders, to measure what storage costs; nil
	// leaves it as it is.
	OrderStore func(order.Store) order.Store
	// BeforeWrites is called before each transaction that writes, with its context, so that
	// tests can hold a change between its authentication and its transaction, or let it fail;
	// it may be nil.
	BeforeWrites func(context.Context) error
	// FileSystem returns the kind of the file system of a folder; nil leaves it unchecked.
	FileSystem func(folder string) (machine.FileSystem, error)
	// DiskSpace returns the room on the disk of a folder; nil means that there is enough.
	DiskSpace func(folder string) (machine.DiskSpace, error)
	// Deprecated are the operations that will be removed, by method and pattern.
	Deprecated map[string]httpd.Deprecation
}

// System returns the surroundings of a real service: the system's clock and random
// numbers, standard output and error. It also sets the garbage collector and the
// memory limit of the process.
func System() Surroundings {
	pace.SpreadProcessors()
	collector.start()
	start := time.Now()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	zones, err := zone.Newest()
	if err != nil {
		log.Warn("newer time zones of the system are not used", "error", err)
	}
	return Surroundings{
		Memory:  limitMemory(),
		Now:     time.Now,
		At:      func(at time.Time) <-chan time.Time { return time.After(time.Until(at)) },
		Elapsed: func() time.Duration { return time.Since(start) },
		Zones:   zones,
		Random:  rand.Reader,
		Log:     log,
		Out:     os.Stdout,
		Hasher:  credential.NewHasher(credential.DefaultCost, rand.Reader),

		Resolver:   net.DefaultResolver,
		FileSystem: machine.FileSystemOf,
		DiskSpace:  machine.DiskSpaceOf,
		Deprecated: api.Deprecated(),
	}
}
