package generated_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard"
	"github.com/dropyard/dropyard/internal/downloads"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPackedAsByNPM compares the package that a service offers with the one that npm packs after a build. It fails if
// sdk/typescript/dist is not what npm run build makes.
func TestPackedAsByNPM(t *testing.T) {
	t.Parallel()
	sdk := newTypeScriptSDK(t)
	w := &workshop{t, t.TempDir()}
	name := filepath.Base(sdk.packed())
	version := strings.TrimSuffix(strings.TrimPrefix(name, "dropyard-client-"), ".tgz")
	packed := packedClients(t, version)
	w.compare(w.extracted(name, packed.Package.Content), w.extracted("npm.tgz", read(t, sdk.packed())), nil)
}

// TestPackedAsByPython compares the wheel and the source distribution that a service offers with those that Python's
// tools build.
func TestPackedAsByPython(t *testing.T) {
	t.Parallel()
	testkit.NeedSDK.OrSkip(t)
	testkit.NeedPython.OrSkip(t)
	w := &workshop{t, t.TempDir()}
	copySources(t, filepath.Join(w.dir, "python"), "../../sdk/python")
	w.run(w.venv("build==1.4.0"), "-m", "build", "python")
	built, err := filepath.Glob(filepath.Join(w.dir, "python", "dist", "*"))
	if err != nil || len(built) != 2 {
		t.Fatalf("got the files %q, %v, want a wheel and a source distribution", built, err)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(built[1]), "dropyard-"), ".tar.gz")
	packed := packedClients(t, version)
	// The tools name themselves, and the newest version of the metadata.
	differing := regexp.MustCompile(`(?m)^Metadata-Version: .*$|^Generator: .*$|^dropyard-.*\.dist-info/.*$`)
	w.compare(w.extracted("ours.whl", packed.Wheel.Content), w.extracted("theirs.whl", read(t, built[0])), differing)
	w.compare(w.extracted("ours.tar.gz", packed.Source.Content), w.extracted("theirs.tar.gz", read(t, built[1])),
		differing)
}

func packedClients(t *testing.T, version string) *downloads.Clients {
	t.Helper()
	packed, err := downloads.New(dropyard.Sources, version).Clients()
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// extracted returns the files of an archive by their names.
func (w *workshop) extracted(name string, archive []byte) map[string]string {
	w.Helper()
	folder := name + ".files"
	if err := os.WriteFile(filepath.Join(w.dir, name), archive, 0o600); err != nil {
		w.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(w.dir, folder), 0o700); err != nil {
		w.Fatal(err)
	}
	if strings.HasSuffix(name, ".whl") {
		w.run("python3", "-m", "zipfile", "-e", name, folder)
	} else {
		w.run("tar", "-xzf", name, "-C", folder)
	}
	files, root := map[string]string{}, os.DirFS(filepath.Join(w.dir, folder))
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return files
}

// compare compares the files of two archives. What matches differing may differ.
func (w *workshop) compare(got, want map[string]string, differing *regexp.Regexp) {
	w.Helper()
	if got, want := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		w.Errorf("got the files\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, content := range want {
		ours := got[name]
		if differing != nil {
			ours, content = differing.ReplaceAllString(ours, ""), differing.ReplaceAllString(content, "")
		}
		if ours != content {
			w.Errorf("%s: got %.600q, want %.600q", name, ours, content)
		}
	}
}
