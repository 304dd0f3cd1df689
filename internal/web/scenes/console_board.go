package scenes

import "github.com/dropyard/dropyard/internal/web/console"

// boardScenes are the states of the dispatch board. Shown is what its modules add to
// the page.
func (h *house) boardScenes() (scenes []Scene) {
	policy := console.BoardPolicy()
	add := func(name, query, shown string) {
		scenes = append(scenes, Scene{
			Name: name, URL: h.url + "/console/board" + query, Policy: policy, Cookie: operatorCookie + "=" + h.comers.operators[dispatcher], Shown: shown,
		})
	}
	add("console-board", "", "#orders [data-id]")
	add("console-board-late", "?attention=late", "#orders [data-id]")
	add("console-board-none", "?zone=X9X", "#orders .empty")
	add("console-board-hostile", "?q=hacked", "#orders [data-id]")
	return scenes
}
