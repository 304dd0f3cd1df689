package page

import (
	"net/http"

	"golang.org/x/text/language"
)

// Language is a language that pages are written in, as its code.
type Language string

// The languages.
const (
	English Language = "en"
	French  Language = "fr"
)

// Languages lists all languages. The first is used if no other matches.
var Languages = []Language{English, French}

var (
	tags    = map[Language]language.Tag{English: language.English, French: language.CanadianFrench}
	matcher = language.NewMatcher([]language.Tag{language.English, language.French})
)

// Other returns the language that a page offers instead of this one.
func (l Language) Other() Language {
	if l == French {
		return English
	}
	return French
}

// Name returns the name of the language in that language.
func (l Language) Name() string {
	if l == French {
		return "Français"
	}
	return "English"
}

// LanguageOf returns the language for a request: that of the parameter lang, or else
// the preferred one if it is not empty, or else the one that fits Accept-Language best.
func LanguageOf(r *http.Request, preferred Language) Language {
	_, at := language.MatchStrings(matcher, r.URL.Query().Get("lang"), string(preferred), r.Header.Get("Accept-Language"))
	return Languages[at]
}
