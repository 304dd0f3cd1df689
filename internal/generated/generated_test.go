// Package generated_test generates clients from the OpenAPI documents, compiles them,
// and runs each against a service: it registers a partner and creates a key, then
// quotes, creates, lists and cancels an order in signed requests, and reads a refusal as
// a typed error. Clients of further generators make one signed call. The versions of the generators
// are in testdata. It also runs the tests of the clients in sdk.
package generated_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	documents "github.com/dropyard/dropyard/api"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// flow is what every generated client prints.
const flow = `register 201
key 201
quote 200
create 201
list 200
cancel 200
refused 422 parcels
`

// workshop is a directory with the documents and one language's files.
type workshop struct {
	testing.TB
	dir string
}

func newWorkshop(t *testing.T, language string) *workshop {
	t.Helper()
	testkit.NeedFullLength.OrSkip(t)
	w := &workshop{t, t.TempDir()}
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("testdata", language))); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string][]byte{"openapi.yaml": documents.OpenAPI, "ops.yaml": documents.Ops} {
		served, err := documents.At(source, "https://delivery.example")
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(w.dir, name), served)
	}
	return w
}

// run runs a program in the directory, and returns what it prints.
func (w *workshop) run(program string, arguments ...string) string {
	w.Helper()
	command := exec.CommandContext(w.Context(), program, arguments...)
	command.Dir = w.dir
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		w.Fatalf("%s: %v\n%s%s", command, err, out, stderr.String())
	}
	return string(out) + stderr.String()
}

// try runs a client against a new service on the system's clock, and against one of a later
// release, whose objects have members that the client was not generated with.
func (w *workshop) try(program string, arguments ...string) {
	w.Helper()
	w.eachRelease(func(release, url string, _ *apptest.Service) {
		if got := w.run(program, append(slices.Clone(arguments), url)...); got != flow {
			w.Errorf("%s: got %q, want %q", release, got, flow)
		}
	})
}

// eachRelease calls fn with the URLs of two services.
func (w *workshop) eachRelease(fn func(release, url string, service *apptest.Service)) {
	w.Helper()
	service := apptest.Start(w, onSystemClock)
	fn("this release", service.URL, service)
	later := apptest.Start(w, onSystemClock)
	fn("a later release", laterRelease(w, later.URL), later)
}

// laterRelease returns the URL of a proxy that adds members to each object in the answers
// of a service.
func laterRelease(t testing.TB, service string) string {
	t.Helper()
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(answer *http.Response) error {
		if answer.Header.Get("Content-Type") != "application/json" {
			return nil
		}
		var body any
		decoder := json.NewDecoder(answer.Body)
		decoder.UseNumber()
		if err := decoder.Decode(&body); err != nil {
			return fmt.Errorf("decode an answer: %w", err)
		}
		grow(body)
		grown, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode an answer: %w", err)
		}
		answer.Body = io.NopCloser(bytes.NewReader(grown))
		answer.ContentLength = int64(len(grown))
		answer.Header.Set("Content-Length", strconv.Itoa(len(grown)))
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// grow adds members of three kinds to each object in a value.
func grow(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			grow(inner)
		}
		value["later_text"], value["later_number"], value["later_object"] = "x", 7, map[string]any{"list": []any{1, nil}}
	case []any:
		for _, inner := range value {
			grow(inner)
		}
	}
}

func TestTypeScript(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	w := newWorkshop(t, "typescript")
	w.npmInstall()
	for _, name := range []string{"openapi", "ops"} {
		w.run("npx", "openapi-typescript", name+".yaml", "-o", name+".d.ts")
	}
	w.run("npx", "tsc")
	w.try("node", filepath.Join("out", "flow.js"))
}

func TestPython(t *testing.T) {
	t.Parallel()
	testkit.NeedPython.OrSkip(t)
	w := newWorkshop(t, "python")
	python := w.venv("-r", "requirements.txt")
	for _, name := range []string{"openapi", "ops"} {
		said := w.run(python, "-m", "openapi_python_client", "generate", "--path", name+".yaml", "--config", "config.yaml",
			"--meta", "none", "--output-path", name)
		if strings.Contains(said, "WARNING") || strings.Contains(said, "Unable to") {
			t.Errorf("%s.yaml: got warnings of the generator: %s", name, said)
		}
	}
	w.run(python, "-m", "mypy", "flow.py", "openapi", "ops")
	w.try(python, "flow.py")
}

func TestGo(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, "golang")
	w.rename("go.mod.txt", "flow.go.txt")
	for _, name := range []string{"openapi", "ops"} {
		if err := os.Mkdir(filepath.Join(w.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		w.run("go", "run", "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2",
			"-generate", "types,client,strict-server,std-http-server,skip-prune", "-package", name,
			"-o", filepath.Join(name, name+".go"), name+".yaml")
	}
	w.run("go", "mod", "tidy")
	w.run("go", "vet", "./...")
	w.try("go", "run", ".")
}

func TestJava(t *testing.T) {
	t.Parallel()
	testkit.NeedJava.OrSkip(t)
	w := newWorkshop(t, "java")
	w.run("mvn", "--batch-mode", "--quiet", "compile", "dependency:copy-dependencies")
	target := filepath.Join(w.dir, "target")
	w.try("java", "-cp", filepath.Join(target, "classes")+":"+filepath.Join(target, "dependency", "*"), "Flow")
}
