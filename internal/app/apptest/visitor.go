package apptest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Visitor is a browser, which keeps the cookies that it is sent.
type Visitor struct {
	*Service
	Cookies map[string]string
}

// Visit returns a browser without cookies.
func (s *Service) Visit() *Visitor { return &Visitor{s, map[string]string{}} }

// Visit returns a browser in which the operator is signed in.
func (o *Operator) Visit(t testing.TB) *Visitor {
	t.Helper()
	v := o.Service.Visit()
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, o.Email, o.Password)
	v.Request(t, "POST", "/ops/v1/login", login, "Content-Type", "application/json").Must(t, http.StatusOK)
	return v
}

// Request sends a request as a browser does, and keeps the cookies of the response.
func (v *Visitor) Request(t testing.TB, method, path string, body []byte, headers ...string) *Answer {
	t.Helper()
	var cookies []string
	for name, value := range v.Cookies {
		cookies = append(cookies, name+"="+value)
	}
	headers = append(headers, "Accept", "text/html", "Accept-Language", "en", "Sec-Fetch-Site", "same-origin", "Cookie",
		strings.Join(cookies, "; "))
	got := v.Do(t, method, path, body, headers...)
	for _, cookie := range (&http.Response{Header: got.Header}).Cookies() {
		v.Cookies[cookie.Name] = cookie.Value
		if cookie.MaxAge < 0 {
			delete(v.Cookies, cookie.Name)
		}
	}
	return got
}

// Open requests a page.
func (v *Visitor) Open(t testing.TB, path string) *Answer {
	t.Helper()
	return v.Request(t, "GET", path, nil)
}

// Send sends the form on a page that is sent to a path, as User.Send does.
func (v *Visitor) Send(t testing.TB, on *Answer, to string, values ...string) *Answer {
	t.Helper()
	return v.Request(t, "POST", to, on.Form(t, to, values...), "Content-Type", "application/x-www-form-urlencoded")
}

// Fill opens the page with a form, and sends it to the page's own path.
func (v *Visitor) Fill(t testing.TB, path string, values ...string) *Answer {
	t.Helper()
	to, _, _ := strings.Cut(path, "?")
	return v.Send(t, v.Open(t, path).Must(t, http.StatusOK), to, values...)
}

// Leads ends the test unless the response leads to a path.
func (a *Answer) Leads(t testing.TB, want string) {
	t.Helper()
	if to := a.Header.Get("Location"); a.Status != http.StatusSeeOther || to != want {
		t.Fatalf("got status %d to %q, want 303 to %q:\n%s", a.Status, to, want, a.Body)
	}
}

// Shows fails the test unless the page has the status and the texts.
func (a *Answer) Shows(t testing.TB, status int, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if a.Status != status || !strings.Contains(string(a.Body), want) {
			t.Errorf("got status %d, want %d with %q:\n%s", a.Status, status, want, a.Body)
		}
	}
}
