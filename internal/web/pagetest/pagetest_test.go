package pagetest_test

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// shared is shared by all tests, which only look.
var shared pagetest.Shared

func TestMain(m *testing.M) { shared.Main(m) }

// whole are the scenes that readers of all kinds see in every run.
var whole = []string{"components", "track-out-for-delivery"}

// isState reports whether the scene with an index is one more state of a page that an
// earlier scene shows: of the recipient's page, of a mail, or of the page that its name
// begins with, as portal-order of portal-order-failed.
func isState(i int) bool {
	kind := func(s pagetest.Scene) string {
		parts := strings.Split(s.Name, "-")
		return strings.Join(parts[:min(2, len(parts))], "-")
	}
	if name := shared.Scenes[i].Name; strings.HasPrefix(name, "track-") || strings.HasPrefix(name, "mail-") {
		return true
	}
	return slices.ContainsFunc(shared.Scenes[:i],
		func(earlier pagetest.Scene) bool { return kind(earlier) == kind(shared.Scenes[i]) })
}

// states makes a run show each page in all of its states, hundreds in all.
var states = flag.Bool("states", false, "show pages in all of their states, as at full length, but to one reader each")

// readersOf returns who looks at the scene with an index. The most important ones are
// shown to readers of all pairs, every other page to one of them in turn, so that the
// states of a page are seen by different readers. At full length every page is shown in
// all combinations, and its other states to two readers. States that scripts lead to are
// shown to readers whose browsers run them.
func readersOf(i int) []browser.Reader {
	important, pairs := slices.Contains(whole, shared.Scenes[i].Name), browser.Pairs()
	turn := func(n int) browser.Reader { return pairs[n%len(pairs)] }
	switch {
	case !important && isState(i) && !*states && !testkit.Long():
		return nil
	case shared.Scenes[i].Script != "":
		return scriptedReadersOf(i)
	case testkit.Long() && (important || !isState(i)):
		return browser.AllReaders()
	case important:
		return pairs
	case testkit.Long():
		return []browser.Reader{turn(i), turn(i + 2)}
	default:
		return []browser.Reader{turn(i)}
	}
}

// scriptedReadersOf returns who looks at a scene that scripts lead to: one of all pairs in
// turn, and at full length all.
func scriptedReadersOf(i int) (readers []browser.Reader) {
	if !testkit.Long() {
		pairs := browser.ScriptedPairs()
		return pairs[i%len(pairs) : i%len(pairs)+1]
	}
	for _, reader := range browser.AllReaders() {
		if reader.Scripts {
			readers = append(readers, reader)
		}
	}
	return readers
}

// straysScript returns the texts for screen readers that lie outside of what scrolls around them: they do not scroll
// with it, and make the page itself longer.
const straysScript = `[...document.querySelectorAll(".hidden")].filter((e) => {
  for (let box = e.parentElement; box && box !== document.body; box = box.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(box).overflowY)) return e.offsetParent && !box.contains(e.offsetParent);
  }
}).map((e) => "the hidden text “" + e.textContent + "” is outside of what scrolls around it")`

// problemsOf returns what is wrong with a scene that is open.
func problemsOf(scene pagetest.Scene, visit *browser.Visit) []string {
	problems := visit.Problems(scene.Policy)
	if scene.Taps {
		problems = slices.DeleteFunc(problems,
			func(problem string) bool { return strings.HasPrefix(problem, "layout shift") })
	}
	if scene.Phone {
		problems = append(problems, visit.SmallTargets()...)
	}
	strays, err := browser.Evaluate[[]string](visit, straysScript)
	if err != nil {
		strays = []string{err.Error()}
	}
	return append(problems, strays...)
}

// maxBytes is how much a page may weigh on the first visit, with all that it loads.
const maxBytes = 100 << 10

// maxIslandBytes is the same for pages of islands, whose modules are cached for ever. It has room for two answers that
// list changes, of 3 kB each: how many come until the page is looked at depends on the machine.
const maxIslandBytes = 174 << 10

// sparingScript keeps a page from loading what it does not need yet, which it does after a second: how much a page has
// loaded then does not depend on how fast the machine is.
const sparingScript = `Object.defineProperty(navigator, "connection", { value: { saveData: true } });`

// openedScene matches the states in which something is open on the board, which has loaded modules of its own then,
// and maxOpenedBytes is how much the page may weigh with them.
var openedScene = regexp.MustCompile("^console-board-(panel|picker|toast|places|columns|message)")

const maxOpenedBytes = 200 << 10

// TestScenes shows every page in every state.
func TestScenes(t *testing.T) {
	t.Parallel()
	chromium := shared.Running(t)
	for i, scene := range shared.Scenes {
		for _, reader := range readersOf(i) {
			t.Run(scene.Name+"/"+reader.String(), func(t *testing.T) {
				t.Parallel()
				visit, err := chromium.Open(scene.URL, reader,
					browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: sparingScript + scene.Script})
				if err != nil {
					t.Fatal(err)
				}
				defer visit.Close()
				most := maxBytes
				if scene.Policy != page.Policy && scene.Shown != "" {
					most = maxIslandBytes
				}
				if openedScene.MatchString(scene.Name) {
					most = maxOpenedBytes
				}
				if strings.HasSuffix(scene.Name, "-wordy") { // fields hold texts as long as they may be
					most *= 2
				}
				if got := visit.Bytes(); got == 0 || got > most {
					t.Errorf("got %d bytes in all, want at most %d", got, most)
				}
				for _, problem := range problemsOf(scene, visit) {
					t.Error(problem)
				}
				shown, err := browser.Evaluate[bool](visit, `document.querySelector(".refused") !== null`)
				if want := refusedScene.MatchString(scene.Name); err != nil || shown != want {
					t.Errorf("got that the page is refused: %t, %v, want %t", shown, err, want)
				}
			})
		}
	}
}

