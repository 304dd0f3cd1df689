package app_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestProfile reads, changes and clears how recipients see a partner.
func TestProfile(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, admin := s.Register(t, "metro"), s.Operate(t)
	owner, other := p.Owner(t), s.Register(t, "other").Owner(t)
	const none = `{"public_name":null,"support_url":null,"logo":null,"language":null,"recipient_mail":false}`
	read := func(u *apptest.User, want string) {
		t.Helper()
		if got := u.Call(t, "GET", "/v1/account", nil).Must(t, 200); string(got.Body) != want {
			t.Errorf("got %s, want %s", got.Body, want)
		}
	}
	read(owner, none)
	for _, change := range []struct{ body, want string }{
		{`{"public_name":"Métro","support_url":"https://metro.example/aide?x=1","language":"fr","recipient_mail":true}`,
			`{"public_name":"Métro","support_url":"https://metro.example/aide?x=1","logo":null,"language":"fr","recipient_mail":true}`},
		{`{"language":null}`, `{"public_name":"Métro","support_url":"https://metro.example/aide?x=1","logo":null,"language":null,"recipient_mail":true}`},
		{`{}`, `{"public_name":"Métro","support_url":"https://metro.example/aide?x=1","logo":null,"language":null,"recipient_mail":true}`},
		{`{"public_name":null,"support_url":null,"recipient_mail":false}`, none},
	} {
		s.Clock.Advance(time.Second)
		if got := owner.Call(t, "PATCH", "/v1/account", []byte(change.body)).Must(t, 200); string(got.Body) != change.want {
			t.Errorf("%s: got %s, want %s", change.body, got.Body, change.want)
		}
		read(owner, change.want)
	}
	read(other, none)
	for _, body := range []string{
		`{"language":"de"}`, `{"public_name":""}`, `{"support_url":"http://metro.example"}`,
		`{"support_url":"https://a:b@metro.example"}`, `{"support_url":"javascript:alert(1)"}`,
		`{"support_url":"https://metro.example/\"><script>"}`, `{"support_url":"https://metro.example/#x"}`,
	} {
		owner.Call(t, "PATCH", "/v1/account", []byte(body)).Refused(t, 422, "validation_error")
	}
	log := admin.Call(t, "GET", "/ops/v1/audit?action=account.changed", nil).Must(t, 200)
	if log.Len("entries") != 3 || log.Text("entries", 0, "operator_id") != owner.UserID ||
		log.Text("entries", 2, "after", "public_name") != "Métro" {
		t.Errorf("audit log: got %s, want three entries of the owner", log.Body)
	}
}

// drawingOf returns a PNG of a colour.
func drawingOf(t *testing.T, shown color.Color, side int) []byte {
	t.Helper()
	drawing := image.NewPaletted(image.Rect(0, 0, side, side/2), color.Palette{shown})
	var file bytes.Buffer
	if err := png.Encode(&file, drawing); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestLogo sets, replaces and removes a logo, and reads it without credentials.
func TestLogo(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	owner := p.Owner(t)
	put := func(picture []byte) *apptest.Answer {
		t.Helper()
		return s.Do(t, "PUT", "/v1/account/logo", picture, "Cookie", owner.Cookie, "Content-Type", "image/png")
	}
	planted := append(drawingOf(t, color.Black, 1024), "GPS 45.5088N"...)
	set := put(planted).Must(t, 200)
	address, found := strings.CutPrefix(set.Text("logo"), s.URL)
	if !found || !strings.HasPrefix(address, "/logos/"+p.PartnerID+"/") {
		t.Fatalf("got the logo at %s, want it below %s/logos/%s", set.Text("logo"), s.URL, p.PartnerID)
	}
	shown := s.Do(t, "GET", address, nil).Must(t, 200)
	for header, want := range map[string]string{
		"Content-Type": "image/png", "Cache-Control": "public, max-age=31536000, immutable",
		"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
		"Access-Control-Allow-Origin": "", "Set-Cookie": "",
	} {
		if got := shown.Header.Get(header); got != want {
			t.Errorf("%s: got %q, want %q", header, got, want)
		}
	}
	decoded, err := png.Decode(bytes.NewReader(shown.Body))
	if err != nil || decoded.Bounds() != image.Rect(0, 0, 512, 256) || bytes.Contains(shown.Body, []byte("GPS")) {
		t.Errorf("got a picture of %v, %v, want 512 by 256 without the planted text", decoded.Bounds(), err)
	}
	if again := put(planted).Must(t, 200); again.Text("logo") != set.Text("logo") {
		t.Errorf("the same picture: got the address %s, want %s", again.Text("logo"), set.Text("logo"))
	}
	replaced := put(drawingOf(t, color.White, 100)).Must(t, 200)
	s.Do(t, "GET", address, nil).Refused(t, 404, "not_found")
	newer := strings.TrimPrefix(replaced.Text("logo"), s.URL)
	s.Do(t, "GET", newer, nil).Must(t, 200)

	large := put(drawingOf(t, color.Black, 2_900)).Refused(t, 422, "validation_error")
	if want := "at most 4000 pixels a side and 4 megapixels"; !strings.Contains(string(large.Body), want) {
		t.Errorf("a logo of 4.2 megapixels: got %s, want %q", large.Body, want)
	}
	put([]byte("no picture")).Refused(t, 422, "validation_error")
	s.Do(t, "PUT", "/v1/account/logo", planted, "Cookie", owner.Cookie, "Content-Type", "image/svg+xml").Refused(t, 415,
		"unsupported_media_type")
	put(drawingOf(t, color.Black, 4_001)).Refused(t, 422, "validation_error")
	put(make([]byte, 1<<20+1)).Refused(t, 413, "payload_too_large")
	p.As(t, "developer").Call(t, "DELETE", "/v1/account/logo", nil).Refused(t, 403, "forbidden")
	s.Do(t, "GET", newer, nil).Must(t, 200)
	put(drawingOf(t, color.Black, 2_800)).Must(t, 200) // 3.9 megapixels

	if removed := owner.Call(t, "DELETE", "/v1/account/logo", nil).Must(t, 200); removed.JSON("logo") != nil {
		t.Errorf("removed: got %s, want no logo", removed.Body)
	}
	for _, unknown := range []string{newer, "/logos/" + p.PartnerID + "/%00", "/logos/par_00000000/none", "/logos/" +
		p.PartnerID + "/none"} {
		s.Do(t, "GET", unknown, nil).Refused(t, 404, "not_found")
	}
	if left := s.Query(t, "SELECT length(logo) FROM partner_profiles"); len(left) != 1 || left[0] != "0" {
		t.Errorf("after the removal: got %v bytes stored, want 0", left)
	}
}
