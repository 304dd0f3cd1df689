package signin

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// ruleFreshness is how long rules are used before they are read again, so that a
// change on another node takes effect within 5 s.
const ruleFreshness = 4 * time.Second

// Rules says which roles must have a second factor. It may be used by many goroutines.
type Rules struct {
	Store  Store
	Roles  map[Kind][]string // that each kind has
	Now    func() time.Time
	Random io.Reader

	mu     sync.Mutex
	known  Required  // guarded by mu
	readAt time.Time // guarded by mu
}

// Required lists the roles of each kind that must have a second factor.
type Required map[Kind][]string

// require reports whether a role must have a second factor.
func (r *Rules) require(ctx context.Context, kind Kind, role string) (bool, error) {
	known, err := r.Get(ctx)
	return slices.Contains(known[kind], role), err
}

// Get returns the rules.
func (r *Rules) Get(ctx context.Context) (Required, error) {
	r.mu.Lock()
	known, age := r.known, r.Now().Sub(r.readAt)
	r.mu.Unlock()
	if known != nil && age >= 0 && age < ruleFreshness {
		return known, nil
	}
	began := r.Now()
	known, err := r.read(ctx)
	if err == nil {
		r.keep(known, began)
	}
	return known, err
}

func (r *Rules) read(ctx context.Context) (found Required, err error) {
	err = r.Store.Read(ctx, func(tx Reader) error {
		found, err = readRequired(ctx, tx)
		return err
	})
	return found, err
}

func readRequired(ctx context.Context, tx Reader) (Required, error) {
	return requiredOf(func(kind Kind) ([]string, error) { return tx.Required(ctx, kind) })
}

// lockRequired returns the rules, locked until the transaction ends.
func lockRequired(ctx context.Context, tx Writer) (Required, error) {
	return requiredOf(func(kind Kind) ([]string, error) { return tx.LockRequired(ctx, kind) })
}

func requiredOf(read func(Kind) ([]string, error)) (found Required, err error) {
	found = Required{}
	for _, kind := range []Kind{Operators, Users} {
		if found[kind], err = read(kind); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// keep caches rules, unless newer ones are cached already.
func (r *Rules) keep(known Required, readAt time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !readAt.Before(r.readAt) {
		r.known, r.readAt = known, readAt
	}
}

// Read reads rules.
func (r *Rules) Read(f *form.Form) Required {
	required := Required{}
	lists := f.Object("totp_required", form.Required)
	for _, kind := range []Kind{Operators, Users} {
		roles := lists.Texts(string(kind), form.Required, 0, len(r.Roles[kind]), form.OneOf(r.Roles[kind]...))
		slices.Sort(roles)
		required[kind] = slices.Compact(roles)
	}
	return required
}

// Set replaces the rules. They take effect on this node before Set returns, and on others
// within 5 s.
func (r *Rules) Set(ctx context.Context, wanted Required) (Required, error) {
	return r.SetFrom(ctx, nil, wanted)
}

// SetFrom does the same, but refuses with form.ErrStale unless the rules are the basis of
// the change.
func (r *Rules) SetFrom(ctx context.Context, basis form.Basis[Required], wanted Required) (Required, error) {
	at := timestamp.Truncate(r.Now())
	entry, err := audit.NewEntry(ctx, r.Random, at, audit.ActionRulesChanged)
	if err != nil {
		return nil, err
	}
	err = r.Store.Write(ctx, func(tx Writer) error {
		before, err := lockRequired(ctx, tx)
		if err == nil {
			err = basis.Check(before)
		}
		if err != nil || maps.EqualFunc(before, wanted, slices.Equal) {
			return err
		}
		for kind, roles := range wanted {
			if err := tx.SetRequired(ctx, kind, roles); err != nil {
				return err
			}
		}
		entry.Before, entry.After = before, wanted
		return tx.AddAudit(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	r.keep(wanted, r.Now())
	return wanted, nil
}
