package app

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
)

// newRetention returns the service of retention. observer is called after each of
// its sweeps; nil observes nothing. aged is nil for commands, which do not sweep.
func newRetention(db *store.Store, pictures proof.Store, settings *config.Config, world Surroundings,
	aged func() clock.Age, observer retention.Observer) *retention.Service {
	orders, events, _ := settings.Retention() // Check has parsed them before
	return retention.NewService(retention.Config{
		Store: db.Retention(), Pictures: pictures, Now: world.Now, Random: world.Random, Log: world.Log,
		Policy: retention.Policy{Orders: orders, Events: events}, Aged: aged, Observer: observer,
	})
}

// byCommand returns a context for what a command changes.
func byCommand(ctx context.Context) context.Context {
	return audit.WithOperation(ctx, audit.Operation{OperatorID: "command line"})
}

// ExportPartner writes all data of a partner as JSON Lines.
func ExportPartner(
	ctx context.Context, settings *config.Config, world Surroundings, partnerID string, to io.Writer,
) (err error) {
	db, err := openExisting(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	buffer := bufio.NewWriterSize(to, 64<<10)
	export, err := newRetention(db, nil, settings, world, nil, nil).Export(byCommand(ctx), partnerID)
	if err != nil {
		return err
	}
	if err := export.Write(ctx, buffer); err != nil {
		return err
	}
	return buffer.Flush()
}

// ErasePartnerOrders removes the recipient's personal data, and the proofs of
// delivery, from a partner's orders: those listed, or all with the e-mail address of
// the recipient. It returns how many orders it changed.
func ErasePartnerOrders(ctx context.Context, settings *config.Config, world Surroundings, partnerID string,
	orderIDs []string, recipient string, force bool) (erased int, err error) {
	db, err := openExisting(ctx, settings)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	pictures, end, err := openPictures(settings, world.Now)
	if err != nil {
		return 0, err
	}
	defer end()
	return newRetention(db, pictures, settings, world, nil, nil).
		Erase(byCommand(ctx), partnerID, retention.Selection{OrderIDs: orderIDs, Recipient: recipient, Force: force})
}
