package portal

import "github.com/dropyard/dropyard/internal/web/page"

// Input returns a required field of a form: its name, the phrase of its label, the type
// of its input, and what browsers fill in.
func (s *sheet) Input(name, label, kind, autocomplete string) page.Field {
	return page.Field{Name: name, Label: s.text(label), Type: kind, Autocomplete: autocomplete, Required: true}
}

// Hinted returns a field with a hint, given as a phrase.
func (s *sheet) Hinted(f page.Field, hint string) page.Field {
	f.Hint = s.text(hint)
	return f
}
