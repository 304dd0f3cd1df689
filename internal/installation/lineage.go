package installation

import (
	"slices"
	"time"
)

// Mark is a moment in the history of a database.
type Mark struct {
	Installation string `json:"installation"` // random; the same in all copies of a database
	Epoch        string `json:"epoch"`        // random; a restore or a copy that is noticed begins another
	Beats        int64  `json:"beats"`        // counts minutes in which a service ran, within the epoch
}

// Lineage is where a database stands, and where it comes from. The database holds it, and
// each data folder the latest mark that was seen from there: so an older state of the
// database, or another copy of it, is noticed.
type Lineage struct {
	Mark
	// Place is the PostgreSQL database that holds the lineage; empty for an embedded one.
	Place string `json:"place"`
	// Earlier has the mark at which each of the earlier epochs was left, the latest last.
	Earlier []Mark `json:"earlier,omitempty"`
}

// maxEarlier bounds how many earlier epochs a lineage holds.
const maxEarlier = 100

// Knows reports whether a mark is of this lineage: the database holds all that was written
// until then, or the loss of it has been noticed.
func (l Lineage) Knows(m Mark) bool {
	if m.Installation != l.Installation {
		return false
	}
	if m.Epoch == l.Epoch {
		return m.Beats <= l.Beats
	}
	return slices.ContainsFunc(l.Earlier, func(e Mark) bool { return e.Epoch == m.Epoch })
}

// Follows reports whether this database was once in the state of the mark, and has gone on
// from there.
func (l Lineage) Follows(m Mark) bool {
	if m.Installation == "" || m.Installation != l.Installation {
		return false
	}
	return slices.ContainsFunc(append(slices.Clone(l.Earlier), l.Mark), func(e Mark) bool {
		return e.Epoch == m.Epoch && m.Beats <= e.Beats
	})
}

// Begin returns the lineage of the same installation in a new epoch.
func (l Lineage) Begin(epoch, place string) Lineage {
	next := Lineage{Mark: Mark{Installation: l.Installation, Epoch: epoch}, Place: place}
	if l.Epoch != "" {
		next.Earlier = append(slices.Clone(l.Earlier), l.Mark)
		next.Earlier = next.Earlier[max(0, len(next.Earlier)-maxEarlier):]
	}
	return next
}

// HoldReason says why webhooks and mails are held.
type HoldReason string

// The reasons for a hold.
const (
	HoldRestored HoldReason = "restored" // a backup was restored
	HoldCopied   HoldReason = "copied"   // the database was filled by a copy of another
	HoldOlder    HoldReason = "older"    // the database is older than what the data folder has seen
	HoldMoved    HoldReason = "moved"    // the database was copied by PostgreSQL's tools
	HoldAsked    HoldReason = "asked"    // a start with --hold
)

// HoldReasons are all reasons for a hold, with what each means.
var HoldReasons = map[HoldReason]string{
	HoldRestored: "a backup was restored",
	HoldCopied:   "the database is a copy of another",
	HoldOlder:    "the database is older than it was when this data folder was last used",
	HoldMoved:    "the data come from another PostgreSQL database",
	HoldAsked:    "the service was started with --hold",
}

// Hold means that no webhooks and mails are sent, until an admin resumes them. They wait.
type Hold struct {
	Since   time.Time  `json:"since"`
	Reason  HoldReason `json:"reason"`
	Message string     `json:"message"`
}
