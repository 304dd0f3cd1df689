package exports

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/date"
)

// seal settles which rows are in the files of a day: those that were recorded before its end and are in the files of
// no other day. A row that is committed later is in those of the next one. After a crash it goes on: rows that were
// sealed stay so.
func (s *Service) seal(ctx context.Context, day *Day, first date.Day) error {
	var partners []string
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		partners, err = tx.Partners(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, partnerID := range partners {
		for _, source := range Sources {
			period := Period{Source: source, PartnerID: partnerID, From: s.begins(first), To: s.begins(day.Day + 1)}
			if err := s.sealRows(ctx, day.Day, period); err != nil {
				return err
			}
		}
	}
	return s.held(ctx, func(tx Writer) error {
		day.SealedAt = s.now()
		return tx.SaveDay(ctx, day)
	})
}

// sealRows settles it for a source of a partner. What was exported long ago is forgotten, and not read again.
func (s *Service) sealRows(ctx context.Context, day date.Day, period Period) (err error) {
	var old string
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if period.Floor, err = tx.Floor(ctx, period.Source, period.PartnerID); err == nil {
			old, err = tx.Greatest(ctx, period.Source, period.PartnerID, day-remembered)
		}
		return err
	})
	if err != nil {
		return err
	}
	if old != "" {
		period.Floor = max(period.Floor, old)
		if err := s.raise(ctx, day, period); err != nil {
			return err
		}
	}
	if err := s.sealPages(ctx, day, period); err != nil {
		return err
	}
	var complete string
	if err := s.config.Store.Read(ctx, func(tx Reader) error {
		complete, err = tx.Complete(ctx, period)
		return err
	}); err != nil || complete <= period.Floor {
		return err
	}
	period.Floor = complete
	return s.raise(ctx, day, period)
}

// raise notes the floor of a period, and forgets the rows up to it that were exported long ago.
func (s *Service) raise(ctx context.Context, day date.Day, period Period) error {
	return s.held(ctx, func(tx Writer) error {
		return tx.Raise(ctx, period.Source, period.PartnerID, period.Floor, day-remembered)
	})
}

// sealPages seals the rows of a period page by page.
func (s *Service) sealPages(ctx context.Context, day date.Day, period Period) (err error) {
	for {
		begun := s.config.Now()
		var keys []string
		if err := s.config.Store.Read(ctx, func(tx Reader) error {
			keys, err = tx.Unsealed(ctx, period, sealSize)
			return err
		}); err != nil || len(keys) == 0 {
			return err
		}
		rows := make([]RowKey, len(keys))
		for i, key := range keys {
			rows[i] = RowKey{period.PartnerID, key}
		}
		if err := s.held(ctx, func(tx Writer) error {
			return tx.Seal(ctx, day, period.Source, rows)
		}); err != nil || len(keys) < sealSize {
			return err
		}
		period.After = keys[len(keys)-1]
		if err := s.pause(ctx, s.config.Now().Sub(begun)); err != nil {
			return err
		}
	}
}

// span returns when the rows of a day were recorded that were committed in time.
func (s *Service) span(day date.Day) (from, to time.Time) { return s.begins(day), s.begins(day + 1) }
