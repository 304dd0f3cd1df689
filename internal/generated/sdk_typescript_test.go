package generated_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	documents "github.com/dropyard/dropyard/api"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestTypeScriptSDK builds the package in sdk/typescript, runs its tests against a
// service, and its example as the README says.
func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	w := newTypeScriptSDK(t)
	service := startSimulated(t)
	w.run("env", "DROPYARD_URL="+service.URL, "npm", "test")

	shop := &workshop{t, t.TempDir()}
	copySources(t, shop.dir, "../../sdk/typescript/examples")
	shop.run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", w.packed())
	out := shop.run("env", "DROPYARD_URL="+service.URL, "node", "quickstart.mjs")
	if !strings.Contains(out, "verified order.delivered\nA-1 delivered ") {
		t.Errorf("quickstart.mjs: got %q, want a delivered order", out)
	}
}

// project is what the program in testdata/project prints.
const project = `listed true
refused 422 /docs/errors/validation_error true
no answer true
Client DropyardError Feed NoAnswerError Service Session WebhookError hasCode newWebhookSecret parseEvent sign ` +
	`signWebhook signature signatureV2 signing verifyDropSignature verifyWebhook version webhookHandler webhookListener
`

// TestTypeScriptProjects compiles and runs one program, with the package as npm installs it, in projects of both kinds.
func TestTypeScriptProjects(t *testing.T) {
	t.Parallel()
	sdk := newTypeScriptSDK(t)
	service := apptest.Start(t, onSystemClock)
	for kind, manifest := range map[string]string{
		"CommonJS": `{"name": "project", "private": true}`,
		"ESM":      `{"name": "project", "private": true, "type": "module"}`,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := &workshop{t, t.TempDir()}
			copySources(t, w.dir, "testdata/project")
			writeFile(t, filepath.Join(w.dir, "package.json"), []byte(manifest))
			w.run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", sdk.packed())
			(&workshop{t, sdk.dir}).run("npx", "tsc", "-p", w.dir, "--typeRoots",
				filepath.Join(sdk.dir, "node_modules", "@types"))
			if got := w.run("node", "main.js", service.URL); got != project {
				t.Errorf("got %q, want %q", got, project)
			}
		})
	}
}

// TestTypeScriptPackage: the package has what programs load, and nothing else.
func TestTypeScriptPackage(t *testing.T) {
	t.Parallel()
	sdk := newTypeScriptSDK(t)
	want := []string{"LICENSE", "README.md", "dist/cjs/package.json", "examples/quickstart.mjs", "package.json"}
	for _, format := range []string{"dist/cjs/", "dist/esm/"} {
		for _, module := range []string{"client", "error", "feed", "index", "service", "signing", "version", "webhooks"} {
			want = append(want, format+module+".js", format+module+".d.ts")
		}
		want = append(want, format+"openapi.d.ts", format+"types.d.ts") // types only
	}
	got := strings.Fields(sdk.run("tar", "-tzf", sdk.packed()))
	for i, name := range got {
		got[i] = strings.TrimPrefix(name, "package/")
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got the files %q, want %q", got, want)
	}
}

// built holds what several tests use of sdk: a copy of sdk/typescript, and the interpreters
// of virtual environments with sdk/python, alone and with what receivers need. The first
// test that needs one makes it.
var built struct {
	sync.Mutex         // guards the others
	dir         string // in which they are; TestMain removes it
	typeScript  string
	interpreter string
	receivers   string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// toBuild returns a new directory that stays until all tests have ended. The caller must
// hold the lock of built.
func toBuild(t *testing.T) string {
	t.Helper()
	var err error
	if built.dir == "" {
		built.dir, err = os.MkdirTemp("", "dropyard-generated-")
	}
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(built.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// newTypeScriptSDK returns a workshop with a copy of sdk/typescript, beside the document
// that its types are made from, with what it needs to be built and the package for npm.
func newTypeScriptSDK(t *testing.T) *workshop {
	t.Helper()
	testkit.NeedSDK.OrSkip(t)
	testkit.NeedNode.OrSkip(t)
	built.Lock()
	defer built.Unlock()
	if built.typeScript == "" {
		root := toBuild(t)
		w := &workshop{t, filepath.Join(root, "sdk", "typescript")}
		copySources(t, w.dir, "../../sdk/typescript")
		writeFile(t, filepath.Join(root, "api", "openapi.yaml"), documents.OpenAPI)
		w.run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
		w.run("npm", "pack", "--loglevel=error")
		built.typeScript = w.dir
	}
	return &workshop{t, built.typeScript}
}

// packed returns the path of the package that npm installs.
func (w *workshop) packed() string {
	w.Helper()
	packed, err := filepath.Glob(filepath.Join(w.dir, "*.tgz"))
	if err != nil || len(packed) != 1 {
		w.Fatalf("npm pack: got the files %v, %v, want one", packed, err)
	}
	return packed[0]
}

// TestVectorsOfSDKs compares the vectors of the packages with those of the service.
func TestVectorsOfSDKs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"signature_vectors.json", "signature_vectors_v2.json"} {
		want, err := os.ReadFile(filepath.Join("../signature/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{"typescript/test", "python/tests"} {
			got, err := os.ReadFile(filepath.Join("../../sdk", folder, name))
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(got, want) {
				t.Errorf("sdk/%s/%s: got other vectors than those of internal/signature", folder, name)
			}
		}
	}
}

// startSimulated starts a service on the system's clock that moves orders itself, and
// sends webhooks to this machine.
func startSimulated(t *testing.T) *apptest.Service {
	t.Helper()
	return apptest.Start(t, onSystemClock, apptest.Webhooks(), func(c *config.Config, _ *app.Surroundings) {
		c.Simulate, c.SimulatePace = true, 10*time.Millisecond
	})
}

// copySources copies a directory without what its own .gitignore leaves out.
func copySources(t *testing.T, to, from string) {
	t.Helper()
	leftOut := map[string]bool{"node_modules": true, "build": true, "dist": true, "venv": true, "__pycache__": true}
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if leftOut[entry.Name()] {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && filepath.Ext(name) != ".tgz" {
			writeFile(t, filepath.Join(to, name), content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
