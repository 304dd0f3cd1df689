package page

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
)

// Form is a form on a page: what its fields hold, and what is wrong with them.
type Form struct {
	Action string
	// Key is sent with the form, so that a double click or a form that is sent again
	// changes nothing twice.
	Key string
	// Version is that of the record which the form was made from, so that a stale form
	// does not overwrite what another person has changed; 0 for none.
	Version int64
	Values  url.Values
	Faults  []Fault
	// Sent is set for a form that was sent and is shown again: it holds what was typed.
	Sent bool
}

// Fault is what is wrong with a field.
type Fault struct {
	Field string
	Text  string
	Label string // of the field; empty until With has been called with it
}

// versionField is the hidden field with the version of the record.
const versionField = "_version"

// NewForm returns a form with a new key.
func (s *Site) NewForm(action string, version int64) (*Form, error) {
	var key [16]byte
	if _, err := io.ReadFull(s.config.Random, key[:]); err != nil {
		return nil, fmt.Errorf("make the key of a form: %w", err)
	}
	return &Form{Action: action, Key: hex.EncodeToString(key[:]), Version: version, Values: url.Values{}}, nil
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// LineEnds returns a text with the ends of its lines made alike.
func LineEnds(text string) string { return lineEnds.Replace(text) }

// ReadForm returns the form that a visit sent, with LineEnds: a browser sends CR LF, whatever was typed or was in a
// hidden field. It refuses a form without a key: the browser sends it with every form of this site.
func ReadForm(v *web.PageRequest) (*Form, error) {
	if _, err := v.Key(); err != nil {
		return nil, err
	}
	values := v.Request.PostForm
	for _, texts := range values {
		for i, text := range texts {
			if !utf8.ValidString(text) { // which browsers never send
				return nil, errNotUTF8
			}
			texts[i] = LineEnds(text)
		}
	}
	version, _ := strconv.ParseInt(values.Get(versionField), 10, 64)
	return &Form{
		Action: v.Request.URL.RequestURI(), Key: values.Get(web.KeyField), Version: version, Values: values, Sent: true,
	}, nil
}

// Basis returns the basis of a change that a form asks for: a record with the version that
// the form was made from.
func Basis[R any](sent *Form, version func(R) int64) form.Basis[R] {
	return func(now R) bool { return version(now) == sent.Version }
}

var errNotUTF8 = refusal.New(refusal.CodeBadRequest, "the form is not valid UTF-8")

// Typed returns what was typed, as use cases read it: fields are named by their paths in
// the command. convert returns what a text means, as form.FromValues has it; nil changes
// nothing.
func (f *Form) Typed(convert func(path, text string) string) form.Source {
	return form.FromValues(f.Values, convert)
}

// Trim is what fields mean whose white space does not matter. Passwords are not such fields.
func Trim(_, text string) string { return strings.TrimSpace(text) }

// Refuse adds the faults of a validation error to the form, in the reader's language,
// and reports whether err is one.
func (f *Form) Refuse(err error, l Language) bool {
	var refused *refusal.Error
	if !errors.As(err, &refused) || refused.Code != refusal.CodeValidation {
		return false
	}
	for _, problem := range form.ProblemsOf(err) {
		f.Faults = append(f.Faults, Fault{Field: problem.Field, Text: FaultText(problem, l)})
	}
	return len(f.Faults) > 0
}

// Field is one field of a form, as templates/components.html shows it.
type Field struct {
	Name, Label, Hint string
	// Type is that of the input element; "textarea" and "select" are elements of their own.
	Type         string
	Autocomplete string
	InputMode    string // the keyboard that phones show; may be empty
	MaxLength    int    // in characters; 0 means no limit
	Required     bool
	Options      []Option // of a select
	Value        string
	Fault        string // what is wrong; empty if nothing is
	// Fixed is set for a field that cannot be changed now: its value is shown as text.
	Fixed bool
}

// Option is one choice of a select.
type Option struct{ Value, Label string }

// With returns the field with the value that the form holds for it, and what is wrong
// with it. A password is never sent back.
func (f *Form) With(field Field) Field {
	if field.Type != "password" {
		field.Value = f.Values.Get(field.Name)
	}
	for i, fault := range f.Faults {
		if fault.Field == field.Name {
			field.Fault, f.Faults[i].Label = fault.Text, cmp.Or(field.Label, fault.Label)
		}
	}
	return field
}
