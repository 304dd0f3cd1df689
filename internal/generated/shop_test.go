package generated_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// visitsToShop is what each program in examples/shop prints.
var visitsToShop = regexp.MustCompile(`^29\.00 CAD, by 2036-03-05T23:00:00\.000Z
ordered (ord_\w+): 2 x Maple syrup 540 ml
wrote label\.pdf
refused: parcels: an array of 1 to 50 objects
cancelled (ord_\w+)
received order\.cancelled of (ord_\w+)
$`)

// TestShops runs the shop of examples/shop in every language against a demo.
func TestShops(t *testing.T) {
	t.Parallel()
	for language, run := range map[string]func(*testing.T, *workshop, ...string) string{
		"go":         goShop,
		"php":        phpShop,
		"python":     pythonShop,
		"typescript": typeScriptShop,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			w := &workshop{t, t.TempDir()}
			copySources(t, w.dir, "../../examples/shop")
			var printed bytes.Buffer
			service := apptest.Start(t, apptest.Demo(&printed), apptest.Webhooks())
			demo := printed.String()
			out := run(t, w, "DROPYARD_URL="+service.URL, "DROPYARD_KEY="+apptest.Printed(t, demo, "test key"),
				"DROPYARD_SECRET="+apptest.Printed(t, demo, "its secret"))
			ids := visitsToShop.FindStringSubmatch(out)
			if ids == nil || ids[1] != ids[2] || ids[1] != ids[3] {
				t.Errorf("got\n%s\nwant a match of %s, with one order", out, visitsToShop)
			}
			if label, err := os.ReadFile(filepath.Join(w.dir, "label.pdf")); err != nil ||
				!bytes.HasPrefix(label, []byte("%PDF-")) {
				t.Errorf("label.pdf: got %.20q, %v, want a PDF", label, err)
			}
		})
	}
}

func goShop(t *testing.T, w *workshop, as ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "shop")
	(&workshop{t, "../.."}).run("go", "build", "-o", program, "./examples/shop/go")
	return w.run("env", append(as, program)...)
}

func phpShop(t *testing.T, w *workshop, as ...string) string {
	t.Helper()
	testkit.NeedPHP.OrSkip(t)
	return w.run("env", append(as, "php", "php/shop.php")...)
}

func pythonShop(t *testing.T, w *workshop, as ...string) string {
	t.Helper()
	return w.run("env", append(as, pythonWithSDK(t), "python/shop.py")...)
}

func typeScriptShop(t *testing.T, w *workshop, as ...string) string {
	t.Helper()
	sdk := newTypeScriptSDK(t)
	shop := &workshop{t, filepath.Join(w.dir, "typescript")}
	shop.run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", sdk.packed())
	sdk.run("npx", "tsc", "-p", shop.dir, "--typeRoots", filepath.Join(sdk.dir, "node_modules", "@types"))
	return w.run("env", append(as, "node", "typescript/shop.js")...)
}
