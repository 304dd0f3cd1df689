package order

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Quota is how much a partner may use; 0 means no limit.
type Quota struct {
	OrdersPerDay int64 // created on one day, in UTC
	StoredBytes  int64 // of the stored records of orders
	// GrowsIn is when StoredBytes is next raised, because the account is new; 0 unless it
	// is.
	GrowsIn time.Duration
}

// UsageKey names what a partner has used on a day, in days since 1970.
type UsageKey struct {
	PartnerID string
	Day       int64
}

// Usage is what a partner has used of its quotas.
type Usage struct {
	Day    int64 // in days since 1970, in UTC
	Orders int64 // created on that day
	Bytes  int64 // of the stored records of orders
}

// Used is what a group of commands adds to a partner's usage.
type Used struct {
	PartnerID     string
	Orders, Bytes int64
}

const day = 24 * time.Hour

// DayOf returns the day of a time, in days since 1970, in UTC.
func DayOf(at time.Time) int64 { return at.Unix() / int64(day/time.Second) }

// retryBytes is when to try again after the quota of bytes is used up: what is kept
// for a limited time is removed every hour.
const retryBytes = time.Hour

// QuotaName names a quota.
type QuotaName string

// The quotas.
const (
	QuotaOrders QuotaName = "orders_per_day"
	QuotaBytes  QuotaName = "stored_bytes"
)

// QuotaNames lists them.
var QuotaNames = []QuotaName{QuotaOrders, QuotaBytes}

type quotaDetails struct {
	Quota QuotaName `json:"quota"`
	Limit int64     `json:"limit"`
	Used  int64     `json:"used"`
}

// take adds an order whose record has a size to what was used, or refuses it.
func (u *Usage) take(q Quota, size int64, at time.Time) error {
	if q.OrdersPerDay > 0 && u.Orders >= q.OrdersPerDay {
		until := at.Truncate(day).Add(day).Sub(at) // the zero time begins a day, too
		return errQuota(quotaDetails{QuotaOrders, q.OrdersPerDay, u.Orders}, until,
			fmt.Sprintf("%d orders have been created today, which is the limit", u.Orders))
	}
	if q.StoredBytes > 0 && u.Bytes+size > q.StoredBytes {
		if q.GrowsIn > 0 {
			return errQuota(quotaDetails{QuotaBytes, q.StoredBytes, u.Bytes}, q.GrowsIn,
				fmt.Sprintf("this account is new, and its stored orders would exceed %d bytes; the limit grows every day, "+
					"and the operator of the service can lift it", q.StoredBytes))
		}
		return errQuota(quotaDetails{QuotaBytes, q.StoredBytes, u.Bytes}, retryBytes,
			fmt.Sprintf("the stored orders would exceed %d bytes, which is the limit", q.StoredBytes))
	}
	u.Orders++
	u.Bytes += size
	return nil
}

func errQuota(details quotaDetails, retryAfter time.Duration, message string) error {
	return &refusal.Error{Code: delivery.CodeQuotaExceeded, Message: message, Details: details, RetryAfter: retryAfter}
}

// quotaOf returns the quota that refused a command; empty if none did.
func quotaOf(err error) QuotaName {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return ""
	}
	details, _ := refused.Details.(quotaDetails)
	return details.Quota
}

// use sums up by partner what was created and what edits have added, sorted by partner, so that two
// transactions lock the rows in the same order.
func (c *Changes) use() {
	for _, created := range c.Created {
		used := c.usedBy(created.Order.PartnerID)
		used.Orders++
		used.Bytes += int64(len(created.Document))
	}
	for key, change := range c.Changed {
		if change.Grown != 0 {
			c.usedBy(key.PartnerID).Bytes += change.Grown
		}
	}
}

// usedBy returns what a partner uses in addition.
func (c *Changes) usedBy(partnerID string) *Used {
	at, known := slices.BinarySearchFunc(c.Used, partnerID,
		func(u Used, id string) int { return cmp.Compare(u.PartnerID, id) })
	if !known {
		c.Used = slices.Insert(c.Used, at, Used{PartnerID: partnerID})
	}
	return &c.Used[at]
}
