package app_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// drawingOfSides returns a PNG of one colour, which takes a few bytes for each row.
func drawingOfSides(t *testing.T, width, height int) []byte {
	t.Helper()
	var file bytes.Buffer
	drawing := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
	if err := png.Encode(&file, drawing); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestLogosAttack has a partner send logos over eight connections without a pause, of 24
// megapixels and of as many as are accepted, while a courier adds ten proofs one after
// the other. Each took 24 to 30 s when logos and proofs waited in one line. It measures,
// and so needs a quiet machine; TestProofsBeforeLogos has the rule without a clock.
func TestLogosAttack(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	const connections, proofs, most = 8, 10, 5 * time.Second
	s := apptest.Start(t, apptest.RateLimit(1_000_000))
	f := floor{s, s.Register(t, "metro"), s.Operate(t)}
	order := f.carried(t, f.rider(t, "mine"), "A-1", delivery.StatusOutForDelivery)
	attacker := s.Register(t, "attacker").Owner(t)
	logos := [][]byte{drawingOfSides(t, 6_000, 4_000), drawingOfSides(t, 2_000, 2_000)}

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var got statuses
	var all sync.WaitGroup
	for i := range connections {
		all.Go(func() {
			for ctx.Err() == nil {
				got.add(s.Do(t, "PUT", "/v1/account/logo", logos[i%2], "Cookie", attacker.Cookie, "Content-Type",
					"image/png").Status)
			}
		})
	}
	var slowest, sum time.Duration
	for i := range proofs {
		before := time.Now()
		prove(t, f.operator, order, "photo", picture(i)).Must(t, 201)
		took := time.Since(before)
		slowest, sum = max(slowest, took), sum+took
	}
	stop()
	all.Wait()
	t.Logf("proofs: slowest %v, mean %v; logos by status: %v", slowest, sum/proofs, got.count)
	if slowest > most {
		t.Errorf("the slowest proof took %v beside logos, want at most %v", slowest, most)
	}
}
