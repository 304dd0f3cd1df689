package login_test

import (
	"net/http"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// TestSignInOverHTTP signs in from a page that was opened over http, although the service is
// behind https: the page says what is wrong, and leads to where it works.
func TestSignInOverHTTP(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.BaseURL = "https://dropyard.example" })
	v := s.Visit()
	send := func(path, origin string) *apptest.Answer {
		form := v.Open(t, path).Form(t, path, "email", "desk@example.com", "password", "a long first password")
		return v.Request(t, http.MethodPost, path, form, "Content-Type", "application/x-www-form-urlencoded", "Origin",
			origin)
	}
	for _, path := range []string{"/portal/login", "/console/login", "/courier/login"} {
		send(path, "http://dropyard.example").Shows(t, http.StatusUnprocessableEntity, "This page was opened over http",
			`href="https://dropyard.example`+path+`"`)
		send(path, "https://dropyard.example").Shows(t, http.StatusUnprocessableEntity,
			"The e-mail address or the password is wrong")
	}
	send("/console/login", "http://localhost:8080").Shows(t, http.StatusUnprocessableEntity,
		"The e-mail address or the password is wrong") // whose browsers keep the cookie
}
