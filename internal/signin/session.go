package signin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Session is a login in a browser. It is stored under the hash of its token, so that read
// access to the database does not suffice to take it over.
type Session struct {
	TokenHash []byte
	SessionID string // names the session where its token must not be seen
	PersonID  string
	PartnerID string // empty for an operator
	credential.Origin
	Vouched bool // an OpenID provider vouched for the person, instead of a password
	credential.SessionTimes
	Holder Holder // nil in the list of a person's sessions
}

// Holder is the person of a session, as the room knows the person that manages such people:
// a *partner.Member or an *operator.Operator.
type Holder interface {
	// Actor returns what the person's authority rests on.
	Actor() actor.Person
	// DisplayName returns what pages call the person.
	DisplayName() string
}

// Actor returns the holder as an actor who has shown the session's token.
func (s *Session) Actor() *actor.Actor {
	return &actor.Actor{Person: s.Holder.Actor(), Credential: actor.Credential{Session: string(s.TokenHash)}}
}

// Caller returns the holder, who calls from an address.
func (s *Session) Caller(address string) Caller {
	by := s.Holder.Actor()
	return Caller{PersonID: by.PersonID, Role: by.Role, Session: s.TokenHash, Address: address}
}

// Admission refuses a person who has changed since the password was verified, and one whose
// code is missing or wrong. The person stays locked until the transaction ends.
type Admission func(ctx context.Context, tx Entrance) error

// Enter verifies what a person signs in with. Then it runs enter, which begins a transaction,
// and admit as the first thing in it. Enter refuses with unauthorized, with rate_limited after
// too many failures from the address or for the account (see credential.Gate), with forbidden
// if the partner or the operator may not use the service, and as enter does.
func (s *Service) Enter(
	ctx context.Context, with Credentials, address string, enter func(p *Person, admit Admission) error,
) error {
	p, err := s.byPassword(ctx, with.Email, with.Password, address)
	if err != nil {
		return err
	}
	err = enter(p, func(ctx context.Context, tx Entrance) error {
		if err := s.letIn(ctx, tx, p); err != nil {
			return err
		}
		return s.config.Factors.Check(ctx, tx, p.PersonID, with.Code)
	})
	if errors.Is(err, ErrCodeWrong) { // counts as a failed login
		s.gate.Failed(ctx, credential.Attempt{Account: p.EmailKey, PersonID: p.PersonID, Address: address})
	}
	return err
}

// byPassword returns the person with an e-mail address and password.
func (s *Service) byPassword(ctx context.Context, email, password, address string) (*Person, error) {
	found, account := (*Person)(nil), ""
	if delivery.EmailRule.Allows(email) {
		account = emailKey(email)
	}
	if account != "" && credential.KnownPasswordRule.Allows(password) {
		err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
			found, err = tx.PersonByEmail(ctx, account)
			return err
		})
		if err != nil {
			return nil, err
		}
	} else {
		password = "" // never valid; the text may be too large to hash
	}
	p := cmp.Or(found, &Person{})
	err := s.gate.Verify(ctx, credential.Attempt{
		Account: account, PersonID: p.PersonID, Address: address, Password: password, Hash: p.PasswordHash,
	})
	if err == nil {
		err = s.config.MayUse(ctx, p.PartnerID)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// letIn refuses unless a person is still the one that a password was verified for: the
// password may have been changed, or the person removed or deactivated, meanwhile.
func (s *Service) letIn(ctx context.Context, tx Entrance, verified *Person) error {
	now, err := tx.LockPerson(ctx, verified.PersonID)
	if err == nil && (now == nil || now.Inactive || now.PasswordHash != verified.PasswordHash) {
		err = s.way.changed
	}
	return err
}

// ByPassword returns the person with an e-mail address and password, also as an actor who has
// shown the password. It refuses as Enter does.
func (s *Service) ByPassword(
	ctx context.Context, email, password, address string,
) (holder Holder, by *actor.Actor, err error) {
	p, err := s.byPassword(ctx, email, password, address)
	if err != nil {
		return nil, nil, err
	}
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		holder, err = tx.Holder(ctx, p.PersonID)
		return err
	})
	if err == nil && holder == nil {
		err = s.way.changed
	}
	if err != nil {
		return nil, nil, err
	}
	return holder, &actor.Actor{Person: holder.Actor(), Credential: actor.Credential{Password: p.PasswordHash}}, nil
}

// Login begins a session, and returns it with its token. The person's oldest session ends if
// there are credential.MaxSessions. It refuses as Enter does.
func (s *Service) Login(
	ctx context.Context, with Credentials, from credential.Origin,
) (session *Session, token string, err error) {
	err = s.Enter(ctx, with, from.Address, func(p *Person, admit Admission) error {
		session, token, err = s.begin(ctx, p, from, false, admit)
		return err
	})
	return session, token, err
}

// LoginVouched begins a session of a person for whom an OpenID provider vouches, which asks
// for second factors itself. It refuses with forbidden if the partner may not use the service,
// and with unauthorized or forbidden a person who has changed meanwhile.
func (s *Service) LoginVouched(
	ctx context.Context, p *Person, from credential.Origin,
) (session *Session, token string, err error) {
	if err := s.config.MayUse(ctx, p.PartnerID); err != nil {
		return nil, "", err
	}
	return s.begin(ctx, p, from, true, func(ctx context.Context, tx Entrance) error { return s.letIn(ctx, tx, p) })
}

