package docs

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"text/template"

	"github.com/dropyard/dropyard/internal/downloads"
	"github.com/dropyard/dropyard/internal/web"
)

// downloadsPath is the address below which the downloads are, and downloadsList that of the page that lists them. The
// page is also at downloadsPath itself.
const downloadsPath, downloadsList = "/downloads", root + "/downloads"

// downloads serves the list of the downloads.
func (pages *Pages) downloads(v *web.PageRequest) (int, []byte, error) {
	s := pages.config.Site.Sheet(v)
	return pages.show(s, pages.libraries[s.Language]()[downloadsList])
}

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

// exampleFolder is a folder of the examples.
type exampleFolder struct {
	Name  string
	Files []downloadedFile
}

// listOfDownloads returns the page that lists the downloads of the service at an address, in Markdown.
func listOfDownloads(url string, packed *downloads.Clients, offered *downloads.Downloads) (string, error) {
	shown := struct {
		Version, Proxy, Module string
		Clients                []clientPage
		Folders                []exampleFolder
	}{
		Version: packed.Version, Module: downloads.ModulePath,
		Proxy: url + downloadsPath + "/" + downloads.ProxyPath,
	}
	for _, one := range clients {
		shown.Clients = append(shown.Clients, clientPage{client: one, Files: one.downloaded(packed)})
	}
	examples, err := offered.Examples()
	if err != nil {
		return "", err
	}
	for _, name := range examples {
		folder, file, _ := strings.Cut(strings.TrimPrefix(name, "examples/"), "/")
		if last := len(shown.Folders) - 1; last < 0 || shown.Folders[last].Name != folder {
			shown.Folders = append(shown.Folders, exampleFolder{Name: folder})
		}
		last := &shown.Folders[len(shown.Folders)-1]
		last.Files = append(last.Files, downloadedFile{Name: file, Address: downloadsPath + "/" + name})
	}
	parsed, err := template.ParseFS(files, "clients/downloads.md")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = parsed.Execute(&text, shown)
	return strings.TrimSpace(text.String()) + "\n", err
}
