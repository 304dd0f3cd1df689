package partner_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

// TestBytesQuota has the quota of bytes of accounts by their age and settings, if the
// service has one of 400 for all, and 100 for the first day of new ones.
func TestBytesQuota(t *testing.T) {
	t.Parallel()
	const all, first, day = 400, 100, 24 * time.Hour
	now := time.Date(2026, 1, 12, 12, 0, 0, 0, time.UTC)
	aged := func(age time.Duration) partner.Settings {
		return partner.Settings{NewSince: now.Add(-age), StoredBytes: partner.DefaultQuota}
	}
	own := aged(0)
	own.StoredBytes = 7
	for name, c := range map[string]struct {
		settings   partner.Settings
		all, first int64
		limit      int64
		growsIn    time.Duration
	}{
		"just registered":        {aged(0), 0, first, 100, day},
		"a clock that went back": {aged(-time.Hour), 0, first, 100, day},
		"end of the first day":   {aged(day - time.Minute), 0, first, 100, time.Minute},
		"second day":             {aged(day), 0, first, 200, day},
		"less than for all":      {aged(2*day + time.Hour), all, first, 300, 23 * time.Hour},
		"as much as all":         {aged(3 * day), all, first, 400, 0},
		"more than all":          {aged(9 * day), all, first, 400, 0},
		"last day":               {aged(30*day - time.Second), 0, first, 3000, time.Second},
		"a month old":            {aged(30 * day), 0, first, 0, 0},
		"a month old, with all":  {aged(30 * day), all, first, 400, 0},
		"vouched for":            {partner.DefaultSettings, 0, first, 0, 0},
		"no limit for new ones":  {aged(0), 0, 0, 0, 0},
		"its own":                {own, all, first, 7, 0},
	} {
		limit, growsIn := c.settings.BytesQuota(c.all, c.first, now)
		if limit != c.limit || growsIn != c.growsIn {
			t.Errorf("%s: got %d, growing in %v, want %d and %v", name, limit, growsIn, c.limit, c.growsIn)
		}
	}
}
