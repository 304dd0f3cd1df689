package login

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/web/page"
)

// isOverHTTP reports whether a form comes from a page that was opened over http although the
// service is behind https: the browser would drop the cookie of the session, and show the
// form again without a word. Browsers keep such cookies for their own machine.
func (s *sheet) isOverHTTP() bool {
	if s.Request.Method != http.MethodPost || !strings.HasPrefix(s.pages.config.BaseURL(), "https://") {
		return false
	}
	origin, err := url.Parse(s.Request.Header.Get("Origin"))
	return err == nil && origin.Scheme == "http" && !machine.IsLoopback(origin.Host)
}

// showSecure says that the page was opened over http, and leads to where it works.
func (s *sheet) showSecure() (int, []byte, error) {
	address := s.pages.config.BaseURL() + s.Request.URL.RequestURI()
	return s.show(leaf{
		Title: s.Text(s.door.title), Message: s.problem("entrance.http"), status: http.StatusUnprocessableEntity,
		Other: &page.Link{Text: s.Text("entrance.http.way"), Path: address},
	})
}
