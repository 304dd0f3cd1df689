package portal_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestSettingsInPortal changes and clears how recipients see a partner.
func TestSettingsInPortal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	const path = "/portal/settings"
	save := func(want string, values ...string) {
		t.Helper()
		owner.Send(t, owner.Open(t, path).Must(t, http.StatusOK), path, values...).Must(t, http.StatusSeeOther)
		if got := owner.Call(t, "GET", "/v1/account", nil).Must(t, http.StatusOK); string(got.Body) != want {
			t.Errorf("%q: got %s, want %s", values, got.Body, want)
		}
	}
	save(`{"public_name":"Métro","support_url":"https://metro.example/aide","logo":null,"language":"fr","recipient_mail":true}`,
		"public_name", "Métro", "support_url", "https://metro.example/aide", "language", "fr", "recipient_mail", "yes")
	save(`{"public_name":"Métro","support_url":null,"logo":null,"language":"fr","recipient_mail":true}`, "support_url", "")
	save(`{"public_name":null,"support_url":null,"logo":null,"language":null,"recipient_mail":false}`, "public_name", "",
		"language", "", "recipient_mail", "")
	page := owner.Open(t, path)
	contains(t, owner.Send(t, page, path, "support_url", "http://metro.example", "public_name", "Typed").Must(t,
		http.StatusUnprocessableEntity),
		"Enter an address that begins with https://.", `value="Typed"`, `value="http://metro.example"`)
}

// TestStaleSettings sends a form after another person has changed the settings.
func TestStaleSettings(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	owner, second := metro.Owner(t), metro.As(t, "owner")
	const path = "/portal/settings"
	stale := owner.Open(t, path)
	second.Send(t, second.Open(t, path), path, "public_name", "Theirs").Must(t, http.StatusSeeOther)
	shown := owner.Send(t, stale, path, "public_name", "<Mine>", "support_url", "https://mine.example").Must(t,
		http.StatusConflict)
	contains(t, shown, "nothing was saved", `value="Theirs"`, "You had entered: &lt;Mine&gt;",
		"You had entered: https://mine.example")
	if got := owner.Call(t, "GET", "/v1/account", nil).Must(t, http.StatusOK); got.Text("public_name") != "Theirs" ||
		got.JSON("support_url") != nil {
		t.Errorf("got %s, want what the other person has saved", got.Body)
	}
	owner.Send(t, shown, path, "support_url", "https://mine.example").Must(t, http.StatusSeeOther)
}

// sendLogo sends the form of the logo on a page with a file.
func sendLogo(t *testing.T, u *apptest.User, page *apptest.Answer, file []byte) *apptest.Answer {
	t.Helper()
	const path = "/portal/settings/logo"
	fields, err := url.ParseQuery(string(page.Form(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body) // with a boundary of its own
	part, err := form.CreateFormFile("logo", "logo.png")
	if err != nil {
		t.Fatal(err)
	}
	_, err = part.Write(file)
	if err := errors.Join(err, form.WriteField("_key", fields.Get("_key")), form.Close()); err != nil {
		t.Fatal(err)
	}
	return u.Do(t, "POST", path, body.Bytes(), "Cookie", u.Cookie, "Accept", "text/html", "Content-Type",
		form.FormDataContentType())
}

// TestLogoInPortal sends a logo, which is then shown to everyone, and removes it.
func TestLogoInPortal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewPaletted(image.Rect(0, 0, 64, 32), color.Palette{color.Black})); err != nil {
		t.Fatal(err)
	}
	empty := owner.Open(t, "/portal/settings").Must(t, http.StatusOK)
	contains(t, sendLogo(t, owner, empty, []byte("no picture")).Must(t, http.StatusUnprocessableEntity),
		"This picture cannot be used.", `aria-invalid="true"`)
	contains(t, sendLogo(t, owner, empty, make([]byte, 1<<20)).Must(t, http.StatusRequestEntityTooLarge),
		"This is too large")
	contains(t, owner.Send(t, empty, "/portal/settings/logo").Must(t, http.StatusUnprocessableEntity),
		"Choose a picture first.")
	for range 2 { // a double click
		sendLogo(t, owner, empty, file.Bytes()).Must(t, http.StatusSeeOther)
	}
	address, found := strings.CutPrefix(owner.Call(t, "GET", "/v1/account", nil).Must(t, http.StatusOK).Text("logo"),
		s.URL)
	if !found {
		t.Fatalf("got the logo at %q, want it below %s", address, s.URL)
	}
	page := owner.Open(t, "/portal/settings")
	contains(t, page, `<img src="`+address+`"`)
	s.Do(t, "GET", address, nil).Must(t, http.StatusOK)
	owner.Send(t, page, "/portal/settings/logo/remove").Must(t, http.StatusSeeOther)
	s.Do(t, "GET", address, nil).Must(t, http.StatusNotFound)
}
