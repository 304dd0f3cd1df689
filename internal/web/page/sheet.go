package page

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/web"
)

// Sheet is a request with what a package needs to respond to it.
type Sheet struct {
	*web.PageRequest
	Site     *Site
	Language Language
}

// Sheet returns the sheet of a visit.
func (s *Site) Sheet(v *web.PageRequest) Sheet { return Sheet{v, s, s.Language(v, "")} }

// At returns the sheet as if the page at a path had been asked for. Forms whose own path
// has no page are answered with it.
func (s Sheet) At(path string) Sheet {
	asked := *s.PageRequest
	asked.Request = s.Request.Clone(s.Context())
	asked.Request.URL.Path = path
	s.PageRequest = &asked
	return s
}

// Mode returns the mode of the account that the page shows; live on pages of operators.
func (s Sheet) Mode() delivery.Mode { return delivery.ModeOf(s.Account) }

// Text returns a phrase in the reader's language.
func (s Sheet) Text(key string, arguments ...any) string { return s.Language.Text(key, arguments...) }

// LeadTo leads to another page, which shows a message; an empty message shows nothing.
func (s Sheet) LeadTo(path string, message Flash) (int, []byte, error) {
	if message.Key != "" {
		s.Site.SetFlash(s.PageRequest, message)
	}
	s.Header.Set("Location", path)
	return http.StatusSeeOther, nil, nil
}

// Address returns a path with parameters, which are pairs of name and value. Those without
// a value are left out.
func Address(path string, parameters ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// VersionOf returns a number that differs when a form shows other values, for records
// that have no version of their own.
func VersionOf(values ...string) int64 {
	digest := sha256.Sum256(fmt.Appendf(nil, "%q", values))
	return int64(binary.BigEndian.Uint64(digest[:])>>1) | 1 // 0 is a form without a version
}

// Input returns a required field of a form: its name, the phrase of its label, the type
// of its input, and what browsers fill in.
func (s Sheet) Input(name, label, kind, autocomplete string) Field {
	return Field{Name: name, Label: s.Text(label), Type: kind, Autocomplete: autocomplete, Required: true}
}

// Hinted returns a field with a hint, given as a phrase.
func (s Sheet) Hinted(f Field, hint string) Field {
	f.Hint = s.Text(hint)
	return f
}

// Nearest returns the path that a page belongs to: the longest of paths that its own
// begins with; empty if there is none.
func Nearest(path string, paths ...string) (longest string) {
	for _, candidate := range paths {
		within := path == candidate || strings.HasPrefix(path, candidate+"/")
		if within && len(candidate) > len(longest) {
			longest = candidate
		}
	}
	return longest
}
