package scenes

import (
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/page"
)

// boardScenes are the states of the dispatch board. Shown is what its modules add to
// the page.
func (h *house) boardScenes() (scenes []Scene) {
	add := func(name, query, policy, shown string) {
		scenes = append(scenes, Scene{
			Name: name, URL: h.url + "/console/board" + query, Policy: policy, Cookie: operatorCookie + "=" + h.comers.operators[dispatcher], Shown: shown,
		})
	}
	policy := console.BoardPolicy()
	add("console-board", "", policy, "#orders [data-id]")
	add("console-board-late", "?attention=late", policy, "#orders [data-id]")
	add("console-board-none", "?zone=X9X", policy, "#orders .empty")
	add("console-board-hostile", "?q=hacked", policy, "#orders [data-id]")
	add("console-plain", "/plain", page.Policy, "")
	return scenes
}
