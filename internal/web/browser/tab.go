package browser

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// tab is a tab with cookies of its own. Visits use it one after the other, because a new
// tab costs more than a page does.
type tab struct {
	ctx context.Context // of chromedp; it ends with the browser
	end func()          // closes the tab

	mu    sync.Mutex
	visit *Visit // which gets the events; nil between visits; guarded by mu
}

// take returns a tab that no visit uses, and opens one if there is none.
func (b *Browser) take() (*tab, error) {
	b.mu.Lock()
	if last := len(b.idle) - 1; last >= 0 {
		defer b.mu.Unlock()
		t := b.idle[last]
		b.idle = b.idle[:last]
		return t, nil
	}
	b.mu.Unlock()
	return b.open(true)
}

// open opens a tab. If it is not fresh, its pages find what earlier ones have loaded.
func (b *Browser) open(fresh bool) (*tab, error) {
	var options []chromedp.ContextOption
	if !b.keeps {
		options = append(options, chromedp.WithNewBrowserContext())
	}
	ctx, end := chromedp.NewContext(b.ctx, options...)
	t := &tab{ctx: ctx, end: end}
	err := chromedp.Do(ctx, // a limit of time here would later close the tab
		set(network.Enable, network.EnableParams{}),
		// Every visit is a first one: what earlier visits have loaded does not count.
		set(network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: fresh}),
		set(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/Toronto"}),
	)
	if err == nil {
		err = chromedp.Listen(ctx, t.note)
	}
	if err != nil {
		end()
		return nil, err
	}
	return t, nil
}

// stillScript keeps a page from doing anything by itself: no timer fires, and no request is
// sent.
const stillScript = `for (let id = setTimeout(() => {}); id > 0; id--) clearTimeout(id);
globalThis.setTimeout = globalThis.setInterval = globalThis.requestAnimationFrame = () => 0;
globalThis.fetch = () => new Promise(() => {});
null`

// give takes a tab back whose visit has ended. It goes on showing the page, because a blank
// one would end the process in which axe-core is compiled; but the page does nothing more.
func (b *Browser) give(t *tab, added page.ScriptIdentifier) {
	t.use(nil)
	steps := []chromedp.Action[chromedp.Void]{
		allowScripts(true), discard(chromedp.Evaluate[any](stillScript)), set(page.StopLoading,
			cdp.Empty{}), allowScripts(false),
	}
	if added != "" {
		steps = append(steps,
			set(page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: added}))
	}
	limited, end := context.WithTimeout(t.ctx, hang)
	defer end()
	if chromedp.Do(limited, steps...) != nil {
		return // it closes with the browser
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle = append(b.idle, t)
}

// use makes a visit the one that gets the tab's events.
func (t *tab) use(v *Visit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.visit = v
}

func (t *tab) note(event any) {
	t.mu.Lock()
	v := t.visit
	t.mu.Unlock()
	if v != nil {
		v.note(event)
	}
}
