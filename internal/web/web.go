// Package web is what the server and the pages for people share: a request for a
// page together with the person who sent it, and the rows by which pages are routed.
package web

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// PageRequest is a request for a page. Its body has been read and can be read again.
type PageRequest struct {
	// Request is not embedded: every view of a package embeds its visit, and would get all of
	// the methods of the request, which took almost half of the time to compile the pages.
	Request *http.Request
	Header  http.Header // of the response; X-Request-Id is set already
	// Principal is who is signed in: a *signin.Session.
	Principal any
	PersonID  string
	// Account is the account that a page of partners shows: the partner's, or its test
	// account.
	Account string
	Address string // the IP address of the request
	Door    Door
	// Report logs a fault of the service that does not keep the page from doing what it was asked for.
	Report func(error)
}

// Context returns the context of the request.
func (v *PageRequest) Context() context.Context { return v.Request.Context() }

// ID returns an id in the path; empty if no database accepts its text.
func (v *PageRequest) ID(name string) string {
	id := v.Request.PathValue(name)
	if !form.IsText(id) {
		return ""
	}
	return id
}

// KeyField is the field of a form whose value differs for every form that is made, so
// that a form that is sent again changes nothing twice.
const KeyField = "_key"

// formMemory is how much of a form with files is held in memory, in bytes: more than any
// body that the server takes, so that nothing is written to temporary files.
const formMemory = 64 << 20

// Key returns the key of the form that was sent. It refuses a malformed form, and one
// without a key.
func (v *PageRequest) Key() (key [16]byte, err error) {
	if strings.HasPrefix(v.Request.Header.Get("Content-Type"), "multipart/form-data") {
		err = v.Request.ParseMultipartForm(formMemory)
	} else {
		err = v.Request.ParseForm()
	}
	if err != nil {
		return key, errMalformedForm
	}
	text := v.Request.PostForm.Get(KeyField)
	if n, err := hex.Decode(key[:], []byte(text[:min(len(text), 2*len(key))])); err != nil || n != len(key) ||
		len(text) != 2*len(key) {
		return key, refusal.New(refusal.CodeBadRequest, "the form has no key")
	}
	return key, nil
}

// File returns the content of the file that a form was sent with in a field; nil if it has
// none there. It refuses a malformed form.
func (v *PageRequest) File(field string) ([]byte, error) {
	file, _, err := v.Request.FormFile(field)
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return nil, nil
	}
	if err != nil {
		return nil, errMalformedForm
	}
	content, err := io.ReadAll(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("read the file in the field %s: %w", field, err)
	}
	return content, nil
}

var errMalformedForm = refusal.New(refusal.CodeBadRequest, "the form is malformed")

// ErrShownOnce refuses a form that is sent again after it was answered with a page that
// may hold a secret, which is not kept.
var ErrShownOnce = refusal.New(refusal.CodeConflict, "this form was answered already, with a page that is shown once")

// Door is how people come in and leave: the server keeps their sessions in cookies.
type Door interface {
	// Origin returns where a login comes from.
	Origin() (credential.Origin, error)
	// SignIn keeps the token of a session that has begun from an origin. The session
	// that the visitor had ends.
	SignIn(a Audience, token string, from credential.Origin) error
	// Token returns the token of the visitor's session; empty without one.
	Token(a Audience) string
	// KeepTicket lets the browser keep the ticket of a sign-in through an OpenID provider, and
	// send it to a path. A life of 0 deletes it.
	KeepTicket(path, ticket string, life time.Duration)
	// Ticket returns the ticket; empty if the browser keeps none for the path.
	Ticket() string
	// SignOut forgets the session. Its caller has ended it.
	SignOut(a Audience)
}

// Serve responds to a request: it sets headers, and returns the status and the body. A
// refusal is returned as an error, and becomes a page.
type Serve func(*PageRequest) (status int, body []byte, err error)

// Refused writes the page for a refusal. A status of 0 leaves that of the refusal.
type Refused func(v *PageRequest, why *refusal.Error) (status int, body []byte, err error)

// SetFile sets the headers of a response that is a file with personal data: a browser
// shows it, and caches must not keep it. The name must hold no quotation marks.
func SetFile(h http.Header, name, contentType string) {
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `inline; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
}

// Audience is who may open a page.
type Audience string

// The audiences.
const (
	Anyone    Audience = "anyone"
	Partners  Audience = "partners"  // the people of partners, signed in
	Operators Audience = "operators" // operators, signed in
)

// Route is a page, or what one loads.
type Route struct {
	Method  string
	Pattern string // as http.ServeMux reads it
	For     Audience
	// Needs is what the person must be permitted: a partner.Permission on a page of
	// partners, an operator.Needs on one of operators.
	Needs any
	// Heavy is set if serving it keeps a processor busy, of which only a little runs at a
	// time.
	Heavy bool
	// Long is set if it reads or writes all that a partner has, which may take minutes.
	Long bool
	// LargeBody is set for a form with a file that may be as large as an import for programs.
	LargeBody bool
	// ChangesNothing is set for a form that only asks: it is handled every time, whatever
	// its key.
	ChangesNothing bool
	// Uncounted is set for a form that people who have not signed in may send as often as
	// they like, because it costs little and its failing would harm them.
	Uncounted bool
	// Counted is set for a page that counts against the rate of the network, as forms of people do
	// who have not signed in, because it begins or ends a sign-in.
	Counted bool
	// Registers is set for the form that opens an account, which leads elsewhere if it has.
	Registers bool
	// Compressed is set if the response is sent in a content coding. It must not contain
	// secrets: the length of a compressed response reveals whether a text of the request
	// matches one of them (the BREACH attack).
	Compressed bool
	Serve      Serve
}
