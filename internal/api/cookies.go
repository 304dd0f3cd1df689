package api

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/credential"
)

// The names of the session cookies of partners and operators, and of the cookie by which
// devices are known again; cookieName adds a prefix behind https.
const (
	sessionCookie  = "dropyard_session"
	operatorCookie = "dropyard_ops_session"
	deviceCookie   = "dropyard_device"
)

// signedIn sets the cookies of a new session and of its device. The session whose cookie
// the client sent ends: no browser has it any longer.
func (s *Server) signedIn(c *call, name, token string, from credential.Origin) error {
	if replaced := c.cookie(name); replaced != "" {
		if err := s.endSession(c, name, replaced); err != nil {
			return err
		}
	}
	s.setCookie(c, name, token, 0)
	s.setCookie(c, deviceCookie, from.Device.Token, int(credential.DeviceLife.Seconds()))
	return nil
}

// endSession ends the session of a token that a cookie held. It does nothing if there is none.
func (s *Server) endSession(c *call, name, token string) error {
	if name == operatorCookie {
		return s.config.Operators.Logout(c.Context(), token)
	}
	return s.config.Partners.Logout(c.Context(), token)
}

// signOut ends the session of the request's cookie, and deletes the cookie. It does
// nothing, and succeeds, if a browser sends the request from another site: links and
// pictures there could sign people out.
func (s *Server) signOut(c *call, name string) (reply, error) {
	if !c.fromAnotherSite() {
		if err := s.endSession(c, name, c.cookie(name)); err != nil {
			return reply{}, err
		}
		s.setCookie(c, name, "", -1)
	}
	return ok(struct {
		LoggedOut bool `json:"logged_out"`
	}{true})
}

// fromAnotherSite reports whether a browser says that another site made the request. For
// methods that change something, Server.sameSite decides.
func (c *call) fromAnotherSite() bool {
	site := c.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

// cookieName returns the name of a cookie in requests and responses. Behind https it has
// a prefix, by which browsers refuse the cookie from any other host and over http (RFC
// 6265bis section 4.1.3.2): otherwise a neighbouring host could plant a session of its own.
func cookieName(name string, secure bool) string {
	if secure {
		return "__Host-" + name
	}
	return name
}

// setCookie sets the cookie of a session or a device. An age of 0 keeps it until the
// browser is closed; an age of -1 deletes it.
func (s *Server) setCookie(c *call, name, token string, age int) {
	cookie := http.Cookie{
		Name:     cookieName(name, c.secure),
		Value:    token,
		Path:     "/",
		MaxAge:   age,
		HttpOnly: true,
		Secure:   c.secure,
		SameSite: http.SameSiteLaxMode,
	}
	c.header.Add("Set-Cookie", cookie.String())
}

// sessionToken returns the token of a partner's session; empty without one.
func (c *call) sessionToken() string { return c.cookie(sessionCookie) }

// cookie returns the value of a cookie; empty if it was not sent.
func (c *call) cookie(name string) string {
	cookie, err := c.Cookie(cookieName(name, c.secure))
	if err != nil {
		return ""
	}
	return cookie.Value
}
