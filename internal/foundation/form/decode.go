package form

import "slices"

// Decode reads a command from the root of a document. The error lists all faults that read
// has found in it; a root that is not an object is one fault. A command that embeds Faults
// holds them itself, and the error is nil.
func Decode[C any](root Source, read func(*Form) C) (C, error) {
	var problems Problems
	command := read(New(root, &problems))
	if len(problems) == 0 {
		return command, nil
	}
	keeping := command // so that commands without faults need not be on the heap
	if k, keeps := any(&keeping).(keeper); keeps {
		k.keep(problems)
		return keeping, nil
	}
	return command, problems.Err()
}

// keeper is a pointer to a command that embeds Faults.
type keeper interface{ keep(found Problems) }

// Faults are those of a command whose use case refuses them, because what it looks up goes
// before them or adds to them.
type Faults struct{ found Problems }

// Problems returns what Decode has found, to which the use case may add.
func (f *Faults) Problems() Problems { return slices.Clip(f.found) }

func (f *Faults) keep(found Problems) { f.found = found }
