package courier

import (
	"embed"

	"github.com/dropyard/dropyard/internal/web/page"
)

// libraryFiles are what others have written and only the app uses, as their packages ship
// it. vendored/vendored.json says what it is.
//
//go:embed vendored/*.js vendored/*.wasm
var libraryFiles embed.FS

// The names by which the app's modules import them. The barcode reader is loaded only if
// the browser has none; its second module has the path by which the first imports it.
var (
	libraries = map[string]string{
		"idb": "idb.mjs", "signature_pad": "vendored/signature_pad.js", "dropyard/camera.js": "camera.js",
	}
	codeReaders = map[string]string{
		"barcode-detector/ponyfill":          "vendored/ponyfill.js",
		"/assets/vendored/zxing-exported.js": "vendored/zxing-exported.js",
		"zxing_reader.wasm":                  "vendored/zxing_reader.wasm",
	}
)

// addAssets adds what the app's document loads.
func addAssets(site *page.Site) {
	site.AddAssets(files, "assets")
	site.AddAssets(libraryFiles, ".")
	site.AddLibraries(folder, libraries, codeReaders)
}
