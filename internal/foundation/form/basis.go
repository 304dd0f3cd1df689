package form

import "github.com/dropyard/dropyard/internal/foundation/refusal"

// Basis reports whether a record is still as it was when a person began to change it. Nil
// admits every record. It is called in the transaction of the change, with the record
// locked, so that of several changes with the same basis one is made.
type Basis[R any] func(now R) bool

// ErrStale means that a record has changed since a change of it was begun.
var ErrStale = refusal.New(refusal.CodeConflict, "the record has changed meanwhile")

// Check refuses with ErrStale unless the record is the basis.
func (b Basis[R]) Check(now R) error {
	if b != nil && !b(now) {
		return ErrStale
	}
	return nil
}
