package scenes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/pagetest"
	"github.com/pquerna/otp/totp"
)

// TestSecondFactor sets up a second factor. Its pages follow forms, so that no scene
// shows them.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "portal-settings-empty")
	address := strings.Replace(scene.URL, "/portal/settings", "/portal/sign-in/factor", 1)
	visit, err := scenes.Running(t).Open(address, browser.Reader{Language: "fr", Width: 360, Scripts: true, Dark: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	fill := func(field, value, shows string) {
		t.Helper()
		_, err := browser.Evaluate[string](visit,
			fmt.Sprintf(`document.getElementById(%q).value = %q`, "field-"+field, value))
		if err == nil {
			err = visit.Do(chromedp.Click("main form button"), chromedp.WaitVisible(shows))
		}
		if err != nil {
			t.Fatalf("%s: want %q shown: %v", field, shows, err)
		}
		for _, problem := range visit.Problems(page.Policy) {
			t.Errorf("after %s: %s", field, problem)
		}
	}
	fill("password", "correct horse battery", "svg.qr")
	secret, err := browser.Evaluate[string](visit, `document.querySelector("main [data-copy]").dataset.copy`)
	if err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(secret, pagetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	fill("code", code, ".codes li")
}
