// Package proof stores proofs of delivery: the picture of a signature, or of the
// parcel at the door. Every file that is sent is decoded to its pixels and encoded
// again, so that what is stored and served holds no place, time, camera or hidden
// second file. A picture is stored under a name that cannot be guessed, in a folder
// or in an object store (package s3).
package proof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Picture is a picture that this package has encoded.
type Picture struct {
	Format Format
	Data   []byte
}

// Store stores pictures under names from NewName. Many goroutines may use a store.
type Store interface {
	// Put stores a picture. Once it has returned nil, the picture survives a crash.
	// Get never returns a part of it.
	Put(ctx context.Context, name string, picture Picture) error
	// Get returns a picture. The error is fs.ErrNotExist if there is none.
	Get(ctx context.Context, name string) (Picture, error)
	// Delete removes a picture, if there is one.
	Delete(ctx context.Context, name string) error
}

// ErrUnavailable means that a store cannot be reached at the moment.
var ErrUnavailable = errors.New("the store of proofs cannot be reached")

// Config holds what a Service depends on.
type Config struct {
	Store   Store
	Records Records
	Now     func() time.Time
	Random  io.Reader // safe for use by many goroutines
	Log     *slog.Logger
	// URL returns the public address of a name.
	URL func(name string) string
}

// Service adds proofs to orders, and serves and deletes their pictures. Many
// goroutines may use it.
type Service struct {
	config Config
	slots  chan struct{} // holds a value for each picture that is being cleaned
}

const (
	// maxCleanings is the number of pictures that are cleaned at the same time. Each
	// may need a core and, if the file is hostile, 200 MB.
	maxCleanings = 2
	// cleaningTimeout is how long cleaning a picture may take. The largest photo
	// takes about a second.
	cleaningTimeout = 10 * time.Second
	// retryAfter is how long callers are asked to wait while the store cannot be
	// reached.
	retryAfter = 5 * time.Second
)

// NewService returns a service.
func NewService(config Config) *Service {
	return &Service{config: config, slots: make(chan struct{}, maxCleanings)}
}

// URL returns the public address of a name.
func (s *Service) URL(name string) string { return s.config.URL(name) }

// Keep cleans a picture and stores it under a new name, which it returns. Before it
// stores anything it calls announce with the name, and stops if that fails. The
// error is a validation error if the file cannot be accepted.
func (s *Service) Keep(ctx context.Context, data []byte, announce func(name string) error) (name string, err error) {
	picture, err := s.clean(ctx, data)
	if err != nil {
		return "", err
	}
	if name, err = NewName(s.config.Random, picture.Format); err != nil {
		return "", err
	}
	if err := announce(name); err != nil {
		return "", err
	}
	if err := s.config.Store.Put(ctx, name, picture); err != nil {
		return "", s.refuseUnavailable(ctx, "keep", err)
	}
	return name, nil
}

// clean waits for a slot and cleans a picture.
func (s *Service) clean(ctx context.Context, data []byte) (Picture, error) {
	if err := checkSize(data); err != nil {
		return Picture{}, err
	}
	if ctx.Err() == nil { // checked first, because select chooses at random among ready cases
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
			limited, cancel := context.WithTimeout(ctx, cleaningTimeout)
			defer cancel()
			picture, err := Clean(limited, data)
			if limited.Err() != nil && ctx.Err() == nil {
				return Picture{}, fault(fmt.Sprintf("a picture that can be decoded in %v", cleaningTimeout))
			}
			return picture, err
		case <-ctx.Done():
		}
	}
	return Picture{}, fmt.Errorf("wait to clean a picture: %w", ctx.Err())
}

// Open returns the picture with a name. The error is not_found if there is none, or
// if the text is not a name.
func (s *Service) Open(ctx context.Context, name string) (Picture, error) {
	if !IsName(name) {
		return Picture{}, errNoProof
	}
	picture, err := s.config.Store.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return Picture{}, errNoProof
	}
	return picture, s.refuseUnavailable(ctx, "get", err)
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
	return &refusal.Error{Code: refusal.CodeUnavailable, Message: "proofs cannot be reached at the moment", RetryAfter: retryAfter}
}
