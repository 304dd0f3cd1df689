package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLabelLinks uses links to labels while they hold, after that, and while the partner is suspended. No log has
// a link's token.
func TestLabelLinks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access.log")
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.AccessLog = path })
	o, p := s.Operate(t), s.Register(t, "metro")
	link := func(p *apptest.Partner, reference string) (target string) {
		t.Helper()
		id := p.Create(t, testkit.OrderJSON(reference, "")).Must(t, 201).Text("order_id")
		made := p.Call(t, "POST", "/v1/orders/"+id+"/label-link", nil).Must(t, 200)
		if got, want := made.Text("expires_at"), "2026-01-14T15:15:00.000Z"; got != want {
			t.Errorf("got a link until %s, want %s", got, want)
		}
		target, ok := strings.CutPrefix(made.Text("url"), s.URL+"/v1/orders/"+id+"/label/")
		if !ok {
			t.Fatalf("got %s, want an address of the service", made.Body)
		}
		return "/v1/orders/" + id + "/label/" + target
	}
	targets := []string{link(p, "A-1"), link(p.InTest(t), "A-1")}
	get := func(target string) *apptest.Answer { return s.Do(t, "GET", target, nil) }
	var tokens []string
	for _, target := range targets {
		if got := get(target).Must(t, 200); !strings.HasPrefix(string(got.Body), "%PDF-") {
			t.Errorf("got %.20q, want a PDF", got.Body)
		}
		token := filepath.Base(target)
		tokens = append(tokens, token)
		for _, wrong := range []string{
			target[:len(target)-1], target + "A", strings.Replace(target, token, strings.ToLower(token), 1),
			"//v1/orders/x/label/" + token, target + "/", "/v1/orders/none/label/" + token,
		} {
			get(wrong).Refused(t, 404, "not_found")
		}
		get("/v1/orders/"+token).Refused(t, 401, "unauthorized")
	}
	get(filepath.Dir(targets[0])+"/"+tokens[1]).Refused(t, 404, "not_found")
	set(t, o, p, `{"suspended":true}`)
	for _, target := range targets {
		get(target).Refused(t, 403, "forbidden")
	}
	set(t, o, p, `{"suspended":false}`)
	s.Clock.Advance(15 * time.Minute)
	get(targets[0]).Must(t, 200)
	logged := p.Call(t, "GET", "/v1/logs", nil).Must(t, 200)
	s.Clock.Advance(time.Second)
	get(targets[0]).Refused(t, 404, "not_found")
	s.Stop()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		if strings.Contains(string(text), token[20:50]) || strings.Contains(string(logged.Body), token[20:50]) {
			t.Errorf("got the token %s in a log", token)
		}
	}
	if !strings.Contains(string(text), `/label/{token}"`) {
		t.Errorf("got a log without the links:\n%s", text)
	}
}
