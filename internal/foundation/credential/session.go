package credential

import "time"

// How long a login lasts in a browser, whoever logs in.
const (
	// SessionIdle is how long a session lasts after its last use.
	SessionIdle = 12 * time.Hour
	// SessionLife is how long a session lasts however much it is used.
	SessionLife = 7 * 24 * time.Hour
	// touchEvery bounds how often the use of a session is written.
	touchEvery = time.Minute
)

// SessionTimes are what decides how long a session lasts.
type SessionTimes struct {
	CreatedAt  time.Time
	LastSeenAt time.Time // to the minute
}

// NewSessionTimes are those of a session that begins.
func NewSessionTimes(now time.Time) SessionTimes { return SessionTimes{now, now} }

// Expired tells whether the session has ended by itself.
func (s SessionTimes) Expired(now time.Time) bool {
	return now.Sub(s.CreatedAt) >= SessionLife || now.Sub(s.LastSeenAt) >= SessionIdle
}

// Stale tells whether a use is worth writing.
func (s SessionTimes) Stale(now time.Time) bool { return now.Sub(s.LastSeenAt) >= touchEvery }
