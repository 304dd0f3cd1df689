// Package proof keeps proofs of delivery: the picture of a signature, or of
// the parcel at the door. What comes in is taken apart to its pixels and
// written anew, so that what is kept and served is a picture and nothing else:
// no place, no time, no camera, no hidden second file. It is kept under a name
// that nobody can guess, in a folder or in an object store (package s3).
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

// Picture is a picture as this package writes it.
type Picture struct {
	Kind Kind
	Data []byte
}

// Store keeps pictures under their names. Names come from NewName, and end in
// the suffix of their kind. A store may be used by many goroutines.
type Store interface {
	// Put keeps a picture; when it returns nil, a crash does not take the
	// picture away again. Nobody ever gets a part of it.
	Put(ctx context.Context, name string, picture Picture) error
	// Get gives a picture; fs.ErrNotExist if there is none of that name.
	Get(ctx context.Context, name string) (Picture, error)
	// Delete removes a picture. That there is none is no error.
	Delete(ctx context.Context, name string) error
}

// ErrUnavailable tells that a store cannot be reached just now.
var ErrUnavailable = errors.New("where proofs are kept cannot be reached")

// Config is what the service needs.
type Config struct {
	Store   Store
	Records Records
	Now     func() time.Time
	Random  io.Reader // safe for use by many goroutines
	Log     *slog.Logger
	// URL gives the public address of a name.
	URL func(name string) string
}

// Service cleans pictures, keeps them, and finds them again.
type Service struct {
	Config
	slots chan struct{}
}

const (
	// maxCleanings is how many pictures are taken apart at once: each may need
	// a core and, if it is hostile, 200 MB.
	maxCleanings = 2
	// cleaningTimeout is how long one picture may take. The largest photo takes
	// about a second.
	cleaningTimeout = 10 * time.Second
	// comeAgain is what callers are told to wait when the store is away.
	comeAgain = 5 * time.Second
)

// NewService makes the service.
func NewService(config Config) *Service {
	return &Service{Config: config, slots: make(chan struct{}, maxCleanings)}
}

// Keep cleans a picture as it was sent and keeps it under the name that it gives.
// Before there is anything under that name, announce is told it, and may refuse.
// A refusal of Keep's own says what is wrong with the picture.
func (s *Service) Keep(ctx context.Context, data []byte, announce func(name string) error) (name string, err error) {
	picture, err := s.clean(ctx, data)
	if err != nil {
		return "", err
	}
	if name, err = NewName(s.Random, picture.Kind); err != nil {
		return "", err
	}
	if err := announce(name); err != nil {
		return "", err
	}
	if err := s.Store.Put(ctx, name, picture); err != nil {
		return "", s.told(ctx, "keep", err)
	}
	return name, nil
}

// clean waits for its turn, as long as the context allows.
func (s *Service) clean(ctx context.Context, data []byte) (Picture, error) {
	if err := checkSize(data); err != nil {
		return Picture{}, err
	}
	if ctx.Err() == nil { // among what is ready, select chooses at random
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
			limited, cancel := context.WithTimeout(ctx, cleaningTimeout)
			defer cancel()
			picture, err := Clean(limited, data)
			if limited.Err() != nil && ctx.Err() == nil {
				return Picture{}, fault("a picture that can be read in reasonable time")
			}
			return picture, err
		case <-ctx.Done():
		}
	}
	return Picture{}, fmt.Errorf("wait to clean a picture: %w", ctx.Err())
}

// Open gives the picture of a name, and refuses a name that is none like one
// that is not in use.
func (s *Service) Open(ctx context.Context, name string) (Picture, error) {
	if !IsName(name) {
		return Picture{}, errNoProof
	}
	picture, err := s.Store.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return Picture{}, errNoProof
	}
	return picture, s.told(ctx, "get", err)
}

// Delete removes the proof of a name, for good, where it is kept; browsers may
// have it for a day. That there is none is no error.
func (s *Service) Delete(ctx context.Context, name string) error {
	if !IsName(name) {
		return nil
	}
	return s.told(ctx, "delete", s.Store.Delete(ctx, name))
}

var errNoProof = refusal.NotFound("this proof")

// told turns a store that is away into a refusal that callers may see, and
// tells the operator why. Other errors stay as they are.
func (s *Service) told(ctx context.Context, what string, err error) error {
	if !errors.Is(err, ErrUnavailable) {
		return err
	}
	s.Log.WarnContext(ctx, "proofs are out of reach", "to", what, "error", err)
	return &refusal.Error{Code: refusal.CodeUnavailable, Message: "proofs cannot be reached at the moment", RetryAfter: comeAgain}
}
