package partner

import "time"

const (
	// newFor is how long an account counts as new, unless an operator vouches for it.
	newFor = 30 * 24 * time.Hour
	// newStep is how often the limit of a new account grows by that of its first step.
	newStep = 24 * time.Hour
)

// Established reports whether an account is older than a month, or an operator has
// vouched for it. Accounts that are not are limited, because anyone may register one,
// and are refused first when the disk is nearly full.
func (s Settings) Established(now time.Time) bool {
	return s.NewSince.IsZero() || now.Sub(s.NewSince) >= newFor
}

// NewLimit returns how many bytes of orders a new account may store: first on its first
// day, and as many more on each further day. It returns 0 for an established account,
// and if first is 0, which mean that there is no such limit. growsIn is when the limit
// is next raised.
func (s Settings) NewLimit(first int64, now time.Time) (limit int64, growsIn time.Duration) {
	if first == 0 || s.Established(now) {
		return 0, 0
	}
	age := max(0, now.Sub(s.NewSince))
	return first * (1 + int64(age/newStep)), newStep - age%newStep
}

// BytesQuota returns how many bytes the stored records of the partner's orders may take
// up, 0 for no limit, given the service's limits for all partners and for the first day
// of new ones. growsIn is 0, or when that of a new account is next raised.
func (s Settings) BytesQuota(all, first int64, now time.Time) (limit int64, growsIn time.Duration) {
	if s.StoredBytes != DefaultQuota {
		return s.StoredBytes, 0
	}
	if limit, growsIn = s.NewLimit(first, now); limit == 0 || all > 0 && all <= limit {
		return all, 0
	}
	return limit, growsIn
}
