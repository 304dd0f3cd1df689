package app_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestTrackingPageInABrowser lets a browser run the page's script, which must
// work under the page's own policy: it turns times into the reader's.
func TestTrackingPageInABrowser(t *testing.T) {
	t.Parallel()
	browser := findBrowser(t)
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	url := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("tracking_url") + "/html?lang=fr"

	plain := string(service.Do(t, "GET", strings.TrimPrefix(url, service.URL), nil).Must(t, 200).Body)
	shown := browse(t, browser, url)
	const told, local = "14 janvier 2026, 15:00 UTC", "14 janvier 2026 à 15:00"
	if !strings.Contains(plain, told) || !strings.Contains(plain, "<h1>Reçue</h1>") {
		t.Errorf("without script:\n%s", plain)
	}
	if !strings.Contains(shown, local) || !strings.Contains(shown, "<h1>Reçue</h1>") {
		t.Errorf("in the browser:\n%s", shown)
	}
}

func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	testkit.Missing(t, "chromium", "chromium", errors.New("not on the path"))
	return ""
}

// browse shows a page and gives what its script has made of it.
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
