package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/progress"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const (
	// asProgram is the environment variable that makes the test binary run as dropyard.
	asProgram = "DROPYARD_TEST_AS_PROGRAM"
	// holdAfter is one that makes such a program stop after a part of its work, which it
	// names: a stage, and the number of a report of progress in it.
	holdAfter = "DROPYARD_TEST_HOLD_AFTER"
	// mayLoseData lets a program use the PostgreSQL server that all tests share.
	mayLoseData = "DROPYARD_DATABASE_MAY_LOSE_DATA=true"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		testkit.Main(m)
		return
	}
	setSizesAndTimes()
	if part := os.Getenv(holdAfter); part != "" {
		watch = func(ctx context.Context) progress.Reporter { return hold(ctx, part) }
	}
	main()
	os.Exit(0)
}

// setSizesAndTimes makes the program copy in small batches, so that a few rows are several
// of them, pause only for a moment where it waits for others, and just as often, and give an
// answer all the time it needs. How long pauses are is tested with the clock of a synctest
// bubble.
func setSizesAndTimes() {
	healthTimeout = repeatable.Hang
	copyBatch = 400
	const pause = 20 * time.Millisecond
	lookEvery = pause
	retryDelays = slices.Repeat([]time.Duration{pause}, len(retryDelays))
	receiverPauses = slices.Repeat([]time.Duration{pause}, len(receiverPauses))
}

// The files that a program inherits which holds its work.
const (
	reachedFile = 3 // to which it writes when it has done the part
	releaseFile = 4 // whose end it waits for
)

// hold returns a reporter that says when a part of the work is done. The work goes on
// then, but no further than to the next report, where it waits for the end of releaseFile,
// or of the context. So a test that interrupts the program after the part does so at a
// moment of its own, and never too late.
func hold(ctx context.Context, part string) progress.Reporter {
	reports, reached := map[string]int{}, false
	released := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.NewFile(releaseFile, "release"))
		close(released)
	}()
	return func(stage string, _, _ int64) {
		if reached {
			select {
			case <-released:
			case <-ctx.Done():
			}
			return
		}
		reports[stage]++
		if reached = fmt.Sprint(stage, " ", reports[stage]) == part; reached {
			_, _ = os.NewFile(reachedFile, "reached").WriteString("reached\n")
		}
	}
}
