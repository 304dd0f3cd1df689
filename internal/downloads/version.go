package downloads

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
)

// version is one version as the languages write it.
type version struct{ semantic, python string }

var release = regexp.MustCompile(`^\d+\.\d+\.\d+`)

// digestLength is how many digits of the checksum the version of a build has that is not a release.
const digestLength = 10

// versionOf returns the version of the clients of a service. Those of a build that is not a release have a checksum of
// the files in their version: package managers keep what they have got under a version, and never ask for it again.
func versionOf(service string, files ...[]entry) version {
	number := release.FindString(service)
	if number == service && number != "" {
		return version{number, number}
	}
	if number == "" {
		number = "0.0.0"
	}
	sum := sha256.New()
	for _, one := range slices.Concat(files...) {
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", one.name, len(one.content), one.content) // a hash takes everything
	}
	// The letter keeps digits from being read as a number, in which a zero at the beginning is not allowed.
	digest := "s" + hex.EncodeToString(sum.Sum(nil))[:digestLength]
	return version{number + "-dev." + digest, number + ".dev0+" + digest}
}

// versioned matches the version in the files that name it.
var versioned = regexp.MustCompile(`(?m)(^__version__ = |\bversion = |^  "version": )"[^"]*"`)

// stamped returns files with a version in place of the one that the sources have.
func stamped(files []entry, version string) []entry {
	files = slices.Clone(files)
	for i, one := range files {
		switch path.Base(one.name) {
		case "_version.py", "version.js", "version.d.ts", "package.json":
			files[i].content = versioned.ReplaceAll(one.content, []byte(`${1}"`+version+`"`))
		}
	}
	return files
}
