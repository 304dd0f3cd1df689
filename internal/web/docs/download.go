package docs

import (
	"bytes"
	"net/http"
	"path"

	"github.com/dropyard/dropyard/internal/web"
)

// downloadsPath is the address below which the downloads are.
const downloadsPath = "/downloads"

// download serves a file that the service offers.
func (pages *Pages) download(v *web.PageRequest) (int, []byte, error) {
	file, found, err := pages.config.Downloads.File(v.Request.PathValue("path"))
	if err != nil {
		return 0, nil, err
	}
	if !found {
		return 0, nil, errNoFile
	}
	v.Header.Set("Content-Type", file.Kind)
	v.Header.Set("Cache-Control", "no-cache")
	if file.Kind == "application/zip" || file.Kind == "application/gzip" {
		v.Header.Set("Content-Disposition", `attachment; filename="`+path.Base(file.Path)+`"`)
	}
	return http.StatusOK, bytes.Clone(file.Content), nil
}
