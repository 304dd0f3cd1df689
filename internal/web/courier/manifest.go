package courier

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// manifest is a web app manifest: what phones show of the app on the home screen.
type manifest struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	ShortName   string         `json:"short_name"`
	Description string         `json:"description"`
	Language    page.Language  `json:"lang"`
	Direction   string         `json:"dir"`
	StartURL    string         `json:"start_url"`
	Scope       string         `json:"scope"`
	Display     string         `json:"display"`
	Background  string         `json:"background_color"`
	Theme       string         `json:"theme_color"`
	Categories  []string       `json:"categories"`
	Icons       []manifestIcon `json:"icons"`
}

// manifestIcon is an icon of the app. A maskable one may be cut to any shape.
type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

// serveManifest serves the manifest. Browsers ask for it without cookies, so that the
// document names the language in the address.
func (pages *Pages) serveManifest(v *web.PageRequest) (int, []byte, error) {
	language := page.LanguageOf(v.Request, "")
	shown := manifest{
		ID: appPath, Name: language.Text("courier.app.name"), ShortName: language.Text("courier.app.short"),
		Description: language.Text("courier.app.about"), Language: language, Direction: "ltr", StartURL: appPath,
		Scope: appPath, Display: "standalone", Background: "#f6f7f6", Theme: "#0b5d3b",
		Categories: []string{"business", "productivity"},
	}
	for _, i := range icons {
		size := strconv.Itoa(i.size)
		shown.Icons = append(shown.Icons, manifestIcon{i.path, size + "x" + size, "image/png", i.purpose()})
	}
	shown.Icons = append(shown.Icons, manifestIcon{pages.config.Site.Asset("icon.svg"), "any", "image/svg+xml", "any"})
	body, err := json.Marshal(shown)
	v.Header.Set("Content-Type", "application/manifest+json")
	v.Header.Set("Cache-Control", "no-cache")
	v.Header.Set("Content-Language", string(language))
	return http.StatusOK, body, err
}
