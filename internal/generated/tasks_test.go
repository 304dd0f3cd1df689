package generated_test

import (
	"bytes"
	"io"
	"net/http"
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

// tasks is how many tasks the page of each client has.
const tasks = 10

// commands matches a block of commands on the page of a client, and the block of what they print, in which … stands for
// anything.
var commands = regexp.MustCompile("(?s)```bash\n(.*?)```(?:\n\nIt prints:\n\n```text\n(.*?)```)?")

var orderID = regexp.MustCompile(`ord_[0-9a-z]{10,}`)

// TestTasks follows the page of each client in an empty folder, as a reader who has nothing but the documentation of a
// demo: it installs the client from the service, gets the programs, and runs each.
func TestTasks(t *testing.T) {
	t.Parallel()
	testkit.NeedCurl.OrSkip(t)
	for language, prepare := range map[string]func(*testing.T, *workshop) []string{
		"go": goTasks, "python": pythonTasks, "typescript": typeScriptTasks,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			w := &workshop{t, t.TempDir()}
			environment := prepare(t, w)
			var printed bytes.Buffer
			service := apptest.Start(t, onSystemClock, apptest.Demo(&printed), apptest.Webhooks(),
				func(c *config.Config, _ *app.Surroundings) { c.SimulatePace = time.Hour }) // orders stay pending
			w.follow(get(t, service.URL+"/docs/clients/"+language+".md"), environment,
				apptest.Printed(t, printed.String(), "test key"), apptest.Printed(t, printed.String(), "its secret"))
			if language == "typescript" {
				w.compileTasks(t)
			}
		})
	}
}

// follow runs the commands of a page in their order, with a key in place of the one that the page leaves out.
func (w *workshop) follow(page string, environment []string, key, secret string) {
	w.Helper()
	exports, order, compared := "", "", 0
	for _, block := range commands.FindAllStringSubmatch(page, -1) {
		lines := strings.NewReplacer("pk_test_…", key, "sk_test_…", secret, "ord_…", order).Replace(block[1])
		if strings.HasPrefix(lines, "export ") {
			exports = lines
			continue
		}
		printed := w.run("env", append(environment, "bash", "-euo", "pipefail", "-c", exports+lines)...)
		if order == "" {
			order = orderID.FindString(printed)
		}
		if block[2] == "" {
			continue
		}
		compared++
		want := strings.ReplaceAll(regexp.QuoteMeta(block[2]), "…", ".*")
		if !regexp.MustCompile(`(?s)^` + want + `$`).MatchString(printed) {
			w.Errorf("%s: got %q, want %q", strings.TrimSpace(lines), printed, block[2])
		}
	}
	if compared != tasks {
		w.Errorf("got %d programs on the page, want %d", compared, tasks)
	}
	label, err := os.ReadFile(filepath.Join(w.dir, "label.pdf"))
	if err != nil || !bytes.HasPrefix(label, []byte("%PDF-")) {
		w.Errorf("label.pdf: got %.20q, %v, want a PDF", label, err)
	}
}

// get returns the body of an answer.
func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: got status %d, %v, want 200", url, answer.StatusCode, err)
	}
	return string(body)
}

// goTasks returns an environment with an empty module cache, so that the service is where modules come from.
func goTasks(_ *testing.T, w *workshop) []string {
	return []string{"GOMODCACHE=" + filepath.Join(w.TempDir(), "modules"), "GOFLAGS=-modcacherw", "GOTOOLCHAIN=local"}
}

func pythonTasks(t *testing.T, _ *workshop) []string {
	t.Helper()
	testkit.NeedSDK.OrSkip(t)
	testkit.NeedPython.OrSkip(t)
	return []string{"PIP_DISABLE_PIP_VERSION_CHECK=1"}
}

func typeScriptTasks(t *testing.T, _ *workshop) []string {
	t.Helper()
	testkit.NeedSDK.OrSkip(t)
	testkit.NeedNode.OrSkip(t)
	return []string{"NPM_CONFIG_UPDATE_NOTIFIER=false"}
}

// compileTasks compiles the programs as TypeScript, with the types of the package that the service offers.
func (w *workshop) compileTasks(t *testing.T) {
	w.Helper()
	programs, err := filepath.Glob(filepath.Join(w.dir, "*.mjs"))
	if err != nil || len(programs) != tasks {
		w.Fatalf("got the programs %q, %v, want %d", programs, err, tasks)
	}
	for _, name := range programs {
		if err := os.Rename(name, strings.TrimSuffix(name, ".mjs")+".mts"); err != nil {
			w.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(w.dir, "tsconfig.json"), []byte(`{"compilerOptions": {"strict": true, "module": "nodenext",
		"target": "es2022", "types": ["node"], "noEmit": true}, "include": ["*.mts"]}`))
	sdk := newTypeScriptSDK(t)
	sdk.run("npx", "tsc", "-p", w.dir, "--typeRoots", filepath.Join(sdk.dir, "node_modules", "@types"))
}
