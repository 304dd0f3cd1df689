package downloads_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard"
	"github.com/dropyard/dropyard/internal/downloads"
)

func pack(t *testing.T, version string) *downloads.Clients {
	t.Helper()
	packed, err := downloads.New(dropyard.Sources, version).Clients()
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// TestPackages compares the files of the packages with what package managers need.
func TestPackages(t *testing.T) {
	t.Parallel()
	packed := pack(t, "1.2.3")
	for name, want := range map[string][]string{
		packed.Wheel.Path: {
			"dropyard/__init__.py", "dropyard/py.typed", "dropyard-1.2.3.dist-info/METADATA", "dropyard-1.2.3.dist-info/WHEEL",
			"dropyard-1.2.3.dist-info/RECORD", "dropyard-1.2.3.dist-info/licenses/LICENSE",
		},
		packed.Source.Path: {
			"dropyard-1.2.3/PKG-INFO", "dropyard-1.2.3/pyproject.toml", "dropyard-1.2.3/src/dropyard/client.py",
			"dropyard-1.2.3/tests/test_signing.py",
		},
		packed.Package.Path: {
			"package/package.json", "package/dist/cjs/package.json", "package/dist/cjs/index.d.ts", "package/dist/esm/index.js",
			"package/dist/esm/openapi.d.ts", "package/dist/cjs/openapi.d.ts", "package/examples/quickstart.mjs",
		},
		packed.Module.Path: {
			"github.com/dropyard/dropyard/client@v1.2.3/go.mod", "github.com/dropyard/dropyard/client@v1.2.3/LICENSE",
			"github.com/dropyard/dropyard/client@v1.2.3/client.go",
			"github.com/dropyard/dropyard/client@v1.2.3/internal/signature/signature.go",
		},
	} {
		got := slices.Sorted(maps.Keys(filesOf(t, packed, name)))
		for _, file := range want {
			if !slices.Contains(got, file) {
				t.Errorf("%s: got the files %q, want %s among them", name, got, file)
			}
		}
	}
	if got, want := packed.Wheel.Path, "dropyard-1.2.3-py3-none-any.whl"; got != want {
		t.Errorf("the wheel: got the path %s, want %s", got, want)
	}
	if got, want := packed.Package.Path, "dropyard-client-1.2.3.tgz"; got != want {
		t.Errorf("the package for npm: got the path %s, want %s", got, want)
	}
}

// TestPackagesHaveTheServicesVersion reads the version where each package names it.
func TestPackagesHaveTheServicesVersion(t *testing.T) {
	t.Parallel()
	for service, want := range map[string]string{ // of packages for npm and Python
		"1.2.3":      `^1\.2\.3 1\.2\.3$`,
		"dev":        `^0\.0\.0-dev\.s[0-9a-f]{10} 0\.0\.0\.dev0\+s[0-9a-f]{10}$`,
		"1.2.3-rc.1": `^1\.2\.3-dev\.s[0-9a-f]{10} 1\.2\.3\.dev0\+s[0-9a-f]{10}$`,
	} {
		packed := pack(t, service)
		wheel, npm := filesOf(t, packed, packed.Wheel.Path), filesOf(t, packed, packed.Package.Path)
		python := strings.TrimPrefix(strings.TrimSuffix(packed.Wheel.Path, "-py3-none-any.whl"), "dropyard-")
		if got := packed.Version + " " + python; !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: got the versions %s, want a match of %s", service, got, want)
		}
		for name, content := range map[string][]byte{
			`__version__ = "` + python + `"`:                 wheel["dropyard/_version.py"],
			"\nVersion: " + python + "\n":                    wheel["dropyard-"+python+".dist-info/METADATA"],
			"\n  \"version\": \"" + packed.Version + "\",\n": npm["package/package.json"],
			`version = "` + packed.Version + `"`:             npm["package/dist/esm/version.js"],
			`exports.version = "` + packed.Version + `"`:     npm["package/dist/cjs/version.js"],
			`const version = "` + packed.Version + `"`:       npm["package/dist/cjs/version.d.ts"],
		} {
			if !bytes.Contains(content, []byte(name)) {
				t.Errorf("%s: got %.300q, want it to contain %q", service, content, name)
			}
		}
	}
}

