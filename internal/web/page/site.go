// Package page is what all pages for people share: their layout, assets and security
// policy, forms, messages, the phrasebook in English and French, and the components
// that templates put together.
//
// A package below internal/web creates its templates with [Site.Templates], and returns
// documents from its routes with [Templates.Render].
package page

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/web"
)

// Config holds what a Site needs.
type Config struct {
	Now    func() time.Time
	Random io.Reader // cryptographically secure, safe for concurrent use
	// SecureCookies is set when the public address is https.
	SecureCookies bool
	// LastChange is asked when a form is sent after what it shows has changed; nil knows
	// of no changes.
	LastChange LastChange
}

// Site holds what its pages share. It may be used concurrently once all packages have
// been added.
type Site struct {
	config    Config
	assets    assets
	libraries map[string]ownLibraries       // by the folder of an island
	later     map[string]bool               // the paths of modules, see LoadLater
	own       Templates                     // of the pages that no package has
	frames    map[string]func(Sheet) *Frame // by the first part of the paths of a room, see AddFrame
}

// layoutAssets are the assets of every page.
var layoutAssets = []string{"page.css", "icon.svg", "swap.js", "reader.js"}

// NewSite returns a site with the shared assets.
func NewSite(config Config) *Site {
	s := &Site{
		config: config, assets: assets{}, libraries: map[string]ownLibraries{}, later: map[string]bool{},
		frames: map[string]func(Sheet) *Frame{},
	}
	for _, name := range []string{
		"frame.css", "swap.js", "reader.js", "drafts.js", "find.js", "after-paint.js", "order-form.js", "camera.js",
		"scan.js", "icon.svg",
	} {
		s.assets.add(name, mustRead(ownFiles, "assets/"+name))
	}
	tokens, components := mustRead(ownFiles, "assets/tokens.css"), mustRead(ownFiles, "assets/components.css")
	s.assets.add("page.css", bytes.Join([][]byte{tokens, components}, nil))
	s.AddAssets(libraryFiles, "vendored")
	for _, name := range sharedModules {
		s.assets.add(name, mustRead(ownFiles, "assets/"+name))
	}
	s.own = s.Templates(ownFiles, "templates/refused.html")
	return s
}

// AddAssets adds the files in and below a folder, under their paths in it. It panics if
// a name is taken. Packages call it when they are created, before anything is served.
func (s *Site) AddAssets(files fs.FS, folder string) {
	err := fs.WalkDir(files, folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			s.assets.add(strings.TrimPrefix(path, folder+"/"), mustRead(files, path))
		}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("page: assets: %v", err)) // embedded files are always there
	}
}

// AddLibraries lets the modules of one island, which are in a folder of the assets, import
// assets by the names that are the keys of the maps. Those of start are loaded with the
// page, those of later when they are first imported.
func (s *Site) AddLibraries(folder string, start, later map[string]string) {
	s.libraries[folder] = ownLibraries{start, later}
}

// LoadLater keeps modules in a folder of the assets from being loaded with the pages of
// their island: they are loaded when they are first imported.
func (s *Site) LoadLater(folder string, names ...string) {
	for _, name := range names {
		s.later[s.assets.path(folder+"/"+name)] = true
	}
}

// AddFrame sets what surrounds refusals of people who are signed in, on paths that begin
// with first: they keep the menu of the room.
func (s *Site) AddFrame(first string, frame func(Sheet) *Frame) { s.frames[first] = frame }

// AddAsset adds a file that is made when the service starts.
func (s *Site) AddAsset(name string, content []byte) { s.assets.add(name, content) }

// Has reports whether the site has an asset.
func (s *Site) Has(name string) bool { return s.assets[name] != nil }

// Asset returns the path of an asset, which has the digest of its content in its name.
// It panics if there is none.
func (s *Site) Asset(name string) string { return s.assets.path(name) }

// Now returns the time.
func (s *Site) Now() time.Time { return s.config.Now() }

// Routes returns the routes of the assets.
func (s *Site) Routes() []web.Route {
	return []web.Route{{Method: http.MethodGet, Pattern: assetPrefix + "{name...}", For: web.Anyone, Serve: s.serveAsset}}
}

func mustRead(files fs.FS, name string) []byte {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		panic(fmt.Sprintf("page: %v", err)) // embedded files are always there
	}
	return content
}
