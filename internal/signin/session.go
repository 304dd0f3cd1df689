package signin

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Sessions lists the sessions of a person that have not expired, oldest first.
func (s *Service) Sessions(ctx context.Context, personID string) (found []*Session, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.SessionsOf(ctx, personID)
		return err
	})
	for _, session := range found {
		session.LastSeenAt = s.config.Uses.Seen(session.TokenHash, session.LastSeenAt)
	}
	now := s.now()
	return slices.DeleteFunc(found, func(session *Session) bool { return session.Expired(now) }), err
}

// EndSession ends one of the caller's sessions. It refuses with not_found.
func (s *Service) EndSession(ctx context.Context, by Caller, sessionID string) error {
	return s.end(ctx, by, func(tx Writer) (int64, error) {
		ended, err := tx.EndSession(ctx, by.PersonID, sessionID)
		if err == nil && !ended {
			err = refusal.NotFound("the session")
		}
		return 1, err
	})
}

// EndOtherSessions ends all sessions of the caller but the one that the request came
// in, and returns how many it ended.
func (s *Service) EndOtherSessions(ctx context.Context, by Caller) (ended int64, err error) {
	err = s.end(ctx, by, func(tx Writer) (int64, error) {
		ended, err = tx.EndSessionsOf(ctx, by.PersonID, by.Session)
		return ended, err
	})
	return ended, err
}

func (s *Service) end(ctx context.Context, by Caller, end func(Writer) (int64, error)) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		p, err := tx.Person(ctx, by.PersonID)
		if err != nil {
			return err
		}
		if p == nil {
			return errGone
		}
		ended, err := end(tx)
		if err != nil {
			return err
		}
		entry, err := s.note(ctx, audit.ActionSessionEnded, p, nil, endedFacts{ended})
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
}
