package browser

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/testkit"
)

// hang is how long one thing that is done on a page may take, unless Options.Limit says
// so. It is that of tests (repeatable.Hang), whose package registers flags.
const hang = 2 * time.Minute

// Visit is a page that a reader looks at for the first time: nothing is cached, and no
// cookies are left of other visits.
type Visit struct {
	URL    string
	Reader Reader
	// Page runs calls of chromedp on the page. It has no limit of time; Do has one.
	Page  context.Context
	limit time.Duration // of one thing that is done on the page
	end   func()
	added page.ScriptIdentifier // of the script that runs before those of the page; may be empty

	mu       sync.Mutex                 // guards what follows: events come from another goroutine
	loaders  map[cdp.LoaderID]bool      // of documents of this visit, not of the one before in the tab
	requests map[network.RequestID]bool // whether they count
	fetched  map[string]bool            // addresses without their queries
	shown    bool                       // the page has taken the place of the one before
	console  []string
	foreign  []string // requests to other servers
	policies map[string]string
	bytes    float64
}

// Options change how a page is looked at.
type Options struct {
	// Now is the time by the page's clock, which stands still; the system's if it is zero.
	Now time.Time
	// IgnorePolicy lets the page do what its security policy forbids, to see what it
	// would do without one.
	IgnorePolicy bool
	// Cookie is one that the reader's browser has, as name=value; empty for none.
	Cookie string
	// Shown selects an element that scripts add: the page is ready when it is visible.
	// Empty for pages that are ready when they are loaded.
	Shown string
	// Script runs before those of the page; may be empty.
	Script string
	// Slower is how many times slower the page's CPU is; 0 for as fast as it is.
	Slower float64
	// Kept gives the visit a browser's storage of its own: it is for pages that register a
	// service worker, which others must not, and that load what they have loaded before.
	Kept bool
	// Limit bounds each thing that is done on the page; two minutes if it is zero.
	Limit time.Duration
}

// clockScript makes the clock of a page stand still at another time: what a page says about how far away a time is does
// not depend on how long it has been open.
const clockScript = `(() => {
  const Real = Date, now = %d;
  globalThis.Date = class extends Real {
    constructor(...a) { if (a.length) super(...a); else super(now); }
    static now() { return now; }
  };
})();`

// noWorkerScript keeps a page from registering a service worker, which would serve the
// visits after it.
const noWorkerScript = `Object.defineProperty(navigator, "serviceWorker", { value: undefined });`

// Open shows the page at an address. Close closes it.
func (b *Browser) Open(address string, as Reader, options Options) (*Visit, error) {
	take := b.take
	if options.Kept {
		take = func() (*tab, error) { return b.open(false) }
	}
	t, err := take()
	if err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	v := &Visit{
		URL: address, Reader: as, Page: t.ctx, limit: cmp.Or(options.Limit, hang), policies: map[string]string{},
		loaders: map[cdp.LoaderID]bool{}, requests: map[network.RequestID]bool{}, fetched: map[string]bool{},
	}
	v.end = func() { b.give(t, v.added) }
	if options.Kept {
		v.end = t.end
	}
	t.use(v)
	if err = v.prepare(options); err == nil {
		err = v.Do(chromedp.Navigate(address))
	}
	if err == nil && options.Shown != "" && as.Scripts {
		err = v.Do(chromedp.WaitVisible(options.Shown))
	}
	if err != nil {
		v.Close()
		return nil, fmt.Errorf("%s as %s: %w", address, as, err)
	}
	return v, nil
}

