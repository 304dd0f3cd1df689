// Package backups makes backups of the embedded database at a time of day and when an admin asks for one, and
// keeps the latest of them.
package backups

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/durable"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// Place is where backups are kept.
type Place interface {
	// String names the place, without secrets.
	String() string
	// Keep has write make a backup, and keeps it under a name. The backup is complete and verified once it has
	// that name.
	Keep(ctx context.Context, name string, write Write) (bytes int64, err error)
	// Remove removes the backup with a name, if there is one.
	Remove(ctx context.Context, name string) error
}

// Write writes a verified backup to a file that does not exist yet, with its checksum beside it, and returns its
// size in bytes.
type Write func(ctx context.Context, file string) (bytes int64, err error)

// Schedule says when backups are made without being asked for.
type Schedule struct {
	Hour, Minute int
	Zone         *time.Location
}

// Latest returns the last time of the schedule that is not after another one.
func (s *Schedule) Latest(at time.Time) time.Time {
	local := at.In(s.Zone)
	due := time.Date(local.Year(), local.Month(), local.Day(), s.Hour, s.Minute, 0, 0, s.Zone)
	if due.After(at) {
		due = time.Date(local.Year(), local.Month(), local.Day()-1, s.Hour, s.Minute, 0, 0, s.Zone)
	}
	return due
}

// Next returns the first time of the schedule after another one.
func (s *Schedule) Next(at time.Time) time.Time {
	local := s.Latest(at).In(s.Zone)
	return time.Date(local.Year(), local.Month(), local.Day()+1, s.Hour, s.Minute, 0, 0, s.Zone)
}

// Config holds what a Service depends on.
type Config struct {
	Place Place
	Write Write
	// Noted is called with the time at which a backup was begun that is kept.
	Noted func(time.Time) error
	// Schedule is nil if backups are made only when they are asked for.
	Schedule *Schedule
	Keep     int // how many backups are kept, at least 1
	// File holds what the service knows of its backups. It is not part of them.
	File string
	Now  func() time.Time
	At   func(time.Time) <-chan time.Time
	Log  *slog.Logger
}

// Made is a backup that was tried.
type Made struct {
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	Seconds float64   `json:"seconds"` // that it took
	Bytes   int64     `json:"bytes"`
	Error   string    `json:"error,omitempty"` // why it was not made; empty if it was
}

// State is what is known of backups.
type State struct {
	Running time.Time // when the backup that is being made was begun; zero if none is
	Next    time.Time // when the next one is due; zero without a schedule
	Last    *Made     // nil before the first
	Kept    []Made    // the latest first
}

// record is what the file holds.
type record struct {
	Last *Made  `json:"last"`
	Kept []Made `json:"kept"` // the latest last
}

// Service makes backups, one at a time. Many goroutines may use it.
type Service struct {
	config Config
	ctx    context.Context // ends with Close
	stop   context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	record  record    // guarded by mu
	running time.Time // guarded by mu; zero if no backup is being made
}

// Open reads what is known of earlier backups. A file that cannot be read is as good as none: the backups that it
// names are then not removed.
func Open(config Config) *Service {
	s := &Service{config: config}
	s.ctx, s.stop = context.WithCancel(context.Background())
	text, err := os.ReadFile(config.File)
	if err == nil {
		err = strictjson.Unmarshal(text, &s.record)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		config.Log.Warn("the list of backups cannot be read; earlier backups are not removed", "error", err)
		s.record = record{}
	}
	return s
}

// Run makes backups as the schedule says, until Close. One that was due while the service was down is made now.
func (s *Service) Run() {
	if s.config.Schedule == nil {
		return
	}
	s.work.Go(func() {
		for {
			now := s.config.Now()
			if last := s.State().Last; last != nil && last.At.Before(s.config.Schedule.Latest(now)) {
				s.attempt()
			}
			select {
			case <-s.config.At(s.config.Schedule.Next(now)):
				s.attempt()
			case <-s.ctx.Done():
				return
			}
		}
	})
}

