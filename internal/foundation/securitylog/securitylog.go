// Package securitylog writes events that can be part of an attack into the log, and
// bounds how many, so that an attack cannot fill the disk.
package securitylog

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Event names what has happened.
type Event string

// The events. docs/security.md describes each.
const (
	SignInFailed        Event = "sign_in_failed"
	SignInThrottled     Event = "sign_in_throttled"
	CodeRefused         Event = "code_refused"
	LinkRefused         Event = "link_refused"
	SignatureUnknownKey Event = "signature_unknown_key"
	SignatureForged     Event = "signature_forged"
	SignatureStale      Event = "signature_stale"
	SignatureReplayed   Event = "signature_replayed"
	SignatureWeak       Event = "signature_weak"
	AccessRefused       Event = "access_refused"
	CrossSiteRefused    Event = "cross_site_refused"
	ConnectionsRefused  Event = "connections_refused"
)

// Events lists all events.
var Events = []Event{
	SignInFailed, SignInThrottled, CodeRefused, LinkRefused, SignatureUnknownKey, SignatureForged, SignatureStale,
	SignatureReplayed, SignatureWeak, AccessRefused, CrossSiteRefused, ConnectionsRefused,
}

// Message is the message of every line that a Log writes.
const Message = "security event"

// PerSecond is how many lines of each event are written within a second.
const PerSecond = 10

// Log writes events. It may be used by many goroutines. A nil Log writes nothing.
type Log struct {
	log     *slog.Logger
	now     func() time.Time
	observe func(Event)

	mu     sync.Mutex
	counts map[Event]*count // guarded by mu
}

// count is how often an event has been reported.
type count struct {
	second  int64 // since 1970
	written int   // in that second
	left    int64 // out, since the last line that was written
}

// New returns a Log that writes to another. It calls observe with each event, also with
// those that are not written; nil observes nothing.
func New(log *slog.Logger, now func() time.Time, observe func(Event)) *Log {
	if observe == nil {
		observe = func(Event) {}
	}
	return &Log{log: log, now: now, observe: observe, counts: map[Event]*count{}}
}

// Report writes an event with what is known of it: a name and a value each. Values that
// are empty texts are left out. If PerSecond lines of the event have been written in
// this second, it is counted instead; the next line of the event says how many were.
func (l *Log) Report(ctx context.Context, event Event, known ...string) {
	if l == nil {
		return
	}
	l.observe(event)
	left, ok := l.admit(event)
	if !ok {
		return
	}
	attributes := make([]slog.Attr, 0, 2+len(known)/2)
	attributes = append(attributes, slog.String("event", string(event)))
	for i := 0; i+1 < len(known); i += 2 {
		if known[i+1] != "" {
			attributes = append(attributes, slog.String(known[i], known[i+1]))
		}
	}
	if left > 0 {
		attributes = append(attributes, slog.Int64("not_written", left))
	}
	l.log.LogAttrs(ctx, slog.LevelWarn, Message, attributes...)
}

// admit reports whether an event may be written, and how many were not since the last
// one that was.
func (l *Log) admit(event Event) (left int64, ok bool) {
	second := l.now().Unix()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.counts[event]
	if c == nil {
		c = &count{}
		l.counts[event] = c
	}
	if c.second != second {
		c.second, c.written = second, 0
	}
	if c.written >= PerSecond {
		c.left++
		return 0, false
	}
	c.written++
	left, c.left = c.left, 0
	return left, true
}

// Close writes how many events were not written since the last line of each.
func (l *Log) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, event := range Events {
		if c := l.counts[event]; c != nil && c.left > 0 {
			l.log.Warn("security events not written", "event", string(event), "not_written", c.left)
			c.left = 0
		}
	}
}