// prepare makes the tab that of its reader.
func (v *Visit) prepare(options Options) error {
	theme := "light"
	if v.Reader.Dark {
		theme = "dark"
	}
	steps := []chromedp.Action[chromedp.Void]{
		set(network.SetExtraHTTPHeaders,
			network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": v.Reader.Language}}),
		set(emulation.SetDeviceMetricsOverride,
			emulation.SetDeviceMetricsOverrideParams{Width: int64(v.Reader.Width), Height: 900, DeviceScaleFactor: 1}),
		set(emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}),
		set(page.SetBypassCSP, page.SetBypassCSPParams{Enabled: options.IgnorePolicy}),
		set(emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: max(options.Slower, 1)}),
	}
	script := options.Script
	if !options.Kept {
		script = noWorkerScript + script
	}
	if !options.Now.IsZero() {
		script = fmt.Sprintf(clockScript, options.Now.UnixMilli()) + script
	}
	if script != "" {
		steps = append(steps, v.before(script))
	}
	if address, err := url.Parse(v.URL); err == nil && !options.Kept {
		stored := storage.ClearDataForOriginParams{
			Origin: address.Scheme + "://" + address.Host, StorageTypes: "indexeddb,local_storage",
		}
		steps = append(steps, set(storage.ClearDataForOrigin, stored))
	}
	steps = append(steps, allowScripts(v.Reader.Scripts), set(network.ClearBrowserCookies, cdp.Empty{}))
	if name, value, has := strings.Cut(options.Cookie, "="); has {
		steps = append(steps,
			set(network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: v.URL, HTTPOnly: new(true)}))
	}
	return v.Do(steps...)
}

// Do runs actions on the page, one after the other. It fails if they hang.
func (v *Visit) Do(actions ...chromedp.Action[chromedp.Void]) error {
	limited, end := context.WithTimeout(v.Page, v.limit)
	defer end()
	return chromedp.Do(limited, actions...)
}

// before returns an action that adds a script that runs before those of the page.
func (v *Visit) before(source string) chromedp.Action[chromedp.Void] {
	script := page.AddScriptToEvaluateOnNewDocumentParams{Source: source}
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		added, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, script)
		v.added = added.Identifier
		return err
	})
}

// set returns an action that runs a command of the protocol, and drops its result.
func set[P, R any](command cdp.Command[P, R], parameters P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, command, parameters)
		return err
	})
}

// discard returns an action that drops the result of another.
func discard[T any](action chromedp.Action[T]) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := action(ctx, t)
		return err
	})
}

// allowScripts returns an action that lets a tab's pages run scripts, or forbids it.
func allowScripts(allowed bool) chromedp.Action[chromedp.Void] {
	return set(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !allowed})
}

// Close ends the visit.
func (v *Visit) Close() { v.end() }

// note keeps what an event says about the page.
func (v *Visit) note(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *page.EventFrameNavigated:
		v.shown = v.shown || v.loaders[e.Frame.LoaderID]
	case *network.EventRequestWillBeSent:
		v.noteRequest(e)
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument && v.loaders[e.LoaderID] {
			v.policies[e.Response.URL] = headerOf(e.Response.Headers, "content-security-policy")
		}
	case *network.EventLoadingFinished:
		if v.requests[e.RequestID] {
			v.bytes += e.EncodedDataLength
		}
	default:
		if v.shown {
			v.noteConsole(event)
		}
	}
}

// noteRequest keeps a request of the visit. The caller must hold mu.
func (v *Visit) noteRequest(e *network.EventRequestWillBeSent) {
	if e.Type == network.ResourceTypeDocument {
		v.loaders[e.LoaderID] = true
	}
	if !v.loaders[e.LoaderID] && e.LoaderID != "" { // those of workers have none
		return
	}
	path, _, _ := strings.Cut(e.Request.URL, "?")
	isFetch := e.Type == network.ResourceTypeFetch
	v.requests[e.RequestID] = !isFetch || !v.fetched[path]
	v.fetched[path] = v.fetched[path] || isFetch
	if !sameOrigin(e.Request.URL, v.URL) {
		v.foreign = append(v.foreign, e.Request.URL)
	}
}

