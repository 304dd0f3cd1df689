package exports

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dropyard/dropyard/internal/foundation/date"
)

// errForeign means that the place has files of a day that this database has not exported.
var errForeign = errors.New("the place has a manifest of this day already, which this database has not written; it was restored, or another installation exports to the same place: set --export-to to another folder or prefix")

// export exports one day. After a crash it goes on where it was: rows that were sealed stay so, and files are written
// again unless they are complete, with their manifest.
func (s *Service) export(ctx context.Context, on, first date.Day) error {
	folder, err := s.config.Place.Prepare()
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	day, previous, err := s.find(ctx, on)
	if err != nil {
		return err
	}
	there, digest, err := s.readManifest(ctx, on)
	if err != nil {
		return err
	}
	if there != nil && (day == nil || !there.SealedAt.Equal(day.SealedAt)) {
		return errForeign
	}
	if day == nil {
		day = &Day{Day: on}
		if err := s.held(ctx, func(tx Writer) error { return tx.SaveDay(ctx, day) }); err != nil {
			return err
		}
	}
	if day.SealedAt.IsZero() {
		if err := s.seal(ctx, day, first); err != nil {
			return err
		}
	}
	if there == nil {
		there = s.manifest(day, previous)
		if there.Files, err = s.write(ctx, folder, on); err != nil {
			return err
		}
		if err := s.hold(ctx); err != nil {
			return err
		}
		if digest, err = s.putManifest(ctx, folder, there); err != nil {
			return err
		}
	} else if err := s.keep(ctx, func(ctx context.Context) error { return s.checkFiles(ctx, there) }); err != nil {
		return err
	}
	return s.end(ctx, day, there, digest)
}

// find returns a day, and the one before it that was exported; nil if there is none.
func (s *Service) find(ctx context.Context, on date.Day) (day, previous *Day, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if day, err = tx.Day(ctx, on); err == nil {
			previous, err = tx.Day(ctx, on-1)
		}
		return err
	})
	return day, previous, err
}

// manifest returns the manifest of a day, without its files. It has no time but those that were settled before, so
// that the same rows give the same bytes.
func (s *Service) manifest(day, previous *Day) *Manifest {
	m := &Manifest{
		SchemaVersion: SchemaVersion, Day: day.Day, TimeZone: s.config.Zone.String(), SealedAt: day.SealedAt,
		Personal: s.config.Personal,
	}
	m.From, m.To = s.span(day.Day)
	if previous != nil {
		m.Previous = &Previous{previous.Day, previous.Digest}
	}
	return m
}

// end notes that a day was exported.
func (s *Service) end(ctx context.Context, day *Day, m *Manifest, digest string) error {
	day.DoneAt, day.Digest, day.Files, day.Bytes, day.Contents = s.now(), digest, int64(len(m.Files)), 0, m.Files
	for _, file := range m.Files {
		day.Bytes += file.Bytes
	}
	if err := s.held(ctx, func(tx Writer) error { return tx.SaveDay(ctx, day) }); err != nil {
		return fmt.Errorf("note that the day was exported: %w", err)
	}
	s.config.Log.Info("a day was exported", "day", day.Day.String(), "place", s.Place(), "bytes", day.Bytes)
	return nil
}
