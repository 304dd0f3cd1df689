package scenes

import "github.com/dropyard/dropyard/internal/web/courier"

// courierAppScenes are the states of the courier's app.
func (h *house) courierAppScenes() (scenes []Scene) {
	add := func(name, who, path, shown string) {
		scenes = append(scenes, Scene{Name: name, URL: h.url + path, Policy: courier.Policy(), Cookie: h.operatorSession(who), Shown: shown})
	}
	add("courier-home", rider, "/courier", "#content")
	return scenes
}