// TestSameSourcesGiveTheSameBytes packs twice.
func TestSameSourcesGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	first, second := pack(t, "dev"), pack(t, "dev")
	for i, file := range []downloads.File{second.Wheel, second.Source, second.Package, second.Module} {
		if got := []downloads.File{first.Wheel, first.Source, first.Package, first.Module}[i]; got.SHA256() != file.SHA256() {
			t.Errorf("%s: got the checksums %s and %s, want the same", file.Path, got.SHA256(), file.SHA256())
		}
	}
}

// TestRecordOfWheel compares the list in a wheel with its files. pip refuses one that differs.
func TestRecordOfWheel(t *testing.T) {
	t.Parallel()
	packed := pack(t, "1.2.3")
	files := filesOf(t, packed, packed.Wheel.Path)
	const record = "dropyard-1.2.3.dist-info/RECORD"
	rows := strings.Split(strings.TrimSpace(string(files[record])), "\n")
	if len(rows) != len(files) {
		t.Errorf("got %d rows, want one for each of %d files", len(rows), len(files))
	}
	for _, row := range rows {
		columns := strings.Split(row, ",")
		sum := sha256.Sum256(files[columns[0]])
		if want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]); columns[0] != record && columns[1] != want {
			t.Errorf("%s: got the checksum %s, want %s", columns[0], columns[1], want)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^()\s]+)\)|\n\[[^]]+\]: (\S+)`)

// TestLinksOfPackedReadmes: a link leads to a file of the package, or to a site that exists without this project.
func TestLinksOfPackedReadmes(t *testing.T) {
	t.Parallel()
	packed := pack(t, "1.2.3")
	for archive, readme := range map[string]string{
		packed.Wheel.Path:   "dropyard-1.2.3.dist-info/METADATA",
		packed.Source.Path:  "dropyard-1.2.3/README.md",
		packed.Package.Path: "package/README.md",
		packed.Module.Path:  downloads.ModulePath + "@v1.2.3/README.md",
	} {
		files := filesOf(t, packed, archive)
		if len(files[readme]) == 0 {
			t.Errorf("%s: got no %s", archive, readme)
		}
		for _, found := range link.FindAllStringSubmatch(string(files[readme]), -1) {
			target := found[1] + found[2]
			outside := strings.HasPrefix(target, "https://") && !strings.Contains(target, "github.com/dropyard")
			inside := files[path.Join(path.Dir(readme), target)] != nil
			if !outside && !inside && !strings.HasPrefix(target, "#") {
				t.Errorf("%s: the link to %s in %s: got no such file in the package", archive, target, readme)
			}
		}
		for _, name := range []string{readme, "package/package.json"} {
			if bytes.Contains(files[name], []byte("://github.com/dropyard")) {
				t.Errorf("%s: got an address of the repository in %s, want none", archive, name)
			}
		}
	}
}

// TestOnlyDownloadsAreServed looks for files beside those that are offered.
func TestOnlyDownloadsAreServed(t *testing.T) {
	t.Parallel()
	offered := downloads.New(dropyard.Sources, "1.2.3")
	for name, want := range map[string]bool{
		"dropyard-1.2.3.tar.gz":                                 true,
		"dropyard-1.2.4.tar.gz":                                 false,
		"go/github.com/dropyard/dropyard/client/@v/list":        true,
		"go/github.com/dropyard/dropyard/client/@v/v1.2.3.info": true,
		"go/github.com/dropyard/dropyard/client/@v/v1.2.3.mod":  true,
		"go/github.com/dropyard/dropyard/client/@latest":        true,
		"go/github.com/dropyard/dropyard/@v/list":               false,
		"go/github.com/dropyard/dropyard/@latest":               false,
		"examples/tasks/python/quote.py":                        true,
		"examples/tasks":                                        false,
		"examples/../LICENSE":                                   false,
		"sdk/python/README.md":                                  false,
		"":                                                      false,
	} {
		if _, found, err := offered.File(name); found != want || err != nil {
			t.Errorf("%s: got found %t, %v, want %t", name, found, err, want)
		}
	}
}

// filesOf returns the files of an archive by their names.
func filesOf(t *testing.T, packed *downloads.Clients, name string) map[string][]byte {
	t.Helper()
	for _, one := range []downloads.File{packed.Wheel, packed.Module} {
		if one.Path == name {
			return unzip(t, one.Content)
		}
	}
	for _, one := range []downloads.File{packed.Source, packed.Package} {
		if one.Path == name {
			return untar(t, one.Content)
		}
	}
	t.Fatalf("got no archive %s", name)
	return nil
}

func unzip(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, one := range archive.File {
		opened, err := one.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[one.Name], err = io.ReadAll(opened); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func untar(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	expanded, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(expanded); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}
