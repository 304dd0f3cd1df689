package page_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/web/page"
)

// TestConstantCalls renders calls whose arguments are constant beside others: results
// must be escaped where they stand, whoever makes the call.
func TestConstantCalls(t *testing.T) {
	t.Parallel()
	const body = `{{define "body"}}<p title="{{t "time.in" "t" "<1 & 2>"}}">{{t "time.in" "t" "<b>'+"}}|{{t "time.in" "t" "{t}"}}|` +
		`{{range .}}[{{t "time.comma"}}{{if .}}{{t "time.in" "t" .}}{{else}}{{t "time.now"}}{{end}}]{{end}}|` +
		`{{with $x := t "time.now"}}{{$x}}{{end}}|{{len (t "time.comma")}}</p><img src="{{asset "icon.svg"}}">{{end}}`
	site := page.NewSite(page.Config{Now: testkit.NewClock(testkit.Epoch).Now, Random: repeatable.Reader(t)})
	templates := site.Templates(fstest.MapFS{"body.html": {Data: []byte(body)}}, "body.html")
	got, err := templates.Render(http.Header{},
		page.Document{Language: page.English, Template: "body", Data: []string{"<i>", ""}})
	if err != nil {
		t.Fatal(err)
	}
	want := `<p title="in &lt;1 &amp; 2&gt;">in &lt;b&gt;&#39;&#43;|in {t}|[,in &lt;i&gt;][,just now]|just now|1</p><img src="` + site.Asset("icon.svg") + `">`
	if !strings.Contains(string(got), want) {
		t.Errorf("got %s\nwant it to contain %s", got, want)
	}
}
