package page

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
)

// refusalKey returns the phrase for a code; refused.internal_error for one that has none.
func refusalKey(code refusal.Code) string {
	if key := "refused." + string(code); Has(key) {
		return key
	}
	return "refused." + string(refusal.CodeInternal)
}

// Refusal says in two sentences why something was refused, and what the reader can do.
func (l Language) Refusal(code refusal.Code) string {
	key := refusalKey(code)
	return l.Text(key) + ". " + l.Text(key+".why")
}

// final are the codes of refusals that another attempt does not change.
var final = []refusal.Code{refusal.CodeNotFound, refusal.CodeMethodNotAllowed, refusal.CodeGone, refusal.CodeForbidden}

// refusedView is what templates/refused.html shows.
type refusedView struct {
	Title, Why, RequestID string
	Again                 string // the address to try again; empty if that is of no use
	Code                  string // whose page of the documentation helps the reader; empty if none does
}

// Refused writes the page for a refusal. People who must sign in first are led to where
// they can, and come back from there; those who must enrol a second factor first are led
// to their own sign-in.
func (s *Site) Refused(v *web.PageRequest, why *refusal.Error) (status int, body []byte, err error) {
	if why.Code == refusal.CodeUnauthorized {
		if login := logins[firstOf(v.Request.URL.Path)]; login != "" {
			v.Header.Set("Location", login+"?"+url.Values{"next": {next(v.Request)}}.Encode())
			return http.StatusSeeOther, nil, nil
		}
	}
	if enrolment := enrolments[firstOf(v.Request.URL.Path)]; enrolment != "" && errors.Is(why, signin.ErrMustEnrol) {
		v.Header.Set("Location", enrolment)
		return http.StatusSeeOther, nil, nil
	}
	sheet, first, key := s.Sheet(v), firstOf(v.Request.URL.Path), refusalKey(why.Code)
	language := sheet.Language
	if why == web.ErrShownOnce {
		key = "refused.shown_once"
	}
	view := refusedView{
		Title: language.Text(key), Why: language.Text(key + ".why"), RequestID: v.Header.Get("X-Request-Id"),
	}
	if !slices.Contains(final, why.Code) && v.Request.Method == http.MethodGet {
		view.Again = v.Request.URL.RequestURI()
	}
	if first == "portal" || first == "console" { // their people may be developers
		view.Code = string(why.Code)
	}
	document := Document{Language: language, Template: "refused", Title: view.Title, Data: view, Roomy: true}
	if frame := s.frames[first]; frame != nil && v.Principal != nil {
		document.Template, document.Roomy, document.Frame = "refused-within", false, frame(sheet)
		document.Frame.Heading, document.Frame.Back = view.Title, sheet.wayBack(document.Frame)
	}
	body, err = s.own.Render(v.Header, document)
	return 0, body, err
}

// wayBack returns a link from a refusal to the list that its page belongs to, or else to the
// first page.
func (s Sheet) wayBack(frame *Frame) *Link {
	for _, group := range frame.Groups {
		for _, link := range group.Links {
			if path, _, _ := strings.Cut(link.Path, "?"); link.Current && path != s.Request.URL.Path {
				return &link
			}
		}
	}
	return &Link{Text: s.Text("page.home"), Path: frame.Home.Path}
}

// entrances are the sign-in pages, by the first part of the paths of those who use them.
var logins = map[string]string{"portal": "/portal/login", "console": "/console/login", "courier": "/courier/login"}

// enrolments are the pages on which people enrol a second factor, in the same way.
var enrolments = map[string]string{
	"portal": "/portal/sign-in", "console": "/console/sign-in", "courier": "/courier/sign-in",
}

// firstOf returns the first part of a path.
func firstOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first
}

// next returns where a person goes after signing in: the page that was asked for, or the
// one with the form that was sent.
func next(r *http.Request) string {
	if r.Method == http.MethodGet {
		return r.URL.RequestURI()
	}
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host { // the path of the form may have no page
		first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		return "/" + first
	}
	return from.RequestURI()
}
