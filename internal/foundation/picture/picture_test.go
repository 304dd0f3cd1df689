package picture_test

import (
	"context"
	"errors"
	"image/color"
	"testing"
	"testing/synctest"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// TestCleaningPermits: while two pictures are being cleaned, a third waits for a permit
// or for the end of its context.
func TestCleaningPermits(t *testing.T) {
	t.Parallel()
	data := encodePNG(t, signature(9, 9))
	synctest.Test(t, func(t *testing.T) {
		cleaner := picture.NewCleaner()
		release := cleaner.Occupy("opr_1", false)
		defer cleaner.Occupy("opr_2", false)()
		ctx, cancel := context.WithCancel(context.Background())
		gone, waited := make(chan error, 1), make(chan error, 1)
		clean := func(ctx context.Context, done chan<- error) {
			_, err := cleaner.Clean(ctx, "opr_3", data, asProof)
			done <- err
		}
		go clean(ctx, gone)
		go clean(context.Background(), waited)
		synctest.Wait()
		if len(gone)+len(waited) != 0 {
			t.Error("a third picture did not wait")
		}
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled while waiting: got %v, want context.Canceled", err)
		}
		if _, err := cleaner.Clean(ctx, "opr_3", data, asProof); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before: got %v, want context.Canceled", err)
		}
		release()
		if err := <-waited; err != nil {
			t.Errorf("with a free slot: %v", err)
		}
	})
}

// asLogo is what yields to pictures such as asProof, and must be small.
var asLogo = picture.Wanted{
	Field: "logo", Side: 512, Yields: true, Accepted: picture.Limits{Bytes: 100_000, Side: 400, Pixels: 90_000, Scans: 16},
}

// TestProofsBeforeLogos: a picture that does not yield is cleaned while eight that
// yield, of two payers, wait for one that is not done.
func TestProofsBeforeLogos(t *testing.T) {
	t.Parallel()
	data := encodePNG(t, signature(9, 9))
	synctest.Test(t, func(t *testing.T) {
		cleaner := picture.NewCleaner()
		release := cleaner.Occupy("par_1", true)
		logos := make(chan error, 8)
		for i := range cap(logos) {
			payer := []string{"par_1", "par_2"}[i%2]
			go func() {
				_, err := cleaner.Clean(t.Context(), payer, data, asLogo)
				logos <- err
			}()
		}
		synctest.Wait()
		for range 3 {
			if _, err := cleaner.Clean(t.Context(), "opr_1", data, asProof); err != nil {
				t.Errorf("a proof while logos wait: %v", err)
			}
		}
		if len(logos) != 0 {
			t.Errorf("%d logos were cleaned beside another, want none", len(logos))
		}
		release()
		for range cap(logos) {
			if err := <-logos; err != nil {
				t.Errorf("a logo afterwards: %v", err)
			}
		}
	})
}

// TestLimitsOfTheCaller: what the caller does not accept is refused by its header,
// without waiting for the permits, which are all taken.
func TestLimitsOfTheCaller(t *testing.T) {
	t.Parallel()
	files := map[string]struct {
		data []byte
		code refusal.Code
	}{
		"24 megapixels in a header": {header("\x00\x00\x17\x70\x00\x00\x0f\xa0\x08\x02\x00\x00\x00"), refusal.CodeValidation},
		"one pixel too wide":        {encodePNG(t, signature(401, 20)), refusal.CodeValidation},
		"too many pixels":           {encodeJPEG(t, photo(301, 300)), refusal.CodeValidation},
		"too many scans":            {progressive(64, 64, 17), refusal.CodeValidation},
		"WebP":                      {riff(lossless(301, 300, color.NRGBA{A: 9})), refusal.CodeValidation},
		"too many bytes": {append(encodePNG(t, signature(20, 20)),
			make([]byte, 100_000)...), refusal.CodePayloadTooLarge},
	}
	accepted := map[string][]byte{
		"PNG": encodePNG(t, signature(400, 225)), "JPEG": encodeJPEG(t, photo(300, 300)), "scans": progressive(64, 64, 16),
	}
	synctest.Test(t, func(t *testing.T) {
		cleaner := picture.NewCleaner()
		first, second := cleaner.Occupy("opr_1", false), cleaner.Occupy("opr_2", false)
		for name, file := range files {
			if _, err := cleaner.Clean(t.Context(), "par_1", file.data, asLogo); !refusal.HasCode(err, file.code) {
				t.Errorf("%s: got %v, want %s", name, err, file.code)
			}
		}
		first()
		second()
		for name, data := range accepted {
			if _, err := cleaner.Clean(t.Context(), "par_1", data, asLogo); err != nil {
				t.Errorf("%s: got %v, want it accepted", name, err)
			}
		}
	})
}
