package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
)

//go:embed assets templates
var ownFiles embed.FS

// assetPrefix is the path below which assets are served.
const assetPrefix = "/assets/"

// asset is a file that pages load. It never changes at its path.
type asset struct {
	path       string // with the digest of the content
	kind       string // its Content-Type
	content    []byte
	compressed func() []byte // by gzip, on the first call; nil if that saves nothing
}

// assets holds every asset under its own name and under the one with its digest.
type assets map[string]*asset

// kinds are the types of assets, so that they do not depend on the machine's own table.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".wasm": "application/wasm", ".json": "application/json",
}

// sharedImport is how a module of documents imports one of all pages. Islands have import
// maps, whose digests are in their policies; documents have the policy of all.
var sharedImport = regexp.MustCompile(`from "dropyard/([a-z-]+\.js)"`)

func (a assets) add(name string, content []byte) {
	if path.Dir(name) == "." {
		content = sharedImport.ReplaceAllFunc(content, func(found []byte) []byte {
			return []byte(`from "` + a.path(string(sharedImport.FindSubmatch(found)[1])) + `"`)
		})
	}
	sum := sha256.Sum256(content)
	extension := path.Ext(name)
	digested := strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:8]) + extension
	if a[name] != nil {
		panic("page: there are two assets " + name)
	}
	kind := kinds[extension]
	if kind == "" {
		kind = mime.TypeByExtension(extension)
	}
	added := &asset{path: assetPrefix + digested, kind: kind, content: content}
	added.compressed = sync.OnceValue(func() []byte { return compress(content) })
	a[name], a[digested] = added, added
}

// compress returns the content compressed, or nil if it is not smaller.
func compress(content []byte) []byte {
	var buffer bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&buffer, gzip.BestCompression) // fails for unknown levels only
	_, _ = writer.Write(content)                                    // a buffer takes everything
	_ = writer.Close()
	if buffer.Len() >= len(content) {
		return nil
	}
	return buffer.Bytes()
}

// path returns the path of an asset. It panics if there is none, because only the
// code of a page names one.
func (a assets) path(name string) string {
	found := a[name]
	if found == nil {
		panic(fmt.Sprintf("page: there is no asset %q", name))
	}
	return found.path
}

// serveAsset serves a file whose name has the digest of its content, so that caches
// may keep it for ever.
func (s *Site) serveAsset(v *web.PageRequest) (int, []byte, error) {
	name, header := v.Request.PathValue("name"), v.Header
	found := s.assets[name]
	if found == nil || found.path != assetPrefix+name {
		return 0, nil, refusal.NotFound("this file")
	}
	header.Set("Content-Type", found.kind)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	if strings.Contains(v.Request.Header.Get("Accept-Encoding"), "gzip") {
		if compressed := found.compressed(); compressed != nil {
			header.Set("Content-Encoding", "gzip")
			return http.StatusOK, compressed, nil
		}
	}
	return http.StatusOK, found.content, nil
}
