package chromium_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// startChromium starts a browser that closes when the test ends.
func startChromium(t *testing.T) *browser.Browser {
	t.Helper()
	chromium, err := browser.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chromium.Close)
	return chromium
}

// cookieOf signs an operator in, and returns the cookie of the session as name=value.
func cookieOf(t *testing.T, o *apptest.Operator) string {
	t.Helper()
	const session = "dropyard_ops_session"
	return session + "=" + o.Visit(t).Cookies[session]
}
