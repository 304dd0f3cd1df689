package pagetest

import (
	"strings"

	"github.com/dropyard/dropyard"
	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/downloads"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/docs"
	"github.com/dropyard/dropyard/internal/web/page"
)

// documentation returns the routes of the documentation.
func documentation(site *page.Site) []web.Route {
	return docs.New(docs.Config{
		Site: site, BaseURL: func() string { return "https://api.dropyard.example" }, Statuses: api.Statuses(),
		Downloads: downloads.New(dropyard.Sources, "0.1.0"),
	}).Routes()
}

// documents are pages of the documentation, one of each kind.
var documents = []string{
	"/docs", "/docs/clients/go", "/docs/clients/python", "/docs/contract", "/docs/operating", "/docs/decisions",
	"/docs/errors", "/docs/errors/validation_error", "/docs/events", "/docs/events/order.failed", "/docs/api",
	"/docs/api/createOrder", "/docs/api/listBoard",
}

// documentScenes returns the scenes of the documentation.
func documentScenes(server string) (scenes []Scene) {
	for _, path := range documents {
		name := strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "-")
		scenes = append(scenes, Scene{Name: strings.ReplaceAll(name, "_", "-"), URL: server + path, Policy: page.Policy})
	}
	return scenes
}
