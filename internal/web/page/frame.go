package page

import (
	"slices"

	"github.com/dropyard/dropyard/internal/web"
)

// Frame is what surrounds the pages of people who are signed in: where they can go, who
// they are, and what was just done.
type Frame struct {
	// Across is set for desks: the ways stand above the page, which has the whole width.
	Across  bool
	Heading string // of the page; empty if what is inside has its own
	Back    *Link  // to the list that the page belongs to; nil if there is none
	Action  *Link  // what most come here to do; nil if there is nothing
	Home    Link
	Groups  []Group
	// Modes are live and test; there are none where test mode does not reach.
	Modes   []Link
	Search  *Search // of orders; nil where the page has its own, and for those who may see none
	Test    bool    // the page shows test mode
	Message *Message
	Person  string // who is signed in
	// PersonID is the id of that person, under whom drafts of forms are kept.
	PersonID string
	Self     string // the path of the person's own sign-in; empty if a link leads there
	SignOut  string // the path that a form is sent to; empty if people sign out elsewhere
	Other    Link   // this page in the other language
}

// Group is a part of the ways that a frame shows. The first one has no title.
type Group struct {
	Title string
	Links []Link
	// Folded groups show their links when their title is opened.
	Folded bool
}

// Current reports whether the page belongs to one of the links.
func (g Group) Current() bool {
	return slices.ContainsFunc(g.Links, func(l Link) bool { return l.Current })
}

// Search is a form that finds orders. The key / leads to it.
type Search struct {
	Action, Label string
	Mode          string // test or empty
}

// Link is a way to another page.
type Link struct {
	Text, Path string
	Current    bool // the page belongs to it
}

// Pages are the addresses of other pages of a list; those that do not exist are empty.
type Pages struct{ First, Previous, Next string }

// languageCookie holds the language that a person has chosen.
const languageCookie = "lang"

// Language returns the language for a visit: the one that is chosen by the parameter
// lang, which is remembered, or was chosen before; or else the preferred one, or the one
// that fits Accept-Language best.
func (s *Site) Language(v *web.PageRequest, preferred Language) Language {
	chosen := Language(v.Request.URL.Query().Get("lang"))
	if chosen == English || chosen == French {
		s.Remember(v.Header, languageCookie, string(chosen), "/")
		return chosen
	}
	if cookie, err := v.Request.Cookie(languageCookie); err == nil && cookie.Value != "" {
		preferred = Language(cookie.Value)
	}
	return LanguageOf(v.Request, preferred)
}

// InOther returns a link to the page of a visit in the other language.
func (l Language) InOther(v *web.PageRequest) Link {
	query := v.Request.URL.Query()
	query.Set("lang", string(l.Other()))
	return Link{Text: l.Other().Name(), Path: v.Request.URL.Path + "?" + query.Encode()}
}
