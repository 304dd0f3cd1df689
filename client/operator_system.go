package client

import (
	"context"
	"net/http"
	"time"
)

// ExportPartner returns everything that is stored for a partner, as JSON Lines. The
// service may take up to 10 minutes.
func (o *Operator) ExportPartner(ctx context.Context, partnerID string, options ...CallOption) ([]byte, error) {
	return content(fetch[[]byte](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/partners/{id}/export", id: partnerID, accept: "application/jsonl", safe: true,
	}, options))
}

// ErasureRequest chooses the orders of which a recipient's personal data is removed:
// either OrderIDs or Recipient.
type ErasureRequest struct {
	OrderIDs  []string `json:"order_ids,omitempty"` // 1 to 500
	Recipient string   `json:"recipient,omitempty"` // an e-mail address: all orders to or from it
	Force     bool     `json:"force,omitempty"`     // also orders under way, which then cannot be delivered
}

// Erasure says what was erased.
type Erasure struct {
	OrdersErased    int  `json:"orders_erased"`
	PicturesPending bool `json:"pictures_pending"` // the service deletes the rest of the proofs' pictures within two hours
}

// ErasePartnerOrders removes a recipient's personal data from orders. It cannot be undone.
// If one of the orders is under way, it is refused with [CodeConflict] unless Force is set,
// and nothing is erased.
func (o *Operator) ErasePartnerOrders(
	ctx context.Context, partnerID string, request ErasureRequest, options ...CallOption,
) (*Erasure, error) {
	return fetch[Erasure](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/partners/{id}/erasures", id: partnerID, body: request, keyed: true},
		options)
}

// Engine is a kind of database.
type Engine string

// The kinds of databases.
const (
	EngineSQLite   Engine = "sqlite" // embedded, for one node
	EnginePostgres Engine = "postgres"
	EngineCitus    Engine = "citus" // PostgreSQL on several servers
)

// DiskUse is what a disk is used for.
type DiskUse string

// The uses of disks.
const (
	DiskData   DiskUse = "data"   // the database
	DiskProofs DiskUse = "proofs" // pictures of proofs of delivery
)

// System describes an installation.
type System struct {
	Version       string          `json:"version"`
	Commit        string          `json:"commit"` // empty if it is not known
	GoVersion     string          `json:"go_version"`
	TimeZones     SystemTimeZones `json:"time_zones"`
	StartedAt     time.Time       `json:"started_at"` // of the node that answers
	UptimeSeconds int64           `json:"uptime_seconds"`
	Engine        Engine          `json:"engine"`
	SchemaVersion int64           `json:"schema_version"`
	Nodes         []SystemNode    `json:"nodes"` // the one that answers first
	Queues        SystemQueues    `json:"queues"`
	Disks         []SystemDisk    `json:"disks"`
	// of the embedded database's log; nil with PostgreSQL
	LogBytes        *int64    `json:"log_bytes,omitempty"`
	LogPendingBytes *int64    `json:"log_pending_bytes,omitempty"` // of it, not in the database file yet
	LastBackupAt    time.Time `json:"last_backup_at,omitzero"`     // zero if there is none, and with PostgreSQL
	Backups         *Backups  `json:"backups,omitempty"`           // that the service makes; nil if it makes none
	Exports         *Exports  `json:"exports,omitempty"`           // that the service writes; nil if it writes none
	// why data does not age by the clock of the node that answers; nil if it does
	ClockDoubt *ClockDoubt     `json:"clock_doubt,omitempty"`
	Held       *Hold           `json:"held,omitempty"` // why no webhooks and mails are sent; nil if they are
	Problems   []SystemProblem `json:"problems"`       // why the node that answers is not ready
}

// SystemTimeZones are the data by which the node that answers finds local times.
type SystemTimeZones struct {
	Version string         `json:"version"` // of the IANA time zone database, such as 2026f
	Source  TimeZoneSource `json:"source"`
	Old     bool           `json:"old"` // they may be more than a year old
}

// TimeZoneSource is where time zone data are from.
type TimeZoneSource string

// The sources of time zone data.
const (
	TimeZonesOfProgram TimeZoneSource = "program" // the program carries them
	TimeZonesOfSystem  TimeZoneSource = "system"  // newer data of the machine
)

