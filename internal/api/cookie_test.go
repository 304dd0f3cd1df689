package api

import (
	"net/http"
	"strings"
	"testing"
)

func TestCookiesAreSecureBehindHTTPS(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{true, false} {
		s := &Server{config: Config{SecureCookies: secure}}
		c := &call{header: http.Header{}}
		s.setSession(c, sessionCookie, "token", 0)
		s.setSession(c, sessionCookie, "", -1)
		for _, cookie := range c.header.Values("Set-Cookie") {
			if strings.Contains(cookie, "; Secure") != secure {
				t.Errorf("SecureCookies %t: got the cookie %q", secure, cookie)
			}
		}
	}
}
