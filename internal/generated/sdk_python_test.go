package generated_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPythonSDK checks the package in sdk/python, and runs its tests, most of them
// against a service.
func TestPythonSDK(t *testing.T) {
	t.Parallel()
	testkit.NeedSDK.OrSkip(t)
	testkit.NeedPython.OrSkip(t)
	w := &workshop{t, t.TempDir()}
	copySources(t, w.dir, "../../sdk/python")
	python := w.venv(".[test]")
	w.run(python, "-m", "ruff", "check", "src", "tests", "generate.py")
	w.run(python, "-m", "ruff", "format", "--check", "src", "tests", "generate.py")
	w.run(python, "-m", "mypy")
	service := apptest.Start(t, onSystemClock, apptest.Webhooks())
	out := w.run("env", "DROPYARD_TEST_URL="+service.URL, "DROPYARD_TEST_OPERATOR_EMAIL="+apptest.OperatorEmail,
		"DROPYARD_TEST_OPERATOR_PASSWORD="+apptest.OperatorPassword, python, "-m", "pytest", "-q")
	if strings.Contains(out, "skipped") {
		t.Errorf("got skipped tests: %s", out)
	}
}

var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// TestPythonReadme runs the first program of the README of sdk/python.
func TestPythonReadme(t *testing.T) {
	t.Parallel()
	python := pythonWithSDK(t)
	readme, err := os.ReadFile("../../sdk/python/README.md")
	if err != nil {
		t.Fatal(err)
	}
	w := &workshop{t, t.TempDir()}
	service := startSimulated(t)
	program := strings.Replace(string(pythonBlock.FindSubmatch(readme)[1]), "http://127.0.0.1:8080", service.URL, 1)
	writeFile(t, filepath.Join(w.dir, "quickstart.py"), []byte(program))
	out := w.run(python, "quickstart.py")
	if !strings.Contains(out, "1 order.accepted\n2 courier.assigned\n3 order.picked_up\n") ||
		!strings.Contains(out, service.URL+"/track/ord_") {
		t.Errorf("got %q, want the events of an order and its tracking page", out)
	}
}

// pythonWithSDK returns an interpreter that finds the package in sdk/python, and nothing
// that only its tests need.
func pythonWithSDK(t *testing.T) string {
	t.Helper()
	testkit.NeedSDK.OrSkip(t)
	testkit.NeedPython.OrSkip(t)
	built.Lock()
	defer built.Unlock()
	if built.interpreter == "" {
		w := &workshop{t, toBuild(t)}
		copySources(t, w.dir, "../../sdk/python")
		built.interpreter = w.venv(".")
	}
	return built.interpreter
}

// venv makes a virtual environment with packages, and returns its interpreter.
func (w *workshop) venv(packages ...string) string {
	w.Helper()
	w.run("python3", "-m", "venv", "venv")
	python := filepath.Join(w.dir, "venv", "bin", "python")
	w.run(python, append([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check"}, packages...)...)
	return python
}

// onSystemClock runs a service on the system's clock, by which clients sign.
func onSystemClock(_ *config.Config, world *app.Surroundings) {
	world.Now, world.At = time.Now, app.System().At
}
