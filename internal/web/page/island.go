package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"path"
	"slices"
	"strings"
)

// libraryFiles are modules of others, as their packages ship them. vendored/vendored.json
// says what they are.
//
//go:embed vendored/*.mjs
var libraryFiles embed.FS

// libraries are the files of the modules of others, by the names that islands import.
var libraries = map[string]string{
	"preact": "preact.mjs", "preact/hooks": "hooks.mjs",
	"@preact/signals": "signals.mjs", "@preact/signals-core": "signals-core.mjs",
	"htm": "htm.mjs",
}

// ownLibraries are those of one island, see Site.AddLibraries.
type ownLibraries struct{ start, later map[string]string }

// sharedModules are the modules that all islands may import, as dropyard/text.js and so on.
var sharedModules = []string{
	"plain.js", "island/text.js", "island/clock.js", "island/html.js", "island/dialog.js", "island/draft.js",
	"island/zone.js", "island/photo.js", "island/amounts.js",
}

// island is what the layout writes for the modules of an island.
type island struct {
	// Map is the import map as an element. Modules import each other by relative paths,
	// as in their folder; the map leads these to the paths with digests.
	Map template.HTML
	// Preloads are the paths of the modules that the page needs to start, so that browsers
	// need not find them one after the other.
	Preloads []string
	later    []string // the paths of what is loaded when it is first imported
	source   string   // of the policy: the digest of the map
}

// island returns what a page needs to run the modules in a folder of the assets. It is
// empty without a folder.
func (s *Site) island(folder string) (found island) {
	if folder == "" {
		return found
	}
	imports := map[string]string{}
	for name, file := range libraries {
		imports[name] = s.assets.path(file)
	}
	for _, name := range sharedModules {
		imports["dropyard/"+path.Base(name)] = s.assets.path(name)
	}
	for name, one := range s.assets {
		if path.Dir(name) == folder && path.Ext(name) == ".js" && assetPrefix+name != one.path {
			imports[assetPrefix+name] = one.path
		}
	}
	for name, file := range s.libraries[folder].start {
		imports[name] = s.assets.path(file)
	}
	for _, target := range imports {
		if s.later[target] {
			found.later = append(found.later, target)
		} else {
			found.Preloads = append(found.Preloads, target)
		}
	}
	slices.Sort(found.Preloads)
	for name, file := range s.libraries[folder].later {
		imports[name] = s.assets.path(file)
		found.later = append(found.later, imports[name])
	}
	// Encoded like this, no text ends the element: < is written as an escape.
	encoded, err := json.Marshal(map[string]any{"imports": imports})
	if err != nil {
		panic("page: " + err.Error()) // texts can always be encoded
	}
	sum := sha256.Sum256(encoded)
	found.source = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	found.Map = template.HTML(`<script type="importmap">` + string(encoded) + `</script>`)
	return found
}

// IslandPolicy is Policy for the pages of an island, which have an import map: a folder
// of assets, see Document.Island.
func (s *Site) IslandPolicy(folder string) string { return s.island(folder).policy() }

// AppPolicy is IslandPolicy for islands that are apps (Document.App): they may compile
// WebAssembly, which reads codes, and register a service worker through the Trusted Types
// policy TrustedWorker.
func (s *Site) AppPolicy(folder string) string { return s.island(folder).appPolicy() }

// MapPolicy is IslandPolicy for islands with a map (Document.Map), which may start its worker
// through the Trusted Types policy TrustedWorker and read from the servers at some origins.
func (s *Site) MapPolicy(folder string, origins ...string) string {
	return s.island(folder).mapPolicy(origins)
}

// AppAsset describes an asset that an app keeps.
type AppAsset struct {
	Path      string `json:"path"`
	Type      string `json:"type"`      // its Content-Type without parameters
	Integrity string `json:"integrity"` // the digest of its content, as browsers compare it
}

// AppAssets returns the assets of an app whose folder is given, sorted by path: those that
// it needs to start, and those that are loaded when they are needed. Its document must not
// use others.
func (s *Site) AppAssets(folder string) (start, later []AppAsset) {
	modules := s.island(folder)
	return s.appAssets(s.startAssets(folder, modules.Preloads)), s.appAssets(modules.later)
}

// appAssets describes the assets at paths.
func (s *Site) appAssets(paths []string) []AppAsset {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	described := make([]AppAsset, 0, len(paths))
	for _, at := range paths {
		found := s.assets[strings.TrimPrefix(at, assetPrefix)]
		kind, _, _ := strings.Cut(found.kind, ";")
		sum := sha256.Sum256(found.content)
		described = append(described, AppAsset{at, kind, "sha256-" + base64.StdEncoding.EncodeToString(sum[:])})
	}
	return described
}

// startAssets returns the paths of what an app needs to start: its modules, which are given,
// and the rest.
func (s *Site) startAssets(folder string, modules []string) []string {
	start := slices.Clone(modules)
	for _, name := range layoutAssets {
		start = append(start, s.Asset(name))
	}
	for name, one := range s.assets {
		// Each asset has two names.
		if assetPrefix+name != one.path && path.Dir(name) == folder && path.Ext(name) != ".js" {
			start = append(start, one.path)
		}
	}
	return start
}

// TrustedWorker is the name of the only Trusted Types policy that apps and maps may create.
const TrustedWorker = "dropyard-worker"

func (i island) appPolicy() string {
	return strings.Replace(i.policy(), "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'",
		1) + "; trusted-types " + TrustedWorker
}

func (i island) mapPolicy(origins []string) string {
	reached := strings.Join(append([]string{"connect-src 'self'"}, origins...), " ")
	return strings.Replace(i.policy(), "connect-src 'self'", reached, 1) + "; trusted-types " + TrustedWorker
}

func (i island) policy() string {
	if i.source == "" {
		return Policy
	}
	return strings.Replace(Policy, "script-src 'self'", "script-src 'self' "+i.source, 1)
}
