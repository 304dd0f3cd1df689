package pagetest

import (
	"slices"

	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/page"
)

// boardScenes are the states of the dispatch board. Shown is what its modules add to
// the page.
func (h *house) boardScenes() (scenes []Scene) {
	policy := console.BoardPolicy()
	add := func(name, query, shown string) {
		scenes = append(scenes, Scene{
			Name: name, URL: h.url + "/console/board" + query, Policy: policy, Cookie: operatorCookie + "=" +
				h.logins.operators[dispatcher], Shown: shown,
		})
	}
	add("console-board", "", ".connection.live")
	add("console-board-late", "?attention=late", "#orders [data-id]")
	add("console-board-none", "?zone=X9X", "#orders .empty")
	add("console-board-hostile", "?q=hacked", "#orders [data-id]")
	open := h.orders["A-1038"]
	add("console-board-panel", "?order="+open, ".panel h2")
	add("console-board-panel-edited", "?order="+h.orders["A-1041"], ".panel h2")
	add("console-board-panel-pending", "?order="+h.orders["A-1042"], ".panel h2")
	add("console-board-panel-hostile", "?q=hacked&order="+h.orders[hostileText], ".panel h2")
	return slices.Concat(scenes, h.orderPageScenes())
}

// orderPageScenes are the documents of orders in the console.
func (h *house) orderPageScenes() (scenes []Scene) {
	add := func(name, path string) {
		scenes = append(scenes,
			Scene{Name: name, URL: h.url + "/console/orders" + path, Policy: page.Policy, Cookie: h.operatorSession(dispatcher)})
	}
	add("console-orders", "")
	add("console-orders-none", "?q=none")
	add("console-order", "/"+h.orders["A-1038"])
	add("console-order-delivered", "/"+h.orders["A-1031"])
	add("console-order-pending", "/"+h.orders["A-1042"])
	add("console-order-edited", "/"+h.orders["A-1041"])
	add("console-order-edit", "/"+h.orders["A-1040"]+"/edit")
	add("console-order-edit-hostile", "/"+h.orders[hostileText]+"/edit")
	add("console-order-hostile", "/"+h.orders[hostileText])
	return scenes
}
