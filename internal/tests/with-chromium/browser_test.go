package chromium_test

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// started is the browser that all tests share; nil before the first of them. Each of its
// tabs has cookies and stored data of its own.
var started atomic.Pointer[browser.Browser]

var start = sync.OnceValues(func() (*browser.Browser, error) {
	chromium, err := browser.Start(context.Background())
	started.Store(chromium)
	return chromium, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium := started.Load(); chromium != nil {
		chromium.Close()
	}
	os.Exit(code)
}

// startChromium returns the browser, which the first test starts.
func startChromium(t *testing.T) *browser.Browser {
	t.Helper()
	chromium, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return chromium
}

// cookieOf signs an operator in, and returns the cookie of the session as name=value.
func cookieOf(t *testing.T, o *apptest.Operator) string {
	t.Helper()
	const session = "dropyard_ops_session"
	return session + "=" + o.Visit(t).Cookies[session]
}
