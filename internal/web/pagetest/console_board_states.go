package pagetest

import "github.com/dropyard/dropyard/internal/web/console"

// troubledScript answers a read of an order as if its partner had requested the cancellation, and as if an edit
// after the pickup waited for the courier.
const troubledScript = `(() => {
  const real = fetch;
  globalThis.fetch = async (address, options = {}) => {
    const response = await real(address, options);
    if (options.method !== "GET" || !/[/]orders[/]ord_[^/]*$/.test(address) || !response.ok) return response;
    const found = await response.json(), at = found.updated_at;
    found.flags = ["cancellation_requested", "edited_after_pickup"];
    found.order.cancellation_request = { state: "requested", reason: "The recipient has moved to Halifax.", at };
    found.order.changes = [{ version: found.version, at, fields: ["dropoff.phone", "dropoff.address.notes"], confirmed: false }];
    return new Response(JSON.stringify(found), { headers: response.headers });
  };
})();`

// boardStateScenes are states of the dispatch board besides those of boardScenes.
func (h *house) boardStateScenes() (scenes []Scene) {
	add := func(name, query, shown, script string) {
		scenes = append(scenes, Scene{
			Name: "console-board-" + name, URL: h.url + "/console/board" + query, Policy: console.BoardPolicy(),
			Cookie: h.operatorSession(dispatcher), Shown: shown, Script: script,
		})
	}
	add("panel-failed", "?order="+h.orders["A-1033"], ".trouble.danger", "")
	add("panel-troubled", "?order="+h.orders["A-1038"], ".trouble textarea", troubledScript)
	return scenes
}
