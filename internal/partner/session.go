package partner

import (
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signin"
)

// sweepEvery is how often expired sessions and links, which are refused in any case,
// devices of long ago, and counts of logins that are at rest are removed.
const sweepEvery = time.Hour

// Login begins a session of a user, and returns its token. The user's oldest session ends
// if there are credential.MaxSessions. Login refuses with unauthorized, or with
// rate_limited after too many failures from the address or for the user.
func (s *Service) Login(ctx context.Context, with signin.Credentials, from credential.Origin) (member *Member, token string, err error) {
	verified, member, err := s.verify(ctx, with.Email, with.Password, from.Address)
	if err != nil {
		return nil, "", err
	}
	token, err = s.begin(ctx, verified, member, with.Code, from)
	if errors.Is(err, signin.ErrCodeWrong) { // counts as a failed login
		s.gate.Failed(ctx, credential.Attempt{Account: verified.EmailKey, PersonID: verified.UserID, Address: from.Address})
	}
	if err != nil {
		return nil, "", err
	}
	return member, token, nil
}

func (s *Service) begin(ctx context.Context, verified *Account, member *Member, code string, from credential.Origin) (token string, err error) {
	if token, err = credential.Token(s.config.Random, ""); err != nil {
		return "", err
	}
	now := s.now()
	session := &Session{TokenHash: credential.HashToken(token), Member: *member, Origin: from, SessionTimes: credential.NewSessionTimes(now)}
	if session.SessionID, err = identifier.New(s.config.Random, "ses_"); err != nil {
		return "", err
	}
	// A login ends sessions that have not been used for long.
	if err := s.uses.Flush(ctx); err != nil {
		return "", err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		// Locked, so that logins at the same moment see each other's sessions.
		if err := letIn(ctx, tx, verified); err != nil {
			return err
		}
		if err := s.config.Factors.Check(ctx, tx, verified.UserID, code); err != nil {
			return err
		}
		if err := endSurplus(ctx, tx, &member.User, s.config.Aged()); err != nil {
			return err
		}
		if err := tx.AddSession(ctx, session); err != nil {
			return err
		}
		return s.config.Devices.Note(ctx, tx, &signin.Login{PersonID: verified.UserID, PartnerID: verified.PartnerID, Email: verified.Email, From: from, At: now})
	})
	return token, err
}

var errSignIn = refusal.New(refusal.CodeUnauthorized, "the account has changed; log in again")

// letIn refuses unless the user is still the one that a password was verified for:
// the password may have been changed, or the user removed, meanwhile. The user stays
// locked until the transaction ends.
func letIn(ctx context.Context, tx Writer, verified *Account) error {
	now, err := tx.LockUser(ctx, verified.UserID)
	if err == nil && (now == nil || now.PasswordHash != verified.PasswordHash) {
		err = errSignIn
	}
	return err
}

// endSurplus makes room for another session. The caller has locked the user.
func endSurplus(ctx context.Context, tx Writer, user *User, now time.Time) error {
	kept, err := tx.SessionsOf(ctx, user.PartnerID, user.UserID)
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

// ByPassword returns the user with this e-mail address and password. It refuses with
// unauthorized, with rate_limited after too many failures (see credential.Gate), or
// with forbidden if the partner is suspended or awaits approval.
func (s *Service) ByPassword(ctx context.Context, email, password, address string) (*Member, error) {
	_, member, err := s.verify(ctx, email, password, address)
	return member, err
}

// ActorByPassword is ByPassword, and also returns the user as an actor who has shown the
// password.
func (s *Service) ActorByPassword(ctx context.Context, email, password, address string) (*Member, *actor.Actor, error) {
	verified, member, err := s.verify(ctx, email, password, address)
	if err != nil {
		return nil, nil, err
	}
	return member, &actor.Actor{Person: member.User.Actor(), Credential: actor.Credential{Password: verified.PasswordHash}}, nil
}

// verify is ByPassword, and also returns what the password was compared with.
func (s *Service) verify(ctx context.Context, email, password, address string) (*Account, *Member, error) {
	key, account, member := emailKey(email), &Account{}, &Member{}
	if key != "" && credential.KnownPasswordRule.Allows(password) {
		err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
			account, member, err = findMember(ctx, tx, key)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	} else {
		password = "" // never valid; the text may be too large to hash
	}
	err := s.gate.Verify(ctx, credential.Attempt{Account: key, PersonID: account.UserID, Address: address, Password: password, Hash: account.PasswordHash})
	if err == nil {
		err = s.mayUse(ctx, account.PartnerID)
	}
	if err != nil {
		return nil, nil, err
	}
	return account, member, nil
}

// findMember returns the user with an e-mail address; zero values if there is none.
func findMember(ctx context.Context, tx Reader, emailKey string) (*Account, *Member, error) {
	account, err := tx.Account(ctx, emailKey)
	if err != nil || account == nil {
		return &Account{}, &Member{}, err
	}
	partner, err := tx.Partner(ctx, account.PartnerID)
	if err != nil || partner == nil {
		return &Account{}, &Member{}, err
	}
	return account, &Member{*partner, account.User}, nil
}

// BySession returns a session, given its token; nil if there is none or it has
// expired.
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
	// It may have begun while the account was being suspended.
	if settings, err := s.Settings(ctx, session.Partner.PartnerID); err != nil || settings.Refusal() != nil {
		return nil, err
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
	return s.config.Store.Write(ctx, func(tx Writer) error { return tx.EndSession(ctx, credential.HashToken(token)) })
}

// sweep removes expired sessions and links, devices of long ago, operators' included, and
// the counts of logins that are at rest. The caller holds tidying.
func (s *Service) sweep(ctx context.Context) error {
	now := s.config.Aged()
	if now.Sub(s.swept) < sweepEvery {
		return nil
	}
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		begun, seen := expiry(now)
		if err := tx.EndSessions(ctx, begun, seen); err != nil {
			return err
		}
		if err := tx.RemoveOldDevices(ctx, now.Add(-credential.DeviceLife)); err != nil {
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
