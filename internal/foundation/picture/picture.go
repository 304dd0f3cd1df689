// Package picture cleans pictures that strangers send: it decodes a file to its
// pixels and encodes them again, so that what is kept holds no place, time, camera or
// hidden second file.
package picture

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// Format is the file format of a cleaned picture.
type Format string

// The formats. Their values are the suffixes of file names.
const (
	JPEG Format = "jpg"
	PNG  Format = "png"
)

// ContentType returns the media type of the format.
func (f Format) ContentType() string {
	if f == PNG {
		return "image/png"
	}
	return "image/jpeg"
}

// Picture is a picture that this package has encoded.
type Picture struct {
	Format Format
	Data   []byte
}

const (
	// maxCleanings is the number of pictures that are cleaned at the same time. Each
	// may need a core and, if the file is hostile, 200 MB.
	maxCleanings = 2
	// cleaningTimeout is how long cleaning a picture may take. The largest photo
	// takes about a second.
	cleaningTimeout = 10 * time.Second
)

// Cleaner cleans a few pictures at a time; others wait. Many goroutines may use it.
type Cleaner struct {
	slots chan struct{} // holds a value for each picture that is being cleaned
}

// NewCleaner returns a cleaner. A process needs one.
func NewCleaner() *Cleaner { return &Cleaner{make(chan struct{}, maxCleanings)} }

// Clean waits for a slot and calls the function Clean.
func (c *Cleaner) Clean(ctx context.Context, data []byte, wanted Wanted) (Picture, error) {
	if err := CheckSize(data); err != nil {
		return Picture{}, err
	}
	if ctx.Err() == nil { // checked first, because select chooses at random among ready cases
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
			return c.cleanInTime(ctx, data, wanted)
		case <-ctx.Done():
		}
	}
	return Picture{}, fmt.Errorf("wait to clean a picture: %w", ctx.Err())
}

func (c *Cleaner) cleanInTime(ctx context.Context, data []byte, wanted Wanted) (Picture, error) {
	limited, cancel := context.WithTimeout(ctx, cleaningTimeout)
	defer cancel()
	cleaned, err := Clean(limited, data, wanted)
	if limited.Err() != nil && ctx.Err() == nil {
		return Picture{}, form.Fault(wanted.Field, nil, fmt.Sprintf("a picture that can be decoded in %v", cleaningTimeout))
	}
	return cleaned, err
}
