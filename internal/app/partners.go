package app

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/partner"
)

// ApprovePartner approves a partner's account that awaits it. The service may be
// running. It refuses with not_found.
func ApprovePartner(ctx context.Context, settings *config.Config, world Surroundings, partnerID string) (err error) {
	db, err := openExisting(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	partners := partner.NewService(partner.Config{
		Store: db.Partners(), Now: world.Now, Random: world.Random, Hasher: world.Hasher, Log: world.Log,
	})
	defer func() { err = errors.Join(err, partners.Close()) }()
	ctx = audit.WithOperation(ctx, audit.Operation{OperatorID: "command line"})
	_, err = partners.Approve(ctx, partnerID)
	return err
}
