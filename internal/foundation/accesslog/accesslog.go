// Package accesslog writes one line of JSON for each request, without making the
// request wait: if the disk is too slow, lines are dropped and counted.
package accesslog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// Entry is one request.
type Entry struct {
	Time      time.Time `json:"time"` // when it began
	RequestID string    `json:"request_id"`
	Method    string    `json:"method"`
	Route     string    `json:"route"` // the pattern that the path matches; empty if none does
	Path      string    `json:"path"`  // without query and secrets
	Status    int       `json:"status"`
	Bytes     int64     `json:"bytes"` // of the response's body
	Micros    int64     `json:"duration_us"`
	Address   string    `json:"address"` // of the client
	PartnerID string    `json:"partner_id,omitzero"`
	KeyID     string    `json:"key_id,omitzero"`    // of a signed request
	PersonID  string    `json:"person_id,omitzero"` // a user or an operator
	TraceID   string    `json:"trace_id,omitzero"`  // of a request that is recorded as a trace
}

// dropped is the line that follows entries that were dropped.
type dropped struct {
	Time    time.Time `json:"time"`
	Dropped int64     `json:"dropped"`
}

const (
	// queued is how many entries wait to be written at most.
	queued = 8192
	// flushEvery is how long a line may stay in memory.
	flushEvery = time.Second
	// closeWithin is how long Close waits for a reader of the log that takes nothing.
	closeWithin = 2 * time.Second
	// buffered is how many bytes are written at a time.
	buffered = 64 << 10
)

// Log writes entries in the background. It may be used by many goroutines. A nil Log
// writes nothing.
type Log struct {
	path    string // empty for out
	out     io.Writer
	file    *os.File // nil for out; used by run only
	log     *slog.Logger
	entries chan *Entry
	reopen  chan struct{}
	stop    chan struct{}
	ended   chan struct{} // closed when run has ended
	failing bool          // used by run only
	held    int64         // entries that are in the buffer, at least in part; used by run only
	dropped atomic.Int64  // entries that were dropped since the last line that says so

	writtenInAll, droppedInAll, failedInAll atomic.Int64 // as in Stats
}

// Stats counts entries since the log was opened.
type Stats struct {
	Written int64
	Dropped int64 // too many were waiting
	Failed  int64 // the file could not be written
}

// Stats returns the current numbers of the log.
func (l *Log) Stats() Stats {
	if l == nil {
		return Stats{}
	}
	return Stats{Written: l.writtenInAll.Load(), Dropped: l.droppedInAll.Load(), Failed: l.failedInAll.Load()}
}

// Stdout is the name of the standard output in Open.
const Stdout = "stdout"

// Open opens the file at path, or uses out if the path is Stdout. New lines come after
// those that the file has. Errors of writing are reported to log.
func Open(path string, out io.Writer, log *slog.Logger) (*Log, error) {
	l := &Log{
		path: path, out: out, log: log,
		entries: make(chan *Entry,
			queued), reopen: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{}),
	}
	if path == Stdout {
		l.path = ""
	} else if err := l.openFile(); err != nil {
		return nil, err
	}
	go l.run()
	return l, nil
}

// openFile replaces the file by the one that has the path now. It refuses a pipe, on which
// opening and writing could wait for ever.
func (l *Log) openFile() error {
	if there, err := os.Stat(l.path); err == nil && there.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		return fmt.Errorf("%s is not a file: give %s, and pipe that", l.path, Stdout)
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if l.file != nil {
		err = l.file.Close()
	}
	l.file, l.out = file, file
	return err
}

// Add writes an entry soon. It never waits: if too many entries do, it is dropped. The
// caller must not change it afterwards.
func (l *Log) Add(e *Entry) {
	select {
	case l.entries <- e:
	default:
		l.dropped.Add(1)
		l.droppedInAll.Add(1)
	}
}

// Reopen opens the file at the path again, after a program has renamed it.
func (l *Log) Reopen() {
	select {
	case l.reopen <- struct{}{}:
	default: // it is about to
	}
}

// Close writes what waits, and closes the file. It gives up what a reader does not take
// within two seconds. No entry may be added after it.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	close(l.stop)
	select {
	case <-l.ended:
	case <-time.After(closeWithin):
		l.log.Error("the access log was not taken, lines are lost")
		return nil
	}
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

func (l *Log) run() {
	defer close(l.ended)
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	writer := bufio.NewWriterSize(l.out, buffered)
	for {
		select {
		case e := <-l.entries:
			l.write(writer, e)
		case <-ticker.C:
			l.flush(writer)
		case <-l.reopen:
			l.flush(writer)
			if l.path != "" {
				l.note(l.openFile())
				writer.Reset(l.out)
			}
		case <-l.stop:
			for len(l.entries) > 0 {
				l.write(writer, <-l.entries)
			}
			if n := l.dropped.Swap(0); n > 0 {
				l.writeLine(writer, dropped{time.Now(), n}, 0)
			}
			l.flush(writer)
			return
		}
	}
}

func (l *Log) write(writer *bufio.Writer, e *Entry) {
	if n := l.dropped.Swap(0); n > 0 {
		l.writeLine(writer, dropped{e.Time, n}, 0)
	}
	l.writeLine(writer, e, 1)
}

// writeLine writes a line that stands for so many entries.
func (l *Log) writeLine(writer *bufio.Writer, value any, entries int64) {
	line, err := json.Marshal(value) // all values can be
	if err == nil {
		line = terminal.CleanJSON(line) // a path may hold anything
		_, err = writer.Write(append(line, '\n'))
	}
	if err == nil && writer.Buffered() <= len(line) { // the lines before it are in the file
		l.writtenInAll.Add(l.held)
		l.held = 0
	}
	if l.held += entries; err != nil {
		l.fail(writer, err)
	}
}

func (l *Log) flush(writer *bufio.Writer) {
	if writer.Buffered() > 0 {
		if err := writer.Flush(); err != nil {
			l.fail(writer, err)
			return
		}
		l.note(nil)
	}
	l.writtenInAll.Add(l.held)
	l.held = 0
}

// fail gives up what the writer holds: it would return the same error for ever.
func (l *Log) fail(writer *bufio.Writer, err error) {
	l.note(err)
	writer.Reset(l.out)
	l.failedInAll.Add(l.held)
	l.held = 0
}

// note logs when writing begins to fail, and when it works again.
func (l *Log) note(err error) {
	switch {
	case err != nil && !l.failing && !errors.Is(err, os.ErrClosed):
		l.log.Error("the access log cannot be written, lines are lost", "error", err)
	case err == nil && l.failing:
		l.log.Info("the access log can be written again")
	}
	l.failing = err != nil
}
