package partner

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// sweepEvery is how often expired sessions and links, which are refused in any case, and
// counts of logins that are at rest are removed.
const sweepEvery = time.Hour

// Login begins a session, given an account's e-mail address and password, and
// returns its token. The account's oldest session ends if it has
// credential.MaxSessions. Login refuses with validation_error, with unauthorized, or with
// rate_limited after too many failures from the address or for the account.
func (s *Service) Login(ctx context.Context, root form.Source, address string) (partner *Partner, token string, err error) {
	var problems form.Problems
	f := form.New(root, &problems)
	email := f.Text("email", form.Required, delivery.EmailRule)
	password := f.Secret("password", form.Required, credential.KnownPasswordRule)
	if err := problems.Err(); err != nil {
		return nil, "", err
	}
	if partner, err = s.ByPassword(ctx, email, password, address); err != nil {
		return nil, "", err
	}
	token, err = s.begin(ctx, partner)
	return partner, token, err
}

func (s *Service) begin(ctx context.Context, partner *Partner) (token string, err error) {
	if token, err = credential.Token(s.config.Random, ""); err != nil {
		return "", err
	}
	now := s.now()
	session := &Session{TokenHash: credential.HashToken(token), Partner: *partner, SessionTimes: credential.NewSessionTimes(now)}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		// Locked, so that logins at the same moment see each other's sessions.
		if err := tx.LockAccount(ctx, partner.PartnerID); err != nil {
			return err
		}
		if err := endSurplus(ctx, tx, partner.PartnerID, now); err != nil {
			return err
		}
		return tx.AddSession(ctx, session)
	})
	return token, err
}

// endSurplus makes room for another session. The caller has locked the account.
func endSurplus(ctx context.Context, tx Writer, partnerID string, now time.Time) error {
	kept, err := tx.SessionsOf(ctx, partnerID)
	if err != nil {
		return err
	}
	for _, session := range credential.Surplus(kept, now) {
		if err := tx.EndSession(ctx, session.TokenHash); err != nil {
			return err
		}
	}
	return nil
}

// ByPassword returns the partner with this e-mail address and password. It refuses
// with unauthorized, with rate_limited after too many failures (see
// credential.Gate), or with forbidden if the account is suspended or awaits
// approval.
func (s *Service) ByPassword(ctx context.Context, email, password, address string) (*Partner, error) {
	key, account := emailKey(email), &Account{}
	if key != "" && credential.KnownPasswordRule.Allows(password) {
		err := s.config.Store.Read(ctx, func(tx Reader) error {
			found, err := tx.Account(ctx, key)
			if found != nil {
				account = found
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	} else {
		password = "" // never valid; the text may be too large to hash
	}
	err := s.gate.Verify(ctx, credential.Attempt{Account: key, Address: address, Password: password, Hash: account.PasswordHash})
	if err == nil {
		err = s.mayUse(ctx, account.PartnerID)
	}
	if err != nil {
		return nil, err
	}
	return &account.Partner, nil
}

// BySession returns the partner of a session, given its token; nil if there is no
// such session or it has expired.
func (s *Service) BySession(ctx context.Context, token string) (*Partner, error) {
	if token == "" {
		return nil, nil
	}
	hash := credential.HashToken(token)
	var session *Session
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		session, err = tx.Session(ctx, hash)
		return err
	})
	now := s.now()
	if err != nil || session == nil || session.Expired(now) {
		return nil, err
	}
	// It may have begun while the account was being suspended.
	if settings, err := s.Settings(ctx, session.Partner.PartnerID); err != nil || settings.Refusal() != nil {
		return nil, err
	}
	if session.Stale(now) {
		err = s.config.Store.Write(ctx, func(tx Writer) error { return tx.TouchSession(ctx, hash, now) })
	}
	return &session.Partner, err
}

// Logout ends a session, if there is one.
func (s *Service) Logout(ctx context.Context, token string) error {
	if token == "" {
		return nil
	}
	return s.config.Store.Write(ctx, func(tx Writer) error { return tx.EndSession(ctx, credential.HashToken(token)) })
}

// sweep removes expired sessions and links, and the counts of logins that are at rest.
// The caller holds tidying.
func (s *Service) sweep(ctx context.Context) error {
	now := s.now()
	if now.Sub(s.swept) < sweepEvery {
		return nil
	}
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		begun, seen := expiry(now)
		if err := tx.EndSessions(ctx, begun, seen); err != nil {
			return err
		}
		return tx.RemoveExpiredLinks(ctx, now)
	})
	if err == nil {
		err = s.gate.Sweep(ctx)
	}
	if err == nil {
		s.swept = now
	}
	return err
}
