package pagetest

import (
	"slices"

	"github.com/dropyard/dropyard/internal/web/page"
)

// scenes returns the scenes of people who sign in.
func (h *house) scenes() (scenes []Scene) {
	add := func(name, who, path string) {
		scenes = append(scenes,
			Scene{Name: name, URL: h.url + path, Policy: page.Policy, Cookie: sessionCookie + "=" + h.cookies[who]})
	}
	add("portal-home", owner, "/portal")
	add("portal-home-test", owner, "/portal?mode=test")
	add("portal-home-new", newcomer, "/portal")
	add("portal-home-hostile", hostiles, "/portal")
	h.newOrderScenes(add)
	h.settingsScenes(add)
	h.stockScenes(add)
	return slices.Concat(scenes, h.orderScenes(), h.developerScenes(), h.webhookScenes())
}
