// Package proof stores proofs of delivery: the picture of a signature, or of the
// parcel at the door. Every file that is sent is cleaned (package picture). A picture is stored under a name that
// cannot be guessed, in a folder or in an object store (package s3).
package proof

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Store stores pictures under names from NewName. Many goroutines may use a store.
type Store interface {
	// Put stores a picture. Once it has returned nil, the picture survives a crash.
	// Get never returns a part of it.
	Put(ctx context.Context, name string, cleaned picture.Picture) error
	// Get returns a picture. The error is fs.ErrNotExist if there is none.
	Get(ctx context.Context, name string) (picture.Picture, error)
	// Delete removes a picture, if there is one.
	Delete(ctx context.Context, name string) error
}

// ErrUnavailable means that a store cannot be reached at the moment.
var ErrUnavailable = errors.New("the storage cannot be reached")

// Config holds what a Service depends on.
type Config struct {
	Store   Store
	Records Records
	Cleaner *picture.Cleaner
	Now     func() time.Time
	Random  io.Reader // safe for use by many goroutines
	Log     *slog.Logger
	// URL returns the public address of a name.
	URL func(name string) string
	// TooLate returns the refusal of an act that happened before the latest move of the
	// order.
	TooLate func(ctx context.Context, order *delivery.Order) error
}

// Service adds proofs to orders, and serves and deletes their pictures. Many
// goroutines may use it.
type Service struct{ config Config }

// retryAfter is how long callers are asked to wait while the store cannot be reached.
const retryAfter = 5 * time.Second

// MaxBytes is the greatest size of a file that is accepted.
const MaxBytes = picture.MaxBytes

// wanted is what is kept of a picture.
var wanted = picture.Wanted{Field: "proof", Side: 2_000}

// NewService returns a service.
func NewService(config Config) *Service {
	return &Service{config}
}

// URL returns the public address of a name.
func (s *Service) URL(name string) string { return s.config.URL(name) }

// Keep cleans a picture, which takes its turn among those of the payer, and stores it
// under a new name, which it returns. Before it stores anything it calls announce with the name, and stops if that
// fails. The error is a validation error if the file cannot be accepted.
func (s *Service) Keep(
	ctx context.Context, payer string, data []byte, announce func(name string) error,
) (name string, err error) {
	cleaned, err := s.config.Cleaner.Clean(ctx, payer, data, wanted)
	if err != nil {
		return "", err
	}
	if name, err = NewName(s.config.Random, cleaned.Format); err != nil {
		return "", err
	}
	if err := announce(name); err != nil {
		return "", err
	}
	if err := s.config.Store.Put(ctx, name, cleaned); err != nil {
		return "", s.refuseUnavailable(ctx, "keep", err)
	}
	return name, nil
}

// Open returns the picture with a name. The error is not_found if there is none, or
// if the text is not a name.
func (s *Service) Open(ctx context.Context, name string) (picture.Picture, error) {
	if !IsName(name) {
		return picture.Picture{}, errNoProof
	}
	found, err := s.config.Store.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return picture.Picture{}, errNoProof
	}
	return found, s.refuseUnavailable(ctx, "get", err)
}

// Delete removes the picture with a name from the store, if there is one. Browsers
// may have it in their caches for a day.
func (s *Service) Delete(ctx context.Context, name string) error {
	if !IsName(name) {
		return nil
	}
	return s.refuseUnavailable(ctx, "delete", s.config.Store.Delete(ctx, name))
}

var errNoProof = refusal.NotFound("this proof")

// refuseUnavailable turns ErrUnavailable into a refusal that callers may see, and
// logs the cause. It returns any other error as it is.
func (s *Service) refuseUnavailable(ctx context.Context, operation string, err error) error {
	if !errors.Is(err, ErrUnavailable) {
		return err
	}
	s.config.Log.WarnContext(ctx, "the store of proofs cannot be reached", "operation", operation, "error", err)
	return &refusal.Error{
		Code: refusal.CodeUnavailable, Message: "proofs cannot be reached at the moment", RetryAfter: retryAfter,
	}
}
