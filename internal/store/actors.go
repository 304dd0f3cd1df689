package store

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
)

// shown is the hash of the token of a session, or of a bearer token.
type shown struct{ hash []byte }

var (
	byTokenHash = db.Key(db.Blob("token_hash", func(s *shown) *[]byte { return &s.hash }))

	operatorActors = operators.Pick("operator_id", "role", "courier_id", "active")
	userActors     = users.Pick("user_id", "partner_id", "role", "password_hash")
	sessionActors  = sessions.Pick("token_hash", "user_id")
	deskActors     = operatorSessions.Pick("token_hash", "operator_id")
	tokenActors    = operatorTokens.Pick("token_hash", "operator_id")
	partnerActors  = partnerSettings.Pick("partner_id", "suspended_at", "pending_since")

	readActors = newActorLookups(db.NoLock, db.NoLock)
	// lockActors keeps what actors rest on until the transaction ends. Roles change, and
	// people are deactivated, by updates; sessions and tokens end by being deleted, and are
	// updated at every use.
	lockActors = newActorLookups(db.ForShare, db.ForKeyShare)
)

// actorLookups reads what the authority of actors rests on.
type actorLookups struct {
	operators *db.Lookup[*string, *operator.Account]
	users     *db.Lookup[*string, *partner.Account]
	sessions  *db.Lookup[*shown, *signin.Session]
	desks     *db.Lookup[*shown, *signin.Session] // the sessions of operators
	tokens    *db.Lookup[*shown, *operator.Token]
	settings  *db.Lookup[*string, *settingsRow] // of the partners of users
}

func newActorLookups(people, credentials db.Lock) actorLookups {
	return actorLookups{
		operators: db.LookUpSome(db.ByID("operator_id"), operators, operatorActors).Locked(people),
		users:     db.LookUpSome(db.ByID("user_id"), users, userActors).Locked(people),
		sessions:  db.LookUpSome(byTokenHash, sessions, sessionActors).Locked(credentials),
		desks:     db.LookUpSome(byTokenHash, operatorSessions, deskActors).Locked(credentials),
		tokens:    db.LookUpSome(byTokenHash, operatorTokens, tokenActors).Locked(credentials),
		settings:  db.LookUpSome(db.ByID("partner_id"), partnerSettings, partnerActors).Locked(people),
	}
}

// actorKeys are the rows that actors rest on.
type actorKeys struct {
	operators, users, partners []string
	sessions, desks, tokens    []shown
}

func keysOfActors(actors []*actor.Actor) (k actorKeys) {
	for _, a := range actors {
		if a.Kind == actor.User {
			k.users, k.partners = append(k.users, a.PersonID), append(k.partners, a.PartnerID)
		} else {
			k.operators = append(k.operators, a.PersonID)
		}
		switch {
		case a.Token != "":
			k.tokens = append(k.tokens, shown{[]byte(a.Token)})
		case a.Session != "" && a.Kind == actor.User:
			k.sessions = append(k.sessions, shown{[]byte(a.Session)})
		case a.Session != "":
			k.desks = append(k.desks, shown{[]byte(a.Session)})
		}
	}
	return k
}

// foundActors is what a pipeline will have found of actors.
type foundActors struct {
	operators *db.Found[*operator.Account]
	users     *db.Found[*partner.Account]
	sessions  *db.Found[*signin.Session]
	desks     *db.Found[*signin.Session]
	tokens    *db.Found[*operator.Token]
	settings  *db.Found[*settingsRow]
}

// find queues the look-ups of actors. Without any it queues nothing.
func (l *actorLookups) find(p *db.Pipeline, actors []*actor.Actor) foundActors {
	keys := keysOfActors(actors)
	return foundActors{
		settings:  db.Find(p, l.settings, keys.partners),
		operators: db.Find(p, l.operators, keys.operators),
		users:     db.Find(p, l.users, keys.users),
		sessions:  db.Find(p, l.sessions, keys.sessions),
		desks:     db.Find(p, l.desks, keys.desks),
		tokens:    db.Find(p, l.tokens, keys.tokens),
	}
}

func (f foundActors) after(done db.Flushed) *actor.Standing {
	s := actor.NewStanding()
	for _, row := range f.operators.After(done) {
		if row.Active {
			s.People[row.OperatorID] = row.Actor()
		}
	}
	for _, row := range f.users.After(done) {
		s.People[row.UserID], s.Passwords[row.UserID] = row.Actor(), row.PasswordHash
	}
	for _, row := range slices.Concat(f.sessions.After(done), f.desks.After(done)) {
		s.Sessions[string(row.TokenHash)] = row.PersonID
	}
	for _, row := range f.tokens.After(done) {
		s.Tokens[string(row.TokenHash)] = row.OperatorID
	}
	for _, row := range f.settings.After(done) {
		s.Suspended[row.partnerID] = row.Refusal() != nil
	}
	return s
}

// now looks actors up at once.
func (l *actorLookups) now(ctx context.Context, c db.Conn, actors ...*actor.Actor) (*actor.Standing, error) {
	p := db.NewPipeline(c)
	queued := l.find(p, actors)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	return queued.after(done), nil
}

// actorLocker is a transaction of a package that changes the rows of people themselves. It
// locks those first that it would otherwise have to lock after reading the actor: two
// transactions that share a row and both want to change it wait for each other.
type actorLocker interface {
	lockFirst(ctx context.Context, by *actor.Actor) error
}

// admit refuses the actor that a context carries, if it carries one, unless the actor may
// still act. Until the transaction ends nothing can change that.
func admit(ctx context.Context, c db.Conn, tx any) error {
	by := actor.Of(ctx)
	if by == nil {
		return nil
	}
	if first, is := tx.(actorLocker); is {
		if err := first.lockFirst(ctx, by); err != nil {
			return err
		}
	}
	standing, err := lockActors.now(ctx, c, by)
	if err != nil {
		return err
	}
	return standing.Refusal(by)
}

// Standing returns what is found of actors now. It locks nothing.
func (s *Store) Standing(ctx context.Context, actors []*actor.Actor) (standing *actor.Standing, err error) {
	err = s.Read(ctx, func(c db.Conn) error {
		standing, err = readActors.now(ctx, c, actors...)
		return err
	})
	return standing, err
}

// unattended is the store of a package that counts and keeps what happens, for all callers
// together: it has no actor, although the context of a request may carry one.
type unattended[R, W any] struct{ view[R, W] }

// Write runs fn in a transaction, as view.Write does.
func (u unattended[R, W]) Write(ctx context.Context, fn func(W) error) error {
	return u.view.Write(actor.Without(ctx), fn)
}
