package order

import (
	"errors"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

func TestQuota(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 12, 12, 0, 0, 0, time.UTC)
	evening := noon.Add(11*time.Hour + 59*time.Minute).In(time.FixedZone("EST", -5*3600))
	for name, c := range map[string]struct {
		used  Usage
		quota Quota
		at    time.Time
		over  QuotaName
		after time.Duration
	}{
		"none":            {Usage{Orders: 1 << 40, Bytes: 1 << 40}, Quota{}, noon, "", 0},
		"last of the day": {Usage{Orders: 9}, Quota{OrdersPerDay: 10}, noon, "", 0},
		"over the day":    {Usage{Orders: 10}, Quota{OrdersPerDay: 10}, noon, QuotaOrders, 12 * time.Hour},
		"late in the day": {Usage{Orders: 10}, Quota{OrdersPerDay: 10}, evening, QuotaOrders, time.Minute},
		"fits":            {Usage{Bytes: 900}, Quota{StoredBytes: 1000}, noon, "", 0},
		"does not fit":    {Usage{Bytes: 901}, Quota{StoredBytes: 1000}, noon, QuotaBytes, time.Hour},
		"new account":     {Usage{Bytes: 901}, Quota{StoredBytes: 1000, GrowsIn: time.Minute}, noon, QuotaBytes, time.Minute},
		"both": {Usage{Orders: 10, Bytes: 1000}, Quota{OrdersPerDay: 10, StoredBytes: 1000}, noon, QuotaOrders, 12 *
			time.Hour},
	} {
		before := c.used
		err := c.used.take(c.quota, 100, c.at)
		var refused *refusal.Error
		if quotaOf(err) != c.over ||
			errors.As(err, &refused) && (refused.Code != delivery.CodeQuotaExceeded || refused.RetryAfter != c.after) {
			t.Errorf("%s: got %+v, want quota %q and to retry after %v", name, err, c.over, c.after)
		}
		taken := c.used.Orders - before.Orders
		if want := int64(1); (c.over == "") != (taken == want) {
			t.Errorf("%s: got %d orders added, want one if and only if it is allowed", name, taken)
		}
	}
}

func TestLatestDays(t *testing.T) {
	t.Parallel()
	got := latestDays([]UsageKey{{"b", 4}, {"a", 1}, {"b", 5}, {"a", 1}})
	if len(got) != 2 || got[0] != (UsageKey{"a", 1}) || got[1] != (UsageKey{"b", 5}) {
		t.Errorf("got %v, want a on day 1 and b on day 5", got)
	}
}
