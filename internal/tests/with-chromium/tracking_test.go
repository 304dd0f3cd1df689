// Package chromium_test has the tests that need a browser.
package chromium_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestTrackingPageInABrowser shows the page in a browser. Its script, which must
// work under the page's content security policy, shows times in the reader's zone.
func TestTrackingPageInABrowser(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.Announce(t)
	browser, err := testkit.FindChromium()
	if err != nil {
		t.Fatal(err)
	}
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	url := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("tracking_url") + "/html?lang=fr"

	plain := string(service.Do(t, "GET", strings.TrimPrefix(url, service.URL), nil).Must(t, 200).Body)
	shown := browse(t, browser, url)
	const utc, local = "14 janvier 2026, 15:00 UTC", "14 janvier 2026 à 15:00"
	if !strings.Contains(plain, utc) || !strings.Contains(plain, "<h1>Reçue</h1>") {
		t.Errorf("without script: got\n%s\nwant %q", plain, utc)
	}
	if !strings.Contains(shown, local) || !strings.Contains(shown, "<h1>Reçue</h1>") {
		t.Errorf("in the browser: got\n%s\nwant %q", shown, local)
	}
}

// browse shows a page and returns its document after its script has run.
func browse(t *testing.T, browser, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--dump-dom", url)
	command.Env = append(os.Environ(), "TZ=UTC")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	return string(out)
}
