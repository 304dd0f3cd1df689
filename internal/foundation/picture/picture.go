// Package picture cleans pictures that strangers send: it decodes a file to its
// pixels and encodes them again, so that what is kept holds no place, time, camera or
// hidden second file.
package picture

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/fair"
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
	// takes about a second, and much longer where the processors are busy.
	cleaningTimeout = time.Minute
)

// The ranks of pictures in a Cleaner.
const (
	rankFirst = iota
	rankYielding
)

// Cleaner cleans a few pictures at a time; others wait. One payer has one picture of a
// rank cleaned at a time, and payers take turns. Pictures that yield come after all
// others, and only one of them is cleaned at a time, so that the rest of the permits is
// there for what comes next. Many goroutines may use it.
type Cleaner struct{ permits *fair.Semaphore }

// NewCleaner returns a cleaner. A process needs one.
func NewCleaner() *Cleaner {
	return &Cleaner{fair.NewRankedSemaphore(maxCleanings, fair.Rank{Total: maxCleanings, PerKey: 1},
		fair.Rank{Total: 1, PerKey: 1})}
}

// Clean refuses what the header of the file does not permit, waits for the payer's turn
// and calls the function Clean.
func (c *Cleaner) Clean(ctx context.Context, payer string, data []byte, wanted Wanted) (Picture, error) {
	checked, err := inspect(data, wanted)
	if err != nil {
		return Picture{}, err
	}
	rank := rankFirst
	if wanted.Yields {
		rank = rankYielding
	}
	// The context is checked first, because select chooses at random among ready cases.
	if ctx.Err() != nil || !c.permits.TakeIn(ctx, rank, payer) {
		return Picture{}, fmt.Errorf("wait to clean a picture: %w", ctx.Err())
	}
	defer c.permits.FreeIn(rank, payer)
	return checked.cleanInTime(ctx)
}

func (f file) cleanInTime(ctx context.Context) (Picture, error) {
	limited, cancel := context.WithTimeout(ctx, cleaningTimeout)
	defer cancel()
	cleaned, err := f.clean(limited)
	if limited.Err() != nil && ctx.Err() == nil {
		return Picture{}, form.Fault(f.wanted.Field, nil, timeRule.With("seconds", int(cleaningTimeout/time.Second)))
	}
	return cleaned, err
}