// refusedScene fits the names of scenes in which there is no such page.
var refusedScene = regexp.MustCompile("^refused-|^portal-order-unknown$")

// hostileScript returns what a text has done to a page: a variable that it has set,
// scripts in the page, attributes that run scripts or set styles, and links to scripts.
// Data of islands are not scripts, and their lists set heights and places by themselves.
const hostileScript = `[
  ...[typeof hacked].filter((t) => t !== "undefined"),
  ...[...document.scripts].filter((s) => !["importmap", "application/json"].includes(s.type)).map((s) => s.getAttribute("src") ?? "inline").filter((src) => !src.startsWith("/assets/")),
  ...[...document.querySelectorAll("*")].flatMap((e) => e.getAttributeNames().filter((n) => /^on|^style$/.test(n) && !/^(height|top): [\d.]+px;$/.test(e.getAttribute(n)))),
  ...[...document.querySelectorAll("a, form")].map((e) => e.protocol ?? new URL(e.action).protocol).filter((p) => p === "javascript:"),
]`

// TestHostileTextsStayText shows texts that try to become markup and scripts, with the
// security policy switched off, so that nothing but the page itself holds them back.
func TestHostileTextsStayText(t *testing.T) {
	t.Parallel()
	chromium := shared.Running(t)
	for _, scene := range shared.Scenes {
		if !strings.Contains(scene.Name, "hostile") {
			continue
		}
		t.Run(scene.Name, func(t *testing.T) {
			t.Parallel()
			reader := browser.Reader{Language: "en", Width: 360, Scripts: true}
			visit, err := chromium.Open(scene.URL, reader, browser.Options{
				Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: scene.Script, IgnorePolicy: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer visit.Close()
			found, err := browser.Evaluate[[]string](visit, hostileScript)
			if err != nil || len(found) > 0 {
				t.Errorf("got %q, %v, want nothing that a text has done", found, err)
			}
			shown, err := browser.Evaluate[string](visit, `document.body.textContent`)
			if err != nil || !strings.Contains(shown, "<script>hacked=1</script>") {
				t.Errorf("got a page without the hostile text, %v:\n%s", err, shown)
			}
		})
	}
}

// TestPolicyStopsScripts puts a script into a page by force: the policy stops it.
func TestPolicyStopsScripts(t *testing.T) {
	t.Parallel()
	chromium := shared.Running(t)
	visit, err := chromium.Open(shared.URL+"/", browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	ran, err := browser.Evaluate[bool](visit, `new Promise((resolve) => {
	  const script = document.createElement("script");
	  try { script.text = "globalThis.ran = true"; document.body.append(script); } catch { /* Trusted Types */ }
	  setTimeout(() => resolve(globalThis.ran === true), 20);
	})`)
	if err != nil || ran {
		t.Errorf("got that an inline script ran: %t, %v, want it stopped", ran, err)
	}
}

// TestSwap follows links that replace a part of the page, goes back, and sends a form by
// a double click, which counts once. What is around the part stays as it was.
func TestSwap(t *testing.T) {
	t.Parallel()
	chromium := shared.Running(t)
	visit, err := chromium.Open(shared.URL+"/swap", browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	if _, err := browser.Evaluate[string](visit, `document.querySelector("#around").value = "kept"`); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		do   chromedp.Action[chromedp.Void]
		want string // what the part shows then
	}{
		{chromedp.Click("#next"), "page 2"},
		{chromedp.Click("#next"), "page 3"},
		{chromedp.NavigateBack(), "page 2"},
		{chromedp.DoubleClick("#send"), "sent 1"},
	} {
		if err := visit.Do(step.do, chromedp.WaitVisible(`[data-shows="`+step.want+`"]`)); err != nil {
			t.Fatalf("want %q: %v", step.want, err)
		}
	}
	kept, err := browser.Evaluate[[]string](visit,
		`[document.querySelector("#around").value, document.title, location.search]`)
	if err != nil || !slices.Equal(kept, []string{"kept", "sent 1", "?sent=1"}) {
		t.Errorf("got %q, %v, want the field as it was, and the title and address of the part", kept, err)
	}
}

var hidden = regexp.MustCompile(`name="_key" value="([0-9a-f]+)"`)

// TestSwapWithoutScripts does what a browser does that runs no scripts. A form that is
// sent twice counts once.
func TestSwapWithoutScripts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(pagetest.Single())
	defer server.Close()
	first := body(t)(server.Client().Get(server.URL + "/swap"))
	if !strings.Contains(first, `href="/swap?page=2"`) {
		t.Fatalf("got\n%s\nwant a link to the next page", first)
	}
	for range 2 {
		key := hidden.FindStringSubmatch(first)[1]
		if sent := body(t)(server.Client().PostForm(server.URL+"/swap",
			url.Values{"_key": {key}})); !strings.Contains(sent, `data-shows="sent 1"`) {
			t.Errorf("got\n%s\nwant the form counted once", sent)
		}
	}
}

// body returns a function that reads the body of a response.
func body(t *testing.T) func(*http.Response, error) string {
	return func(response *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}
