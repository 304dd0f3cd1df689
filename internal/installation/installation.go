// Package installation describes a running installation for its admins, why it is not
// ready, and the lineage of its database, by which copies and older states are noticed.
package installation

import "time"

// Reason says why the service is not ready.
type Reason struct {
	Reason  string `json:"reason"` // one of a few words, which the OpenAPI document lists
	Message string `json:"message"`
}

// Words are all that Reason.Reason can be.
var Words = []string{
	"draining", "database_unfit", "not_writable", "not_readable", "schema_old", "clock_off", "orders_stuck",
	"sender_stuck", "disk_full", "disk_low", "log_large",
}

// State describes an installation for its admins. It holds no secret and no path.
type State struct {
	Version       string    `json:"version"`
	Commit        *string   `json:"commit"` // null if the program was built without it
	GoVersion     string    `json:"go_version"`
	TimeZones     TimeZones `json:"time_zones"`
	StartedAt     time.Time `json:"started_at"`
	UptimeSeconds int64     `json:"uptime_seconds"`
	Engine        string    `json:"engine"` // sqlite, postgres or citus
	SchemaVersion int64     `json:"schema_version"`
	Nodes         []Node    `json:"nodes"` // the one that answers first, then the others by when they were seen
	Queues        Queues    `json:"queues"`
	Disks         []Disk    `json:"disks"`
	// of the embedded database's write-ahead log; null with PostgreSQL
	LogBytes        *int64 `json:"log_bytes"`
	LogPendingBytes *int64 `json:"log_pending_bytes"` // of it, not yet in the database file
	// of the last good backup; null if there is none, and with PostgreSQL
	LastBackupAt *time.Time `json:"last_backup_at"`
	Backups      *Backups   `json:"backups"` // that the service makes; null if it makes none
	Exports      *Exports   `json:"exports"` // that the service writes; null if it writes none
	// why data does not age by the clock of the node that answers; null if it does
	ClockDoubt *ClockDoubt `json:"clock_doubt"`
	Held       *Hold       `json:"held"`     // why no webhooks and mails are sent; null if they are
	Problems   []Reason    `json:"problems"` // why the node that answers is not ready; usually none
}

// ClockDoubt says why data does not age by a node's clock. Nothing is removed for its age by
// that clock until then.
type ClockDoubt struct {
	// OffSeconds is how far the clock is ahead of the latest time in the store; negative if
	// it is behind.
	OffSeconds int64 `json:"off_seconds"`
	// Refused means that the clock has to be set right, or that an admin has to accept it.
	Refused bool `json:"refused"`
	// WaitSeconds is how long it takes until data ages by the clock; 0 if Refused.
	WaitSeconds int64  `json:"wait_seconds"`
	Message     string `json:"message"`
}

// TimeZones are the data by which the node that answers finds local times.
type TimeZones struct {
	Version string `json:"version"` // of the IANA time zone database, such as 2026f
	Source  string `json:"source"`  // program or system
	Old     bool   `json:"old"`     // they may be more than a year old
}

// Node is a node that shares the database.
type Node struct {
	NodeID    string    `json:"node_id"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	SeenAt    time.Time `json:"seen_at"`
	Answers   bool      `json:"answers"` // it is the one that answers
}

// Queues is what waits on the node that answers.
type Queues struct {
	EventsReady    int `json:"events_ready"`     // may be sent as soon as their endpoint allows
	EventsUnderWay int `json:"events_under_way"` // are being sent
	EventsWaiting  int `json:"events_waiting"`   // wait for another event of their order
	OutcomesToSave int `json:"outcomes_to_save"` // of requests to endpoints
	// PartnersBlocked are those whose orders wait because other transactions have locked
	// their rows.
	PartnersBlocked int `json:"partners_blocked"`
}

// Disk is the disk of a directory that the node writes to.
type Disk struct {
	Holds      string `json:"holds"` // data or proofs
	FreeBytes  int64  `json:"free_bytes"`
	TotalBytes int64  `json:"total_bytes"`
}
