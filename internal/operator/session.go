package operator

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/signin"
)

// Login begins a session in a browser, and returns its token. The operator's oldest
// session ends if there are credential.MaxSessions. Login refuses as IssueToken does.
func (s *Service) Login(ctx context.Context, with signin.Credentials, from credential.Origin) (*Operator, string, error) {
	in := login{Credentials: with, from: from}
	found, err := s.byPassword(ctx, in)
	if err != nil {
		return nil, "", err
	}
	token, err := s.begin(ctx, found, in)
	if err != nil {
		return nil, "", s.refused(ctx, in, found, err)
	}
	return &found.Operator, token, nil
}

func (s *Service) begin(ctx context.Context, operator *Account, in login) (string, error) {
	token, err := credential.Token(s.config.Random, "")
	if err != nil {
		return "", err
	}
	now := s.now()
	session := &Session{TokenHash: credential.HashToken(token), Operator: operator.Operator, Origin: in.from, Vouched: in.vouched, SessionTimes: credential.NewSessionTimes(now)}
	if session.SessionID, err = identifier.New(s.config.Random, "ses_"); err != nil {
		return "", err
	}
	entry, err := s.note(audit.ActingAs(ctx, operator.OperatorID), audit.ActionSessionBegun, operator.OperatorID, nil, nil)
	if err != nil {
		return "", err
	}
	// A login ends sessions that have not been used for long.
	if err := s.uses.Flush(ctx); err != nil {
		return "", err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		if err := s.letIn(ctx, tx, operator, in); err != nil {
			return err
		}
		// There are few operators, so that each login can remove what has expired.
		aged := s.config.Aged()
		if err := tx.EndSessions(ctx, aged.Add(-credential.SessionLife), aged.Add(-credential.SessionIdle)); err != nil {
			return err
		}
		if err := endSurplus(ctx, tx, operator.OperatorID, aged); err != nil {
			return err
		}
		if err := tx.AddSession(ctx, session); err != nil {
			return err
		}
		if err := s.config.Devices.Note(ctx, tx, &signin.Login{PersonID: operator.OperatorID, Email: operator.Email, From: in.from, At: now}); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	return token, err
}

// endSurplus makes room for another session. The caller has locked the operator.
func endSurplus(ctx context.Context, tx Writer, operatorID string, now time.Time) error {
	kept, err := tx.SessionsOf(ctx, operatorID)
	if err != nil {
		return err
	}
	for _, session := range credential.Surplus(kept, now) {
		if _, err := tx.EndSession(ctx, session.TokenHash); err != nil {
			return err
		}
	}
	return nil
}

// BySession returns a session with its operator, given its token; nil if there is no
// such session, it has expired, or the operator is not active.
func (s *Service) BySession(ctx context.Context, token string) (*Session, error) {
	if token == "" {
		return nil, nil
	}
	hash := credential.HashToken(token)
	noted := s.uses.Seen(hash, time.Time{}) // before the read, which finds what is written meanwhile
	var session *Session
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		session, err = tx.Session(ctx, hash)
		return err
	})
	if err != nil || session == nil {
		return nil, err
	}
	if noted.After(session.LastSeenAt) {
		session.LastSeenAt = noted
	}
	now := s.now()
	if session.Expired(now) {
		return nil, nil
	}
	if session.Stale(now) {
		s.uses.Note(hash, now)
	}
	return session, nil
}

// saveUses writes when sessions were last used.
func (s *Service) saveUses(ctx context.Context, uses []credential.SessionUse) error {
	ctx = actor.Without(ctx) // they are those of several people
	return s.config.Store.Write(ctx, func(tx Writer) error { return credential.SaveUses(ctx, tx, uses) })
}

// Logout ends a session, if there is one.
func (s *Service) Logout(ctx context.Context, token string) error {
	if token == "" {
		return nil
	}
	return s.config.Store.Write(ctx, func(tx Writer) error {
		operatorID, err := tx.EndSession(ctx, credential.HashToken(token))
		if err != nil || operatorID == "" {
			return err
		}
		entry, err := s.note(audit.ActingAs(ctx, operatorID), audit.ActionSessionEnded, operatorID, nil, nil)
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
}
