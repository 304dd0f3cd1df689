// Package backups makes backups of the embedded database at a time of day and when an admin asks for one, and
// keeps the latest of them.
package backups

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
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
	// ID is the same for the same place, with whatever credentials it is used.
	ID() string
	// Prepare makes the place ready, and removes what a crash has left of a backup that was being made.
	Prepare() error
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
	Daily   time.Time // the next time of the schedule; zero without one
	Next    time.Time // when the next one is due, which is sooner after a failure; zero without a schedule
	Last    *Made     // nil before the first
	Kept    []Made    // those of the present place, the latest first
}

// record is what the file holds.
type record struct {
	Place string            `json:"place"` // the ID of the one that was used last
	Since time.Time         `json:"since"` // when that place was used first; no backup was due before
	Last  *Made             `json:"last"`
	Kept  map[string][]Made `json:"kept"` // by the ID of their place, the latest last
}

// Retry is how long after a failure a service with a schedule tries again.
const Retry = time.Hour

// Service makes backups, one at a time. Many goroutines may use it.
type Service struct {
	config Config
	ctx    context.Context // ends with Close
	stop   context.CancelFunc
	work   sync.WaitGroup
	ended  chan struct{} // holds one element after the end of a backup

	mu      sync.Mutex
	record  record    // guarded by mu
	running time.Time // guarded by mu; zero if no backup is being made
}

// Open prepares the place, and reads what is known of earlier backups. A file that cannot be read is as good as none:
// the backups that it names are then not removed.
func Open(config Config) (*Service, error) {
	if err := config.Place.Prepare(); err != nil {
		return nil, err
	}
	s := &Service{config: config, ended: make(chan struct{}, 1)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.read()
	if here := config.Place.ID(); s.record.Place != here {
		s.leave(here)
	}
	return s, nil
}

// Latest returns the latest backup that a service with this Config.File has made, or tried to make; nil if there
// is none.
func Latest(file string) (*Made, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found record
	if err == nil {
		err = strictjson.Unmarshal(text, &found)
	}
	return found.Last, err
}

func (s *Service) read() {
	text, err := os.ReadFile(s.config.File)
	if err == nil {
		err = strictjson.Unmarshal(text, &s.record)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.config.Log.Warn("the list of backups cannot be read; earlier backups are not removed", "error", err)
		s.record = record{}
	}
	if s.record.Kept == nil {
		s.record.Kept = map[string][]Made{}
	}
}

// leave notes that backups are kept in another place from now on, and logs those that stay in former ones. If a
// former place is used again, its backups are known.
func (s *Service) leave(here string) {
	for place, kept := range s.record.Kept {
		if place == here || len(kept) == 0 {
			continue
		}
		names := make([]string, len(kept))
		for i, made := range kept {
			names[i] = made.Name
		}
		s.config.Log.Warn("backups are kept in another place; those of the former one stay there until you remove them",
			"former_place", place, "place", here, "names", names)
	}
	s.record.Place, s.record.Since = here, s.config.Now()
	s.write(s.record)
}

// Run makes backups as the schedule says, until Close. One that was due while the service was down is made now.
func (s *Service) Run() {
	if s.config.Schedule == nil {
		return
	}
	s.work.Go(func() {
		for {
			select {
			case <-s.config.At(s.State().Next):
				s.attempt()
			case <-s.ended: // one that an admin asked for, and that may have failed
			case <-s.ctx.Done():
				return
			}
		}
	})
}

// Due returns when the next backup is made, given the last one that was begun, or nil and since when there could have
// been one.
func (s *Schedule) Due(last *Made, since, now time.Time) time.Time {
	next := s.Next(now)
	if last != nil {
		since = last.At
	}
	if since.Before(s.Latest(now)) {
		return now
	}
	if again := since.Add(Retry); last != nil && last.Error != "" && again.Before(next) {
		return again
	}
	return next
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
	state := State{Running: s.running, Last: s.record.Last, Kept: slices.Clone(s.record.Kept[s.record.Place])}
	slices.Reverse(state.Kept)
	if s.config.Schedule == nil {
		return state
	}
	begun, now := s.record.Last, s.config.Now()
	if !s.running.IsZero() {
		begun = &Made{At: s.running}
	}
	state.Daily, state.Next = s.config.Schedule.Next(now), s.config.Schedule.Due(begun, s.record.Since, now)
	return state
}

// make makes the backup that was begun, and then removes the oldest ones.
func (s *Service) make() {
	s.mu.Lock()
	made, result := Made{At: s.running}, s.record
	s.mu.Unlock()
	result.Kept = maps.Clone(result.Kept)
	made.Name = made.At.UTC().Format("dropyard-2006-01-02T15-04-05Z.db")
	size, err := s.keep(made.Name)
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
		result.Kept[result.Place] = s.removeOld(append(slices.Clip(result.Kept[result.Place]), made))
	}
	result.Last = &made
	s.write(result)
	s.end(result)
}

func (s *Service) keep(name string) (bytes int64, err error) {
	if err := s.config.Place.Prepare(); err != nil {
		return 0, err
	}
	return s.config.Place.Keep(s.ctx, name, s.config.Write)
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

func (s *Service) write(result record) {
	text, err := strictjson.Marshal(result)
	if err == nil {
		err = durable.Replace(s.config.File, text)
	}
	if err != nil {
		s.config.Log.Warn("the list of backups cannot be written", "error", err)
	}
}

// end notes the result of a backup.
func (s *Service) end(result record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record, s.running = result, time.Time{}
	select {
	case s.ended <- struct{}{}:
	default: // an earlier end is not noticed yet
	}
}

// ChecksumSuffix is added to the name of a backup for the file that holds its checksum.
const ChecksumSuffix = ".sha256"

// Folder keeps backups in a folder.
type Folder string

func (f Folder) String() string { return string(f) }

// ID implements Place.
func (f Folder) ID() string {
	if absolute, err := filepath.Abs(string(f)); err == nil {
		return absolute
	}
	return string(f)
}

// unfinished matches the names of files that a crash has left of a backup in a folder.
const unfinished = "dropyard-????-??-??T??-??-??Z.db*.partial-*"

// Prepare implements Place. It makes the folder.
func (f Folder) Prepare() error {
	if err := durable.MakeFolder(string(f)); err != nil {
		return fmt.Errorf("make the folder of backups: %w", err)
	}
	left, err := fs.Glob(os.DirFS(string(f)), unfinished)
	for _, name := range left {
		err = errors.Join(err, os.Remove(f.path(name)))
	}
	return err
}

// Keep implements Place.
func (f Folder) Keep(ctx context.Context, name string, write Write) (bytes int64, err error) {
	return write(ctx, f.path(name))
}

func (f Folder) path(name string) string { return filepath.Join(string(f), name) }

// Remove implements Place.
func (f Folder) Remove(_ context.Context, name string) error {
	for _, path := range []string{f.path(name), f.path(name + ChecksumSuffix)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
