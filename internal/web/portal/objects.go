package portal

import (
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/web/page"
)

// objectOf returns members as the JSON object that a use case reads.
func objectOf(members map[string]any) (form.Source, error) {
	text, err := strictjson.Marshal(members)
	if err != nil { // a browser sends valid UTF-8
		return nil, refusal.New(refusal.CodeBadRequest, "the form is not valid UTF-8")
	}
	return strictjson.Parse(text)
}

// textsOf returns the named fields of a form that was sent.
func textsOf(f *page.Form, names ...string) map[string]any {
	members := map[string]any{}
	for _, name := range names {
		members[name] = f.Values.Get(name)
	}
	return members
}

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