// ClockDoubt says why data does not age by a node's clock.
type ClockDoubt struct {
	// how far the clock is ahead of the latest time in the store; negative if behind
	OffSeconds  int64  `json:"off_seconds"`
	Refused     bool   `json:"refused"`      // the clock has to be set right, or accepted by AcceptClock
	WaitSeconds int64  `json:"wait_seconds"` // until data ages by the clock; 0 if refused
	Message     string `json:"message"`
}

// Hold means that no webhooks and mails are sent until [Operator.Resume]. They wait.
type Hold struct {
	Since   time.Time  `json:"since"`
	Reason  HoldReason `json:"reason"`
	Message string     `json:"message"`
}

// HoldReason says why webhooks and mails are held.
type HoldReason string

// The reasons for a hold.
const (
	HoldRestored HoldReason = "restored" // a backup was restored
	HoldCopied   HoldReason = "copied"   // the database was filled by dropyard copy
	HoldOlder    HoldReason = "older"    // the database is older than it was when the node last ran
	HoldMoved    HoldReason = "moved"    // the data come from another PostgreSQL database
	HoldAsked    HoldReason = "asked"    // a start with --hold
)

// SystemNode is a node that shares the database.
type SystemNode struct {
	NodeID    string    `json:"node_id"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	SeenAt    time.Time `json:"seen_at"`
	Answers   bool      `json:"answers"` // it is the one that answers
}

// SystemQueues is what waits on the node that answers.
type SystemQueues struct {
	EventsReady    int `json:"events_ready"`     // may be sent as soon as their endpoint allows
	EventsUnderWay int `json:"events_under_way"` // are being sent
	EventsWaiting  int `json:"events_waiting"`   // wait for another event of their order
	OutcomesToSave int `json:"outcomes_to_save"` // of requests to endpoints
	// PartnersBlocked are those whose orders wait because other transactions have locked
	// their rows.
	PartnersBlocked int `json:"partners_blocked"`
}

// SystemDisk is the disk of a directory that the node writes to.
type SystemDisk struct {
	Holds      DiskUse `json:"holds"`
	FreeBytes  int64   `json:"free_bytes"`
	TotalBytes int64   `json:"total_bytes"`
}

// SystemProblem is a reason for which a node is not ready.
type SystemProblem struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// GetSystem describes the installation: its version, nodes, database and disks, and what
// waits.
func (o *Operator) GetSystem(ctx context.Context, options ...CallOption) (*System, error) {
	return fetch[System](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/system"}, options)
}

// AcceptClock has data age by the clock of the node that answers, which the service doubted,
// and returns the installation.
func (o *Operator) AcceptClock(ctx context.Context, options ...CallOption) (*System, error) {
	return fetch[System](ctx, o, operation{method: http.MethodPost, path: "/ops/v1/system/accept-clock", keyed: true},
		options)
}

// Resume has webhooks and mails sent again that are held after a restore or a copy of the
// database, and returns the installation.
func (o *Operator) Resume(ctx context.Context, options ...CallOption) (*System, error) {
	return fetch[System](ctx, o, operation{method: http.MethodPost, path: "/ops/v1/system/resume", keyed: true}, options)
}

// BeginBackup begins a backup of the embedded database, and returns the installation before its end. It fails with
// [CodeConflict] while another one is being made, and if the service makes no backups.
func (o *Operator) BeginBackup(ctx context.Context, options ...CallOption) (*System, error) {
	return fetch[System](ctx, o, operation{method: http.MethodPost, path: "/ops/v1/system/backup", keyed: true}, options)
}

// Backups describes the backups that the service makes of its embedded database.
type Backups struct {
	KeptIn       BackupPlace `json:"kept_in"`
	Keep         int         `json:"keep"`                   // how many are kept
	NextAt       time.Time   `json:"next_at,omitzero"`       // zero if they are made only when they are asked for
	RunningSince time.Time   `json:"running_since,omitzero"` // zero if none is being made
	Last         *Backup     `json:"last,omitempty"`         // the latest that was tried; nil before the first
	Kept         []Backup    `json:"kept"`                   // the latest first
}

// BackupPlace is where backups are kept.
type BackupPlace string

// The places of backups.
const (
	BackupsInDirectory BackupPlace = "directory"
	BackupsInBucket    BackupPlace = "bucket"
)

// Backup is a backup that was tried.
type Backup struct {
	Name    string    `json:"name"`
	BegunAt time.Time `json:"begun_at"`
	Seconds float64   `json:"seconds"` // that it took
	Bytes   int64     `json:"bytes"`
	Error   string    `json:"error,omitempty"` // why it failed; empty if it is good
}
