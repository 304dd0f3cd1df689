package pagetest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// Shared is what the tests of a package share, which only look: all scenes, and a browser. It
// is empty if no Chromium is installed.
type Shared struct {
	*Server
	Browser *browser.Browser
}

// Main runs the tests of a package with what they share, and ends the process.
func (s *Shared) Main(m *testing.M) {
	if testkit.NeedChromium.Find() == nil {
		if err := s.open(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "scenes:", err)
			os.Exit(1)
		}
	}
	code := m.Run()
	if s.Browser != nil {
		s.Browser.Close()
	}
	if s.Server != nil {
		if err := s.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "scenes:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// open opens the server and starts the browser.
func (s *Shared) open(ctx context.Context) (err error) {
	if s.Server, err = Open(ctx); err == nil {
		s.Browser, err = browser.Start(ctx)
	}
	return err
}

// Running returns the browser, or skips the test if none is installed.
func (s *Shared) Running(t *testing.T) *browser.Browser {
	t.Helper()
	testkit.NeedChromium.OrSkip(t)
	return s.Browser
}

// Scene returns the first scene with a name, or skips the test if no browser is installed.
func (s *Shared) Scene(t *testing.T, name string) Scene {
	t.Helper()
	testkit.NeedChromium.OrSkip(t)
	for _, scene := range s.Scenes {
		if scene.Name == name {
			return scene
		}
	}
	t.Fatalf("there is no scene %q", name)
	return Scene{}
}