func (s *Service) begin(
	ctx context.Context, p *Person, from credential.Origin, vouched bool, admit Admission,
) (*Session, string, error) {
	token, err := credential.Token(s.config.Random, "")
	if err != nil {
		return nil, "", err
	}
	now := s.now()
	session := &Session{
		TokenHash: credential.HashToken(token), PersonID: p.PersonID, PartnerID: p.PartnerID,
		Origin: from, Vouched: vouched, SessionTimes: credential.NewSessionTimes(now),
	}
	if session.SessionID, err = identifier.New(s.config.Random, "ses_"); err != nil {
		return nil, "", err
	}
	noted, err := s.noteSession(ctx, audit.ActionSessionBegun, p.PersonID)
	if err != nil {
		return nil, "", err
	}
	// A login ends sessions that have not been used for long.
	if err := s.uses.Flush(ctx); err != nil {
		return nil, "", err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		// Locks the person, so that logins at the same moment see each other's sessions.
		if err := admit(ctx, tx); err != nil {
			return err
		}
		if err := s.makeRoom(ctx, tx, p.PersonID); err != nil {
			return err
		}
		if err := tx.AddSession(ctx, session); err != nil {
			return err
		}
		login := &Login{PersonID: p.PersonID, PartnerID: p.PartnerID, Email: p.Email, From: from, At: now}
		if err := (Devices{s.config.Post}).Note(ctx, tx, login); err != nil {
			return err
		}
		if session.Holder, err = tx.Holder(ctx, p.PersonID); err != nil {
			return err
		}
		return tx.AddAudit(ctx, noted...)
	})
	if err != nil {
		return nil, "", err
	}
	return session, token, nil
}

// noteSession returns an entry of the audit log about the session of an operator. Those of
// partners' people begin and end without one.
func (s *Service) noteSession(ctx context.Context, action audit.Action, personID string) ([]*audit.Entry, error) {
	if s.config.Kind != Operators {
		return nil, nil
	}
	entry, err := s.note(audit.ActingAs(ctx, personID), action, &Person{PersonID: personID}, nil, nil)
	return []*audit.Entry{entry}, err
}

// makeRoom ends sessions so that a person, who is locked, may begin another: those that have
// expired, and the oldest of the others.
func (s *Service) makeRoom(ctx context.Context, tx Writer, personID string) error {
	now := s.config.Aged()
	if s.config.Kind == Operators { // who are few, so that each login can end what has expired
		if err := endExpired(ctx, tx, now); err != nil {
			return err
		}
	}
	kept, err := tx.SessionsOf(ctx, personID)
	if err != nil {
		return err
	}
	valid := 0
	for _, session := range slices.Backward(kept) {
		if !session.Expired(now) && valid < credential.MaxSessions-1 {
			valid++
		} else if _, err := tx.Logout(ctx, session.TokenHash); err != nil {
			return err
		}
	}
	return nil
}

func endExpired(ctx context.Context, tx Writer, now time.Time) error {
	return tx.EndSessions(ctx, now.Add(-credential.SessionLife), now.Add(-credential.SessionIdle))
}

// BySession returns a session, given its token; nil if there is none, it has expired, or its
// person may not use the service.
func (s *Service) BySession(ctx context.Context, token string) (session *Session, err error) {
	if token == "" {
		return nil, nil
	}
	hash := credential.HashToken(token)
	noted := s.uses.Seen(hash, time.Time{}) // before the read, which finds what is written meanwhile
	err = s.config.Store.Read(ctx, func(tx Reader) error {
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
	if err := s.config.MayUse(ctx, session.PartnerID); err != nil {
		if refusal.HasCode(err, refusal.CodeForbidden) {
			err = nil
		}
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
	return s.config.Store.Write(ctx, func(tx Writer) error {
		for _, use := range uses {
			if err := tx.TouchSession(ctx, use.TokenHash, use.At); err != nil {
				return err
			}
		}
		return nil
	})
}

// Logout ends a session, if there is one.
func (s *Service) Logout(ctx context.Context, token string) error {
	if token == "" {
		return nil
	}
	return s.config.Store.Write(ctx, func(tx Writer) error {
		personID, err := tx.Logout(ctx, credential.HashToken(token))
		if err != nil || personID == "" {
			return err
		}
		noted, err := s.noteSession(ctx, audit.ActionSessionEnded, personID)
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, noted...)
	})
}

// sweepEvery is how often expired sessions and links, which are refused in any case,
// devices of long ago, and counts of logins that are at rest are removed.
const sweepEvery = time.Hour

// Tidy writes when sessions were last used and, now and then, removes expired sessions, and,
// of both kinds of people, expired links, devices of long ago, and the counts of logins that
// are at rest.
func (s *Service) Tidy(ctx context.Context) error {
	s.tidying.Lock()
	defer s.tidying.Unlock()
	if err := s.uses.Flush(ctx); err != nil {
		return err
	}
	now := s.config.Aged()
	if now.Sub(s.swept) < sweepEvery {
		return nil
	}
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		if err := endExpired(ctx, tx, now); err != nil {
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

// Sessions lists the sessions of a person that have not expired, oldest first.
func (s *Service) Sessions(ctx context.Context, personID string) (found []*Session, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.SessionsOf(ctx, personID)
		return err
	})
	for _, session := range found {
		session.LastSeenAt = s.uses.Seen(session.TokenHash, session.LastSeenAt)
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
