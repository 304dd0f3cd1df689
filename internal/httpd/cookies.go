package httpd

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/web"
)

// sessionCookies are the names of the session cookies of those who sign in, and
// deviceCookie that of the cookie by which devices are known again; cookieName adds a
// prefix behind https.
var sessionCookies = map[web.Audience]string{web.Partners: "dropyard_session", web.Operators: "dropyard_ops_session"}

const deviceCookie = "dropyard_device"

// Origin returns where a login comes from. A client without the cookie of a device gets
// one from SignedIn.
func (c *Call) Origin() (from credential.Origin, err error) {
	from = credential.NewOrigin(c.Address(), c.UserAgent())
	if from.Device.Token = c.CookieValue(deviceCookie); from.Device.Token != "" {
		from.Device.Returned = true
		return from, nil
	}
	from.Device.Token, err = credential.Token(c.server.config.Random, "")
	return from, err
}

// SignedIn sets the cookies of a new session and of its device. The session whose cookie
// the client sent ends: no browser has it any longer.
func (c *Call) SignedIn(a web.Audience, token string, from credential.Origin) error {
	if replaced := c.Token(a); replaced != "" {
		if err := c.server.config.Callers.EndSession(c.Context(), a, replaced); err != nil {
			return err
		}
	}
	c.setCookie(sessionCookies[a], token, 0)
	c.setCookie(deviceCookie, from.Device.Token, int(credential.DeviceLife.Seconds()))
	return nil
}

// SignOut ends the session of the request's cookie, and deletes the cookie. It does
// nothing, and succeeds, if a browser sends the request from another site: links and
// pictures there could sign people out.
func (c *Call) SignOut(a web.Audience) (Reply, error) {
	if !c.fromAnotherSite() {
		if err := c.server.config.Callers.EndSession(c.Context(), a, c.Token(a)); err != nil {
			return Reply{}, err
		}
		c.setCookie(sessionCookies[a], "", -1)
	}
	return OK(struct {
		LoggedOut bool `json:"logged_out"`
	}{true})
}

// fromAnotherSite reports whether a browser says that another site made the request. For
// methods that change something, Server.sameSite decides.
func (c *Call) fromAnotherSite() bool {
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
func (c *Call) setCookie(name, token string, age int) {
	cookie := http.Cookie{
		Name:     cookieName(name, c.Secure()),
		Value:    token,
		Path:     "/",
		MaxAge:   age,
		HttpOnly: true,
		Secure:   c.Secure(),
		SameSite: http.SameSiteLaxMode,
	}
	c.ReplyHeader.Add("Set-Cookie", cookie.String())
}

// Secure reports whether the public base URL is https.
func (c *Call) Secure() bool { return c.server.config.SecureCookies }

// Token returns the token of the session of the request's cookie; empty without one.
func (c *Call) Token(a web.Audience) string { return c.CookieValue(sessionCookies[a]) }

// CookieValue returns the value of a cookie; empty if it was not sent.
func (c *Call) CookieValue(name string) string {
	cookie, err := c.Cookie(cookieName(name, c.Secure()))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// ticketCookie holds the ticket of a sign-in through an OpenID provider. Its path is not that
// of the whole host, so that its name cannot have the prefix of the others.
const ticketCookie = "dropyard_oidc"

// KeepTicket lets the browser keep the ticket of a sign-in that it has begun, and send it to a
// path. A life of 0 deletes it.
func (c *Call) KeepTicket(path, ticket string, life time.Duration) {
	cookie := http.Cookie{
		Name: ticketCookie, Value: ticket, Path: path, MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: c.Secure(),
		SameSite: http.SameSiteLaxMode, // the provider is another site
	}
	if life == 0 {
		cookie.MaxAge = -1
	}
	c.ReplyHeader.Add("Set-Cookie", cookie.String())
}

// Ticket returns the ticket of a sign-in; empty if the browser keeps none for the path.
func (c *Call) Ticket() string {
	cookie, err := c.Cookie(ticketCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}
