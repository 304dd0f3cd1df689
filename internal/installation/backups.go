package installation

import "time"

// Backups describes the backups that the service makes of its embedded database.
type Backups struct {
	KeptIn string `json:"kept_in"` // directory or bucket
	Keep   int    `json:"keep"`    // how many are kept
	// when the next one is due; null if they are made only when they are asked for
	NextAt       *time.Time `json:"next_at"`
	RunningSince *time.Time `json:"running_since"` // null if none is being made
	Last         *Backup    `json:"last"`          // the latest one that was tried; null before the first
	Kept         []Backup   `json:"kept"`          // the latest first
}

// Backup is a backup that was tried.
type Backup struct {
	Name    string    `json:"name"`
	BegunAt time.Time `json:"begun_at"`
	Seconds float64   `json:"seconds"` // that it took
	Bytes   int64     `json:"bytes"`   // 0 if it failed
	Error   *string   `json:"error"`   // why it failed; null if it is good
}
