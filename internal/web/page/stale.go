package page

import (
	"cmp"
	"time"

	"github.com/dropyard/dropyard/internal/web"
)

// Change is the latest change of an object, as a reader may know it.
type Change struct {
	PersonID string // who made it
	Name     string // of that person; empty for an operator if the reader is not one
	At       time.Time
}

// LastChange returns the latest change of an object for the reader of a page; nil if it is
// not known.
type LastChange func(v *web.PageRequest, objectID string) (*Change, error)

// Stale leads to a page whose form was sent after another person had changed what it
// shows. Given the id of the object, the message says who did, and when.
func (s Sheet) Stale(path string, objectID ...string) (int, []byte, error) {
	found, err := s.lastChange(objectID)
	if err != nil {
		return 0, nil, err
	}
	if found == nil {
		return s.LeadTo(path, Flash{Key: "form.stale", Danger: true})
	}
	return s.LeadTo(path,
		Flash{Key: "form.stale.by", Arguments: []string{"who", s.who(found), "when", s.when(found)}, Danger: true})
}

// LastChange says who has changed an object last, and when; empty if that is not known, or
// was the reader.
func (s Sheet) LastChange(objectID string) (string, error) {
	found, err := s.lastChange([]string{objectID})
	if err != nil || found == nil {
		return "", err
	}
	return s.Text("form.changed", "who", s.who(found), "when", s.when(found)), nil
}

// lastChange returns the latest change of an object by another person; nil if it is not
// known.
func (s Sheet) lastChange(objectID []string) (*Change, error) {
	if len(objectID) == 0 || s.Site.config.LastChange == nil {
		return nil, nil
	}
	found, err := s.Site.config.LastChange(s.PageRequest, objectID[0])
	if err != nil || found == nil || found.PersonID == s.PersonID {
		return nil, err
	}
	return found, nil
}

func (s Sheet) who(c *Change) string { return cmp.Or(c.Name, s.Text("form.changed.by_house")) }

func (s Sheet) when(c *Change) string { return s.Language.Relative(c.At, s.Site.Now()) }
