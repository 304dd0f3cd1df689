package page

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/dropyard/dropyard/internal/web"
)

// Flash is a message about what was just done, which the next page shows once.
type Flash struct {
	Key       string   `json:"k"` // of a phrase
	Arguments []string `json:"a"` // its arguments, as pairs of name and value
	Danger    bool     `json:"d"`
}

const flashCookie = "flash"

// SetFlash leaves a message for the next page. It travels in a cookie, so that any node
// can show it.
func (s *Site) SetFlash(v *web.PageRequest, flash Flash) {
	text, err := json.Marshal(flash)
	if err != nil {
		return // cannot happen: a Flash holds texts only
	}
	s.setFlashCookie(v.Header, base64.RawURLEncoding.EncodeToString(text), 60)
}

// TakeFlash returns the message for this page in its language, and removes it; it is
// nil if there is none. A cookie that another program made shows nothing but a phrase
// of this site.
func (s *Site) TakeFlash(v *web.PageRequest, l Language) *Message {
	cookie, err := v.Request.Cookie(flashCookie)
	if err != nil {
		return nil
	}
	s.setFlashCookie(v.Header, "", -1)
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	var flash Flash
	if err != nil || json.Unmarshal(text, &flash) != nil || !Has(flash.Key) {
		return nil
	}
	arguments := make([]any, len(flash.Arguments))
	for i, argument := range flash.Arguments {
		arguments[i] = argument
	}
	return &Message{l.Text(flash.Key, arguments...), flash.Danger}
}

// Message is a message to the reader.
type Message struct {
	Text   string
	Danger bool
}

func (s *Site) setFlashCookie(header http.Header, value string, maxAge int) {
	s.setCookie(header, http.Cookie{Name: flashCookie, Value: value, Path: "/", MaxAge: maxAge})
}

// aYear is how long a browser keeps what a person has chosen, in seconds.
const aYear = 365 * 24 * 60 * 60

// Remember keeps in a cookie what a person has chosen, for the pages below a path.
func (s *Site) Remember(header http.Header, name, value, path string) {
	s.setCookie(header, http.Cookie{Name: name, Value: value, Path: path, MaxAge: aYear})
}

// setCookie sets a cookie that scripts and other sites cannot use.
func (s *Site) setCookie(header http.Header, cookie http.Cookie) {
	cookie.HttpOnly, cookie.Secure, cookie.SameSite = true, s.config.SecureCookies, http.SameSiteLaxMode
	header.Add("Set-Cookie", cookie.String())
}
