package downloads

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const pythonFolder = "sdk/python"

// pythonFiles returns the files of the source distribution. It has no PKG-INFO yet.
func pythonFiles(s *source) []entry {
	return s.glob(pythonFolder, "generate.py", "src/dropyard/*", "tests/*", "LICENSE", "README.md", "pyproject.toml")
}

// packPython packs the wheel, see packaging.python.org/specifications/binary-distribution-format, and the source
// distribution, as hatchling does.
func packPython(s *source, packed *Clients, files []entry, version string) {
	metadata := metadataOf(contentOf(files, "pyproject.toml"), contentOf(files, "README.md"), version)
	name := "dropyard-" + version

	packed.Source = File{
		name + ".tar.gz", "application/gzip",
		s.tarred(name+"/", append(slices.Clone(files), entry{"PKG-INFO", metadata})),
	}
	var wheel []entry
	for _, one := range files {
		if module, ok := strings.CutPrefix(one.name, "src/"); ok {
			wheel = append(wheel, entry{module, one.content})
		}
	}
	info := name + ".dist-info/"
	wheel = append(wheel,
		entry{info + "METADATA", metadata},
		entry{info + "WHEEL", []byte("Wheel-Version: 1.0\nGenerator: dropyard\nRoot-Is-Purelib: true\nTag: py3-none-any\n")},
		entry{info + "licenses/LICENSE", contentOf(files, "LICENSE")},
	)
	wheel = append(wheel, entry{info + "RECORD", recordOf(wheel, info+"RECORD")})
	packed.Wheel = File{name + "-py3-none-any.whl", "application/zip", s.zipped("", wheel)}
}

// contentOf returns the content of one of the files; nil if there is no such file.
func contentOf(files []entry, name string) []byte {
	for _, one := range files {
		if one.name == name {
			return one.content
		}
	}
	return nil
}

// recordOf returns the list of the files of a wheel with their checksums. It lists itself without one.
func recordOf(files []entry, self string) []byte {
	var list strings.Builder
	for _, one := range files {
		sum := sha256.Sum256(one.content)
		fmt.Fprintf(&list, "%s,sha256=%s,%d\n", one.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(one.content))
	}
	return []byte(list.String() + self + ",,\n")
}

// metadataOf returns the core metadata of a project: what its pyproject.toml says, and its README.
func metadataOf(pyproject, readme []byte, version string) []byte {
	project := tableOf(string(pyproject), "project")
	var text strings.Builder
	field := func(name string, values ...string) {
		for _, value := range values {
			text.WriteString(name + ": " + value + "\n")
		}
	}
	field("Metadata-Version", "2.4")
	field("Name", project["name"]...)
	field("Version", version)
	field("Summary", project["description"]...)
	field("License-Expression", project["license"]...)
	field("License-File", project["license-files"]...)
	field("Keywords", strings.Join(project["keywords"], ","))
	field("Classifier", project["classifiers"]...)
	field("Requires-Python", project["requires-python"]...)
	field("Requires-Dist", project["dependencies"]...)
	extras := tableOf(string(pyproject), "project.optional-dependencies")
	for _, extra := range []string{"test"} {
		field("Provides-Extra", extra)
		for _, requirement := range extras[extra] {
			field("Requires-Dist", requirement+"; extra == '"+extra+"'")
		}
	}
	field("Description-Content-Type", "text/markdown")
	return append([]byte(text.String()+"\n"), readme...)
}

var (
	tomlSetting = regexp.MustCompile(`(?ms)^([\w-]+) = ("[^"\n]*"|\[.*?\])$`)
	tomlText    = regexp.MustCompile(`"([^"]*)"`)
)

// tableOf returns the texts of a table of a file in TOML, and the lists of texts, by their keys. It reads what
// sdk/python/pyproject.toml has, no more: a test compares the metadata with those of Python's own tools.
func tableOf(toml, name string) map[string][]string {
	_, table, _ := strings.Cut(toml, "\n["+name+"]\n")
	table, _, _ = strings.Cut(table, "\n\n[")
	found := map[string][]string{}
	for _, setting := range tomlSetting.FindAllStringSubmatch(table, -1) {
		for _, text := range tomlText.FindAllStringSubmatch(setting[2], -1) {
			found[setting[1]] = append(found[setting[1]], text[1])
		}
	}
	return found
}
