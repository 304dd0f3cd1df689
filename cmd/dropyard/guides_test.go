package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// guides is where the guides are.
const guides = "../../docs/guides"

// firstGuide writes the order that the other guides use, in its first block.
const firstGuide = "first-order.md"

// block is a block of commands of a guide, and the one of the output below it, in which …
// stands for anything. Without one, nothing is said about the output.
type block struct{ commands, output string }

var blocks = regexp.MustCompile("(?s)```bash\n(.*?)```(?:\n\n```json\n(.*?)```)?")

func blocksOf(t *testing.T, guide string) (found []block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(guides, guide))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range blocks.FindAllSubmatch(text, -1) {
		found = append(found, block{string(one[1]), string(one[2])})
	}
	if len(found) == 0 {
		t.Fatalf("%s has no commands", guide)
	}
	return found
}

// endOfBlock separates the outputs of blocks.
const endOfBlock = "--- end of block ---\n"

// TestGuides runs all commands of the guides, in the order in which the documentation lists
// them and against one service as a reader does, and compares what they print with what the
// guides say.
func TestGuides(t *testing.T) {
	t.Parallel()
	testkit.NeedCurl.OrSkip(t)
	testkit.NeedJQ.OrSkip(t)
	var printed bytes.Buffer
	service := apptest.Start(t, apptest.Demo(&printed))
	env := testKeyOf(t, service, printed.String())
	for _, guide := range listedGuides(t, service.URL) {
		t.Run(guide, func(t *testing.T) { //nolint:paralleltest // the guides share a service, and have an order
			if guide == movingGuide {
				testkit.NeedPostgres.OrSkip(t)
				runGuide(t, guide, movedService(t))
				return
			}
			if guide == waitingGuide {
				runGuide(t, guide, quickDemo(t))
				return
			}
			runGuide(t, guide, reader{testkit.FastDir(t), env})
		})
	}
}

// testKeyOf returns the environment of a reader with the test key that a demo has printed.
func testKeyOf(t *testing.T, service *apptest.Service, printed string) []string {
	t.Helper()
	return []string{
		"DROPYARD_URL=" + service.URL, "DROPYARD_KEY=" + apptest.Printed(t, printed, "test key"),
		"DROPYARD_SECRET=" + apptest.Printed(t, printed, "its secret"),
	}
}

// waitingGuide waits for orders to move.
const waitingGuide = "after-the-order.md"

// quickDemo returns a reader with a demo whose simulation takes a step each tenth of a second.
func quickDemo(t *testing.T) reader {
	t.Helper()
	var printed bytes.Buffer
	service := apptest.Start(t, apptest.Demo(&printed), func(c *config.Config, _ *app.Surroundings) {
		c.SimulatePace = 100 * time.Millisecond
	})
	return reader{testkit.FastDir(t), testKeyOf(t, service, printed.String())}
}

// movingGuide needs the data of a service that has stopped.
const movingGuide = "postgresql.md"

var listedGuide = regexp.MustCompile(`/docs/guides/([a-z-]+\.md)`)

// listedGuides returns the names of all guides in the order in which a service lists them.
func listedGuides(t *testing.T, url string) (names []string) {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "curl", "-sS", url+"/llms.txt").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range listedGuide.FindAllStringSubmatch(string(list), -1) {
		names = append(names, found[1])
	}
	files, err := filepath.Glob(filepath.Join(guides, "*.md"))
	if err != nil || len(files) != len(names) {
		t.Fatalf("got the guides %q listed, %v, want all of %q", names, err, files)
	}
	return names
}

// reader is where a guide is followed: a directory, and what its environment has.
type reader struct {
	dir string
	env []string
}

// movedService returns a reader with the data of a service that has stopped, and an empty
// PostgreSQL database.
func movedService(t *testing.T) reader {
	t.Helper()
	dir := t.TempDir()
	var printed bytes.Buffer
	service := apptest.Start(t, apptest.Demo(&printed), apptest.DataIn(filepath.Join(dir, "data")))
	service.Stop()
	return reader{dir, []string{"DROPYARD_COPY_FROM=sqlite:./data/dropyard.db", "DROPYARD_COPY_TO=" +
		testkit.PostgresURL(t), mayLoseData}}
}

func runGuide(t *testing.T, guide string, as reader) {
	t.Helper()
	list := blocksOf(t, guide)
	if guide != firstGuide {
		list = append([]block{{commands: blocksOf(t, firstGuide)[0].commands}}, list...)
	}
	programs := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(programs, "dropyard"))
	}
	if err != nil {
		t.Fatal(err)
	}
	script := "set -u\n" // refusals, which guides show, do not end a reader's shell either
	for _, one := range list {
		script += one.commands + "echo '" + strings.TrimSpace(endOfBlock) + "'\n"
	}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), "bash", "-c", script)
	command.Dir = as.dir
	command.Env = slices.Concat(as.env,
		[]string{asProgram + "=1", "PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + as.dir})
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	outputs := strings.Split(string(printed), endOfBlock)
	for i, one := range list {
		want := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(one.output)), "…", ".*")
		if one.output != "" && !regexp.MustCompile("(?s)^"+want+"$").MatchString(strings.TrimSpace(outputs[i])) {
			t.Errorf("%s\nprinted\n%s\nwant\n%s\n%s", one.commands, outputs[i], one.output, &stderr)
		}
	}
	if said := stderr.String(); strings.Contains(said, "bash:") || strings.Contains(said, "jq:") {
		t.Errorf("a command failed: %s", said)
	}
}
