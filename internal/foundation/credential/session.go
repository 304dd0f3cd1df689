package credential

import "time"

// How long a login lasts in a browser, for all kinds of accounts.
const (
	// SessionIdle is how long a session lasts after its last use.
	SessionIdle = 12 * time.Hour
	// SessionLife is how long a session lasts at most.
	SessionLife = 7 * 24 * time.Hour
	// MaxSessions is how many sessions an account may have at a time. When another
	// begins, the oldest ends.
	MaxSessions = 20
	// touchEvery bounds how often the use of a session is written.
	touchEvery = time.Minute
)

// SessionTimes holds the times that decide when a session expires.
type SessionTimes struct {
	CreatedAt  time.Time
	LastSeenAt time.Time // to the minute
}

// NewSessionTimes returns the times of a session that begins now.
func NewSessionTimes(now time.Time) SessionTimes { return SessionTimes{now, now} }

// Expired reports whether the session has ended by the passing of time.
func (s SessionTimes) Expired(now time.Time) bool {
	return now.Sub(s.CreatedAt) >= SessionLife || now.Sub(s.LastSeenAt) >= SessionIdle
}

// Stale reports whether LastSeenAt is old enough to be written again.
func (s SessionTimes) Stale(now time.Time) bool { return now.Sub(s.LastSeenAt) >= touchEvery }
