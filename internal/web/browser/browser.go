// Package browser shows pages in Chromium and reports what is wrong with them: what the
// console says, requests to other servers, the security policy, what shifts or
// overflows, and what axe-core finds. Tests and cmd/screenshots use it.
package browser

import (
	"context"
	_ "embed" // axe-core
	"fmt"
	"io"
	"log"
	"sync"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/testkit"
)

//go:embed testdata/axe.min.js
var axe string

// Browser is a running Chromium. It may be used concurrently.
type Browser struct {
	ctx context.Context // that chromedp keeps its browser in
	end func()
	// keeps reports whether pages find what earlier ones have stored, in all tabs.
	keeps bool

	mu   sync.Mutex
	idle []*tab // that no visit uses; guarded by mu
}

// switchedOff keeps a tab in one process: a page that can be gone back to would stay in its
// own, and the next page would compile axe-core again. The others are the default.
const switchedOff = "BackForwardCache,Translate,BlinkGenPropertyTrees"

// Start starts a browser, which Close ends.
func Start(ctx context.Context) (*Browser, error) { return start(ctx) }

// StartIn starts a browser that keeps what pages store in a folder, where the next browser
// finds it. Its tabs share what is stored.
func StartIn(ctx context.Context, folder string) (*Browser, error) {
	b, err := start(ctx, chromedp.UserDataDir(folder))
	if err == nil {
		b.keeps = true
	}
	return b, err
}

// StartDrawing starts a browser that has WebGL, which it computes: pages draw maps. Others have none.
func StartDrawing(ctx context.Context) (*Browser, error) {
	return start(ctx, chromedp.Flag("disable-gpu", false), chromedp.Flag("disable-3d-apis", false),
		chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true))
}

// Kill ends the browser as a crash does: it stores nothing more.
func (b *Browser) Kill() error {
	err := chromedp.FromContext(b.ctx).Browser.Process().Kill()
	b.end()
	return err
}

func start(ctx context.Context, more ...chromedp.ExecAllocatorOption) (*Browser, error) {
	path, err := testkit.FindChromium()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-3d-apis", true),
		chromedp.Flag("disable-features", switchedOff), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("hide-scrollbars", true),
		chromedp.CombinedOutput(io.Discard),
	)
	allocator, endAllocator := chromedp.NewExecAllocator(ctx, append(options, more...)...)
	quiet := chromedp.WithErrorf(log.New(io.Discard, "", 0).Printf) // events that this version of chromedp does not know
	running, endBrowser := chromedp.NewContext(allocator, quiet)
	b := &Browser{ctx: running, end: func() { endBrowser(); endAllocator() }}
	if err := chromedp.Do(running); err != nil {
		b.end()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return b, nil
}

// Close ends the browser.
func (b *Browser) Close() { b.end() }

// Reader is how a page is looked at.
type Reader struct {
	Language string // an Accept-Language
	Width    int    // of the window, in pixels
	Dark     bool
	Scripts  bool
}

// String names the reader, as in the names of files and tests: en-360-dark.
func (r Reader) String() string {
	name := fmt.Sprintf("%s-%d", r.Language, r.Width)
	if r.Dark {
		name += "-dark"
	}
	if !r.Scripts {
		name += "-noscript"
	}
	return name
}

// Pairs returns readers with every pair of language, width, theme and scripts.
func Pairs() []Reader {
	return []Reader{
		{"en", 360, false, true},
		{"en", 1280, true, false},
		{"fr", 360, true, false},
		{"fr", 1280, false, false},
		{"fr", 1280, true, true},
	}
}

// ScriptedPairs returns readers whose browsers run scripts, with every pair of language,
// width and theme.
func ScriptedPairs() []Reader {
	return []Reader{
		{"en", 360, false, true},
		{"en", 1280, true, true},
		{"fr", 360, true, true},
		{"fr", 1280, false, true},
	}
}

// AllReaders returns every combination.
func AllReaders() (all []Reader) {
	for _, language := range []string{"en", "fr"} {
		for _, width := range []int{360, 1280} {
			for i := range 4 {
				all = append(all, Reader{language, width, i&1 != 0, i&2 == 0})
			}
		}
	}
	return all
}
