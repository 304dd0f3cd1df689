package pagetest

import "github.com/dropyard/dropyard/internal/web/portal"

// mapScenes are those of the map of a partner's orders.
func (h *house) mapScenes() (scenes []Scene) {
	for _, scene := range [][3]string{
		{"", owner, ""},
		{"-area", owner, "?area=M5H"},
		{"-none", newcomer, ""},
		{"-wordy", wordy, ""},
		{"-hostile", hostiles, ""},
	} {
		shown := ".map-frame:not(.loading)"
		if scene[0] == "-none" {
			shown = ""
		}
		scenes = append(scenes, Scene{
			Name: "portal-map" + scene[0], URL: h.url + "/portal/orders/map" + scene[2], Policy: portal.MapPolicy(),
			Cookie: sessionCookie + "=" + h.cookies[scene[1]], Shown: shown,
		})
	}
	return scenes
}
