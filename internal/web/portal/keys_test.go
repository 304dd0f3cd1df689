package portal_test

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

var (
	publicKeys = regexp.MustCompile(`pk_[\w-]{20,}`)
	secretKeys = regexp.MustCompile(`sk_[\w-]{20,}`)
)

// withKey returns the partner with the key that a page shows. It ends the test if the page
// does not show one.
func withKey(t *testing.T, p *apptest.Partner, page *apptest.Answer) *apptest.Partner {
	t.Helper()
	public, secret := publicKeys.Find(page.Body), secretKeys.Find(page.Body)
	if public == nil || secret == nil {
		t.Fatalf("got a page without a key and its secret:\n%s", page.Body)
	}
	with := *p
	with.PublicKey, with.SecretKey = string(public), string(secret)
	return &with
}

// TestMakeAndRevokeKey makes a key, whose secret is on the one page that answers, signs
// requests with it, and revokes it.
func TestMakeAndRevokeKey(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	developer := metro.As(t, "developer")
	list := developer.Open(t, "/portal/keys").Must(t, http.StatusOK)
	made := developer.Send(t, list, "/portal/keys", "name", "screens <1>", "access", "some", "scopes", "orders").Must(t,
		http.StatusOK)
	key := withKey(t, metro, made)
	key.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusOK)
	key.Call(t, "GET", "/v1/inventory/products", nil).Refused(t, http.StatusForbidden, "forbidden")

	developer.Send(t, list, "/portal/keys", "name", "screens <1>", "access", "some", "scopes", "orders").Must(t,
		http.StatusConflict)
	list = developer.Open(t, "/portal/keys").Must(t, http.StatusOK)
	for _, want := range []string{"screens &lt;1&gt;", "made by developer", key.PublicKey, "2 keys", "last used"} {
		if !bytes.Contains(list.Body, []byte(want)) {
			t.Errorf("got a list without %q:\n%s", want, list.Body)
		}
	}
	path := regexp.MustCompile(
		`(/portal/keys/key_\w+)">Revoke<span class="hidden">: screens`,
	).FindStringSubmatch(string(list.Body))[1]
	for _, shown := range []*apptest.Answer{list, developer.Open(t,
		path), developer.Open(t, "/portal/start"), developer.Open(t, "/portal/logs")} {
		if bytes.Contains(shown.Body, []byte(key.SecretKey)) {
			t.Errorf("got the secret key on a later page:\n%s", shown.Body)
		}
	}
	ask := developer.Open(t, path).Must(t, http.StatusOK)
	developer.Send(t, ask, path+"/revoke").Must(t, http.StatusSeeOther)
	key.Call(t, "GET", "/v1/orders", nil).Refused(t, http.StatusUnauthorized, "unauthorized")
	developer.Open(t, path).Must(t, http.StatusNotFound)
	metro.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusOK)
}

// TestKeyFormKeepsWhatWasTyped refuses a key without scopes that is to have some.
func TestKeyFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	owner := apptest.Start(t).Register(t, "metro").Owner(t)
	list := owner.Open(t, "/portal/keys?mode=test").Must(t, http.StatusOK)
	refused := string(owner.Send(t, list, "/portal/keys?mode=test", "name", "screens", "access", "some").Must(t,
		http.StatusUnprocessableEntity).Body)
	for _, want := range []string{
		`value="screens"`, `value="some" checked`, `value="test" checked`, `href="#field-scopes"`, "1 key",
	} {
		if !strings.Contains(refused, want) {
			t.Errorf("got a page without %q:\n%s", want, refused)
		}
	}
}

// TestDeveloperPagesByRole opens the pages for developers in each role, and those of
// another partner.
func TestDeveloperPagesByRole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	other := s.Register(t, "nord").Owner(t)
	key := "/portal/keys/" + metro.KeyID
	for role, want := range map[string][]int{
		"developer": {200, 200, 200, 200}, "clerk": {403, 403, 403, 200}, "reader": {403, 403, 403, 200},
	} {
		user := metro.As(t, role)
		for i, path := range []string{"/portal/keys", key, "/portal/start", "/portal/logs"} {
			if got := user.Open(t, path).Status; got != want[i] {
				t.Errorf("%s as %s: got status %d, want %d", path, role, got, want[i])
			}
		}
	}
	other.Open(t, key).Must(t, http.StatusNotFound)
	form := other.Open(t, "/portal/keys").Must(t, http.StatusOK).Form(t, "/portal/keys")
	headers := []string{"Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded", "Cookie"}
	other.Do(t, "POST", key+"/revoke", form, append(headers, other.Cookie)...).Must(t, http.StatusNotFound)
}
