package generated_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestReceivers runs the receivers of examples/receivers. Each acknowledges a webhook of a service, and refuses what
// was changed on its way or has another signature.
func TestReceivers(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *workshop) []string{
		"net/http": goReceiver, "Express": expressReceiver,
		"Flask":   pythonReceiver("flask_receiver.py"),
		"FastAPI": pythonReceiver("fastapi_receiver.py"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &workshop{t, t.TempDir()}
			copySources(t, w.dir, "../../examples/receivers")
			command := prepare(t, w)
			service := apptest.Start(t, onSystemClock, apptest.Webhooks())
			service.Clock = testkit.NewClock(time.Now())
			partner := service.Register(t, "metro")
			secret := partner.SetEndpoint(t, "http://127.0.0.1/") // of the receiver, which has no address yet
			receiver := startReceiver(t, secret, command)
			partner.Call(t, "PUT", "/v1/webhooks/endpoint", []byte(`{"url":"`+receiver.url+`"}`)).Must(t, 200)
			test := partner.Call(t, "POST", "/v1/webhooks/test", nil).Must(t, 200)
			if fmt.Sprint(test.JSON("status_code")) != "200" {
				t.Fatalf("webhook.test: got %s, want the status 200", test.Body)
			}
			receiver.out.waitFor(t, regexp.MustCompile(`received webhook\.test`))
			refuseForgeries(t, receiver.url, secret)
		})
	}
}

// refuseForgeries posts what a receiver must not take for an event.
func refuseForgeries(t *testing.T, url, secret string) {
	t.Helper()
	const body = `{"id":"1","type":"order.delivered","data":{}}`
	for name, c := range map[string]struct {
		secret, body string
		want         int
	}{
		"signed":                {secret, body, 200},
		"another secret":        {client.NewWebhookSecret(), body, 401},
		"encoded again":         {secret, strings.ReplaceAll(body, ",", ", "), 401},
		"of another event":      {secret, strings.Replace(body, "delivered", "failed", 1), 401},
		"neither JSON nor good": {secret, "{", 401},
	} {
		header, err := client.SignWebhook(c.secret, "1", time.Now(), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = header
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s: got %d, want %d", name, answer.StatusCode, c.want)
		}
	}
}

// output is what a program has printed.
type output struct {
	mu      sync.Mutex // guards text
	text    bytes.Buffer
	changed chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.changed <- struct{}{}:
	default:
	}
	return o.text.Write(p)
}

// waitFor waits until the program has printed a match, and returns it with its groups.
func (o *output) waitFor(t *testing.T, want *regexp.Regexp) []string {
	t.Helper()
	ended, cancel := context.WithTimeout(t.Context(), repeatable.Hang)
	defer cancel()
	for {
		o.mu.Lock()
		found := want.FindStringSubmatch(o.text.String())
		o.mu.Unlock()
		if found != nil {
			return found
		}
		select {
		case _, running := <-o.changed:
			if !running {
				t.Fatalf("got %q, want a match of %s", o.text.String(), want)
			}
		case <-ended.Done():
			t.Fatalf("got no match of %s", want)
		}
	}
}

type runningReceiver struct {
	url string
	out *output
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// startReceiver starts a program on a port of its own until the test ends.
func startReceiver(t *testing.T, secret string, command []string) *runningReceiver {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	program := exec.CommandContext(ctx, command[0], command[1:]...)
	program.Env = append(program.Environ(), "WEBHOOK_SECRET="+secret, "PORT=0")
	out := &output{changed: make(chan struct{}, 1)}
	program.Stdout, program.Stderr = out, out
	if err := program.Start(); err != nil {
		stop()
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = program.Wait() // it is killed
		close(out.changed)
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return &runningReceiver{out.waitFor(t, address)[0] + "/hooks", out}
}

func goReceiver(t *testing.T, w *workshop) []string {
	t.Helper()
	testkit.NeedSDK.OrSkip(t)
	program := filepath.Join(w.dir, "receiver")
	(&workshop{t, "../.."}).run("go", "build", "-o", program, "./examples/receivers/go")
	return []string{program}
}

func expressReceiver(t *testing.T, w *workshop) []string {
	t.Helper()
	sdk := newTypeScriptSDK(t)
	project := &workshop{t, filepath.Join(w.dir, "express")}
	project.run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", sdk.packed())
	return []string{"node", filepath.Join(project.dir, "receiver.mjs")}
}

// pythonReceiver returns a function that installs what a program needs beside the package, and returns its command.
func pythonReceiver(file string) func(*testing.T, *workshop) []string {
	return func(t *testing.T, w *workshop) []string {
		t.Helper()
		testkit.NeedSDK.OrSkip(t)
		testkit.NeedPython.OrSkip(t)
		built.Lock()
		defer built.Unlock()
		if built.receivers == "" {
			shared := &workshop{t, toBuild(t)}
			copySources(t, shared.dir, "../../sdk/python")
			requirements, err := filepath.Abs("../../examples/receivers/python/requirements.txt")
			if err != nil {
				t.Fatal(err)
			}
			built.receivers = shared.venv(".", "-r", requirements)
		}
		return []string{built.receivers, filepath.Join(w.dir, "python", file)}
	}
}
