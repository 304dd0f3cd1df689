package form

import "slices"

// Merged returns an object as a merge patch changes it (RFC 7396), without copying either:
// members of the patch replace those of the object, those that are null remove them, and
// objects are merged. The members that whole names, by their path such as a.b, are replaced
// whole, byte for byte, as arrays always are.
func Merged(object, patch Source, whole ...string) Source {
	return &merged{object: object, patch: patch, whole: whole}
}

type merged struct {
	object, patch Source
	path          string
	whole         []string
}

func (m *merged) Kind() Kind         { return Object }
func (m *merged) Elements() []Source { return nil }
func (m *merged) Text() string       { return "" }
func (m *merged) Raw() []byte        { return nil }

func (m *merged) Names() []string {
	names := append(slices.Clone(m.object.Names()), m.patch.Names()...)
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return m.Member(name).Kind() == Absent })
}

func (m *merged) Member(name string) Source {
	object, patch := m.object.Member(name), m.patch.Member(name)
	path := name
	if m.path != "" {
		path = m.path + "." + name
	}
	switch patch.Kind() {
	case Absent:
		return object
	case Null:
		return removed{}
	case Object:
		if !slices.Contains(m.whole, path) {
			if object.Kind() != Object {
				object = removed{}
			}
			return &merged{object, patch, path, m.whole}
		}
		return patch
	default:
		return patch
	}
}

// removed is a member that is not there.
type removed struct{}

func (removed) Kind() Kind           { return Absent }
func (removed) Member(string) Source { return removed{} }
func (removed) Names() []string      { return nil }
func (removed) Elements() []Source   { return nil }
func (removed) Text() string         { return "" }
func (removed) Raw() []byte          { return nil }