// noteConsole keeps what the console says. The caller must hold mu.
func (v *Visit) noteConsole(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		v.console = append(v.console, fmt.Sprintf("console.%s: %s", e.Type, argumentsOf(e)))
	case *runtime.EventExceptionThrown:
		v.console = append(v.console, "exception: "+e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		if e.Entry.Source != cdplog.EntrySourceNetwork || e.Entry.URL != v.URL { // a page that says 404 is logged as such
			v.console = append(v.console, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	}
}

func argumentsOf(e *runtime.EventConsoleAPICalled) string {
	texts := make([]string, len(e.Args))
	for i, argument := range e.Args {
		texts[i] = string(argument.Value) + argument.Description
	}
	return strings.Join(texts, " ")
}

func headerOf(headers network.Headers, name string) string {
	for key, value := range headers {
		if strings.EqualFold(key, name) {
			return fmt.Sprint(value)
		}
	}
	return ""
}

func sameOrigin(a, b string) bool {
	first, err := url.Parse(a)
	second, _ := url.Parse(b)
	return err == nil &&
		(first.Scheme == "data" || first.Scheme == "blob" || first.Scheme == second.Scheme && first.Host == second.Host)
}

// Bytes returns how much has been transferred so far, with headers. What a script asks for again and again, such as the
// changes of a list, counts once.
func (v *Visit) Bytes() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return int(v.bytes)
}

// Evaluate runs an expression in the page and returns its value. The expression may be
// a promise.
func Evaluate[T any](v *Visit, expression string) (T, error) {
	limited, end := context.WithTimeout(v.Page, v.limit)
	defer end()
	return chromedp.Run(limited, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Screenshot returns a PNG of the whole page.
func (v *Visit) Screenshot() ([]byte, error) {
	return chromedp.Run(v.Page, chromedp.FullScreenshot(100))
}

// maxShift is how much of a page may move while it loads, as PerformanceObserver
// measures it.
const maxShift = 0.02

// measuresShifts reports whether pages are looked at for what moves. How much does depends
// on what arrives first, and so on the machine: tests measure it at full length only.
func measuresShifts() bool { return !testing.Testing() || testkit.Long() }

// Problems returns everything that is wrong with the page. policy is the security
// policy that it must have.
func (v *Visit) Problems(policy string) (problems []string) {
	problems = append(problems, v.layoutProblems()...)
	problems = append(problems, v.axeProblems()...)
	v.mu.Lock()
	defer v.mu.Unlock()
	problems = append(problems, v.console...)
	for _, address := range v.foreign {
		problems = append(problems, "request to another server: "+address)
	}
	if len(v.policies) == 0 {
		problems = append(problems, "no document was loaded")
	}
	for address, got := range v.policies {
		if got != policy {
			problems = append(problems, fmt.Sprintf("policy of %s: got %q, want %q", address, got, policy))
		}
	}
	return problems
}

// layoutScript returns the layout, with what has shifted if it is asked for.
const layoutScript = `((shifts) => new Promise((resolve) => {
  let shift = 0;
  new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) shift += e.value; }).observe({ type: "layout-shift", buffered: true });
  const root = document.documentElement, labels = [];
  for (const table of document.querySelectorAll(".rows:not([aria-busy]) table")) {
    const headings = [...table.tHead.rows[0].cells], titles = headings.map((cell) => cell.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr, tfoot tr")) {
      let column = 0, names = 0;
      for (const cell of row.cells) {
        const label = cell.dataset.label, title = titles[column];
        if (label === undefined && !headings[column].querySelector(".hidden")) names++;
        if (label !== undefined && label !== title) labels.push(label + " in the column " + title);
        column += cell.colSpan;
      }
      if (names > 1 && row.cells.length > 2) labels.push(names + " cells without a label in " + row.textContent.trim());
    }
  }
  const unsized = [...document.images].filter((image) => !image.getAttribute("width") || !image.getAttribute("height")).map((image) => image.outerHTML);
  const dots = document.body.innerText.split("\n").filter((line) => line.trim() !== "·" && /\S·|·\S|^·|·$/.test(line.trim()));
  const answer = () => resolve({ shift, wide: root.scrollWidth - root.clientWidth, labels, unsized, dots });
  if (shifts) setTimeout(answer, 50);
  else answer();
}))(%t)`

// layout is what layoutScript returns.
type layout struct {
	Shift float64 `json:"shift"`
	Wide  float64 `json:"wide"` // by how many pixels the page is wider than the window
	// Labels are cells of stacked tables with the label of another column, and rows in which
	// more than one cell has none.
	Labels []string `json:"labels"`
	// Unsized are pictures whose place is not reserved: what follows moves when they arrive.
	Unsized []string `json:"unsized"`
	// Dots are lines in which a dot between two texts lacks one of them, or the blank before it.
	Dots []string `json:"dots"`
}

func (v *Visit) layoutProblems() (problems []string) {
	if !v.Reader.Scripts { // nothing moves; what follows runs scripts of its own
		if err := v.Do(allowScripts(true)); err != nil {
			return []string{err.Error()}
		}
	}
	measures := measuresShifts()
	layout, err := Evaluate[layout](v, fmt.Sprintf(layoutScript, measures))
	if err != nil {
		return []string{"layout: " + err.Error()}
	}
	if measures && layout.Shift >= maxShift {
		problems = append(problems, fmt.Sprintf("layout shift: got %.3f, want less than %.2f", layout.Shift, maxShift))
	}
	if layout.Wide > 0 {
		problems = append(problems, fmt.Sprintf("the page is %.0f px wider than the window", layout.Wide))
	}
	for _, label := range layout.Labels {
		problems = append(problems, "stacked table: "+label)
	}
	for _, line := range layout.Dots {
		problems = append(problems, "a dot without a blank or a text beside it: "+line)
	}
	for _, image := range layout.Unsized {
		problems = append(problems, "a picture without width and height: "+image)
	}
	return problems
}

// axeScript runs axe-core and returns what it finds, and where. Of what rules may load, none
// of these needs the style sheets.
const axeScript = `axe.run(document, { preload: { assets: ["media"] }, resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
  .then((r) => r.violations.map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")))`

func (v *Visit) axeProblems() (problems []string) {
	if _, err := Evaluate[any](v, axe+";null"); err != nil {
		return []string{"axe: " + err.Error()}
	}
	found, err := Evaluate[[]string](v, axeScript)
	if err != nil {
		return []string{"axe: " + err.Error()}
	}
	return found
}

// targetsScript lists what can be tapped and is less than 44 px high or wide. A field in a
// label is as large as its label.
const targetsScript = `[...new Set([...document.querySelectorAll("a, button, summary, select, textarea, input")].map((e) => e.closest("label") ?? e))]
  .filter((e) => e.checkVisibility() && !e.closest(".skip, .hidden")).map((e) => [e, e.getBoundingClientRect()]).filter(([, box]) => box.width < 44 || box.height < 44)
  .map(([e, box]) => "the target " + e.outerHTML.slice(0, 80) + " is " + box.width + " × " + box.height + " px, want at least 44 × 44")`

// SmallTargets returns what is too small to be tapped with a finger.
func (v *Visit) SmallTargets() []string {
	found, err := Evaluate[[]string](v, targetsScript)
	if err != nil {
		return []string{"targets: " + err.Error()}
	}
	return found
}

// Heap returns how much memory the page's scripts use after a collection of garbage, in
// millions of bytes.
func (v *Visit) Heap() (float64, error) {
	if _, err := chromedp.Call(v.Page, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		return 0, err
	}
	used, err := chromedp.Call(v.Page, runtime.GetHeapUsage, cdp.Empty{})
	return (used.UsedSize + used.EmbedderHeapUsedSize + used.BackingStorageSize) / 1e6, err
}
