package generated_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// quoted is what every client prints that makes one signed call.
const quoted = "quote standard CAD\n"

// quote is like try, for a client that asks for a quote with the key that it is given.
func (w *workshop) quote(program string, arguments ...string) {
	w.Helper()
	w.eachRelease(func(release, url string, service *apptest.Service) {
		partner := service.Register(w, "shop")
		got := w.run(program, append(slices.Clone(arguments), url, partner.PublicKey, partner.SecretKey)...)
		if got != quoted {
			w.Errorf("%s: got %q, want %q", release, got, quoted)
		}
	})
}

// rename removes .txt from the names of files, which otherwise would belong to this module.
func (w *workshop) rename(names ...string) {
	w.Helper()
	for _, name := range names {
		path := filepath.Join(w.dir, name)
		if err := os.Rename(path, strings.TrimSuffix(path, ".txt")); err != nil {
			w.Fatal(err)
		}
	}
}

// addSigner adds the transport that signs requests in Go.
func (w *workshop) addSigner() {
	w.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "signer.go.txt"))
	if err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "signer.go"), source, 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *workshop) npmInstall() {
	w.Helper()
	w.run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
}

func TestOrval(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	w := newWorkshop(t, "orval")
	w.npmInstall()
	w.run("npx", "orval", "--config", "orval.config.js")
	w.run("npx", "tsc")
	w.quote("node", filepath.Join("out", "quote.js"))
}

func TestOpenAPIZodClient(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	w := newWorkshop(t, "zod")
	w.npmInstall()
	for _, name := range []string{"openapi", "ops"} {
		w.run("npx", "openapi-zod-client", name+".yaml", "-o", name+".ts")
	}
	w.run("npx", "tsc")
	w.quote("node", filepath.Join("out", "quote.js"))
}

func TestDatamodelCodeGenerator(t *testing.T) {
	t.Parallel()
	testkit.NeedPython.OrSkip(t)
	w := newWorkshop(t, "datamodel")
	python := w.venv("-r", "requirements.txt")
	for _, name := range []string{"openapi", "ops"} {
		w.run(python, "-m", "datamodel_code_generator", "--input", name+".yaml", "--input-file-type", "openapi",
			"--output", name+".py", "--output-model-type", "pydantic_v2.BaseModel", "--use-annotated",
			"--target-python-version", "3.11", "--formatters", "builtin")
	}
	w.run(python, "-m", "mypy", "--follow-imports=silent", "quote.py", "openapi.py")
	w.quote(python, "quote.py")
}

// TestOgen leaves ops.yaml out, which ogen cannot read (docs/generators.md).
func TestOgen(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, "ogen")
	w.rename("go.mod.txt", "quote.go.txt")
	w.addSigner()
	w.run("go", "run", "github.com/ogen-go/ogen/cmd/ogen@v1.24.0", "--target", "openapi", "--package", "openapi",
		"openapi.yaml")
	w.run("go", "mod", "tidy")
	w.run("go", "vet", ".")
	w.quote("go", "run", ".")
}

// TestOpenAPIGenerator compiles and runs what openapi-generator makes for Go, Rust and Kotlin.
// TestJava has more of the same generator.
func TestOpenAPIGenerator(t *testing.T) {
	t.Parallel()
	testkit.NeedJava.OrSkip(t)
	w := newWorkshop(t, "openapi-generator")
	w.rename("go.mod.txt", "quote.go.txt")
	w.addSigner()
	target := filepath.Join(w.dir, "target")
	w.run("mvn", "--batch-mode", "--quiet", "compile", "dependency:copy-dependencies")
	t.Run("Kotlin", func(t *testing.T) {
		(&workshop{t, w.dir}).quote("java", "-cp",
			filepath.Join(target, "classes")+":"+filepath.Join(target, "dependency", "*"), "QuoteKt")
	})
	t.Run("Go", func(t *testing.T) {
		w := &workshop{t, w.dir}
		w.run("go", "mod", "tidy")
		w.run("go", "vet", ".", "./target/go-openapi", "./target/go-ops")
		w.quote("go", "run", ".")
	})
	t.Run("Rust", func(t *testing.T) {
		testkit.NeedCargo.OrSkip(t)
		w := &workshop{t, filepath.Join(w.dir, "rust")}
		w.run("cargo", "build", "--quiet")
		w.quote(filepath.Join(w.dir, "target", "debug", "quote"))
	})
}