// Place returns the name of where backups are kept, without secrets.
func (s *Service) Place() string { return s.config.Place.String() }

// Keep returns how many backups are kept.
func (s *Service) Keep() int { return s.config.Keep }

// Close stops a backup that is being made, and waits for its end.
func (s *Service) Close() {
	s.stop()
	s.work.Wait()
}

var errRunning = refusal.New(refusal.CodeConflict, "a backup is being made already")

// Start begins a backup, and does not wait for its end. It refuses with conflict while one is being made.
func (s *Service) Start() error {
	if !s.begin() {
		return errRunning
	}
	s.work.Go(s.make)
	return nil
}

// attempt makes a backup unless one is being made.
func (s *Service) attempt() {
	if s.begin() {
		s.make()
	}
}

func (s *Service) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running.IsZero() || s.ctx.Err() != nil {
		return false
	}
	s.running = s.config.Now()
	return true
}

// State returns what is known of backups.
func (s *Service) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{Running: s.running, Last: s.record.Last, Kept: slices.Clone(s.record.Kept)}
	slices.Reverse(state.Kept)
	if s.config.Schedule != nil {
		state.Next = s.config.Schedule.Next(s.config.Now())
	}
	return state
}

// make makes the backup that was begun, and then removes the oldest ones.
func (s *Service) make() {
	s.mu.Lock()
	made, kept := Made{At: s.running}, slices.Clone(s.record.Kept)
	s.mu.Unlock()
	made.Name = made.At.UTC().Format("dropyard-2006-01-02T15-04-05Z.db")
	size, err := s.config.Place.Keep(s.ctx, made.Name, s.config.Write)
	made.Seconds = s.config.Now().Sub(made.At).Seconds()
	if err != nil {
		made.Error = err.Error()
		s.config.Log.Error("a backup failed", "place", s.config.Place.String(), "error", err)
	} else {
		made.Bytes = size
		s.config.Log.Info("a backup was made", "place", s.config.Place.String(), "name", made.Name, "bytes", made.Bytes)
		if err := s.config.Noted(made.At); err != nil {
			s.config.Log.Warn("the time of the backup cannot be noted", "error", err)
		}
		kept = s.removeOld(append(kept, made))
	}
	s.end(record{&made, kept})
}

// removeOld removes all backups but the latest, and returns those that are left.
func (s *Service) removeOld(kept []Made) (left []Made) {
	old := max(0, len(kept)-s.config.Keep)
	for _, one := range kept[:old] {
		if err := s.config.Place.Remove(s.ctx, one.Name); err != nil {
			s.config.Log.Warn("an old backup is not removed, trying again after the next", "name", one.Name, "error", err)
			left = append(left, one)
		}
	}
	return append(left, kept[old:]...)
}

// end notes the result of a backup.
func (s *Service) end(result record) {
	text, err := strictjson.Marshal(result)
	if err == nil {
		err = durable.Replace(s.config.File, text)
	}
	if err != nil {
		s.config.Log.Warn("the list of backups cannot be written", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record, s.running = result, time.Time{}
}

// ChecksumSuffix is added to the name of a backup for the file that holds its checksum.
const ChecksumSuffix = ".sha256"

// Folder keeps backups in a folder.
type Folder string

func (f Folder) String() string { return string(f) }

// Keep implements Place.
func (f Folder) Keep(ctx context.Context, name string, write Write) (bytes int64, err error) {
	if err := durable.MakeFolder(string(f)); err != nil {
		return 0, fmt.Errorf("make the folder of backups: %w", err)
	}
	return write(ctx, f.path(name))
}

// Remove implements Place.
func (f Folder) Remove(_ context.Context, name string) error { return removeBackup(f.path(name)) }

func (f Folder) path(name string) string { return string(f) + string(os.PathSeparator) + name }

// removeBackup removes a backup with its checksum.
func removeBackup(file string) error {
	for _, path := range []string{file, file + ChecksumSuffix} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
