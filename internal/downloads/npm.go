package downloads

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
)

const npmFolder = "sdk/typescript"

// npmFiles returns the files of the package, as npm pack finds them after npm run build. sdk/typescript/dist holds the
// modules of both kinds, and the types once, without those of the OpenAPI document, which their source has as they are.
func npmFiles(s *source) []entry {
	files := s.glob(npmFolder, "LICENSE", "README.md", "package.json", "examples/*.mjs", "dist/cjs/*.js", "dist/esm/*.js")
	types := s.glob(npmFolder, "dist/esm/*.d.ts")
	openAPI := s.read(npmFolder, "src/openapi.ts")
	types = append(types, entry{"dist/esm/openapi.d.ts", bytes.Replace(openAPI.content, []byte("\n\n"), []byte("\n"), 1)})
	for _, one := range types {
		files = append(files, one, entry{"dist/cjs/" + path.Base(one.name), one.content})
	}
	files = append(files, entry{"dist/cjs/package.json", []byte(`{"type":"commonjs"}`)})
	files = slices.DeleteFunc(files, func(one entry) bool { // modules without code, in a checkout where it was built
		return slices.Contains([]string{"openapi.js", "types.js"}, path.Base(one.name))
	})
	slices.SortFunc(files, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(files, func(a, b entry) bool { return a.name == b.name })
}

// packNPM packs the package as npm pack does.
func packNPM(s *source, packed *Clients, files []entry) {
	packed.Package = File{
		fmt.Sprintf("dropyard-client-%s.tgz", packed.Version), "application/gzip", s.tarred("package/", files),
	}
}
