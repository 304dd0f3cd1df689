package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
)

func TestCookiesAreSecureBehindHTTPS(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{true, false} {
		s := &Server{config: Config{SecureCookies: secure}}
		c := &call{header: http.Header{}}
		s.signedIn(c, sessionCookie, "token", credential.Origin{})
		s.setCookie(c, sessionCookie, "", -1)
		for _, cookie := range c.header.Values("Set-Cookie") {
			if strings.Contains(cookie, "; Secure") != secure {
				t.Errorf("SecureCookies %t: got the cookie %q", secure, cookie)
			}
		}
	}
}
