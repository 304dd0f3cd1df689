package page

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// refusedKeys are the phrases for refusals. A reader gets no more detail of others
// than that something went wrong.
var refusedKeys = map[refusal.Code]string{
	refusal.CodeNotFound: "refused.not_found", refusal.CodeRateLimited: "refused.rate_limited",
	refusal.CodeForbidden: "refused.forbidden", refusal.CodeUnavailable: "refused.unavailable",
}

// refusedView is what templates/refused.html shows.
type refusedView struct {
	Title, Why, RequestID string
	Again                 string // the address to try again; empty if that is of no use
}

// WantsPage reports whether a client asks for a page rather than for JSON.
func WantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// Refused returns the page for a refusal. The header X-Request-Id is set already.
func (s *Site) Refused(header http.Header, r *http.Request, code refusal.Code) ([]byte, error) {
	language := LanguageOf(r, "")
	key := refusedKeys[code]
	if key == "" {
		key = "refused.other"
	}
	view := refusedView{Title: language.Text(key), Why: language.Text(key + ".why"), RequestID: header.Get("X-Request-Id")}
	if code != refusal.CodeNotFound && code != refusal.CodeForbidden && r.Method == http.MethodGet {
		view.Again = r.URL.RequestURI()
	}
	return s.own.Render(header, Document{Language: language, Template: "refused", Title: view.Title, Data: view, Roomy: true})
}
