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

// assignScript answers what the board would change as if it were done, goes to the first order that is pending and asks
// for a courier.
const assignScript = `(() => {
  const real = fetch;
  globalThis.fetch = (address, options = {}) => {
    if ((options.method ?? "GET") === "GET") return real(address, options);
    const { order_ids: ids, status } = JSON.parse(options.body);
    return Promise.resolve(new Response(JSON.stringify({ results: ids.map((order_id) => ({ order_id, ok: true, status, version: 9 })) })));
  };
  new MutationObserver((_, observer) => {
    const list = document.getElementById("orders");
    if (!list?.querySelector("[data-id]") || !document.querySelector(".connection.live")) return;
    observer.disconnect();
    list.focus();
    for (const key of ["j", "c"]) list.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }).observe(document, { childList: true, subtree: true, attributes: true });
})();`

// pickScript chooses the first courier.
const pickScript = `new MutationObserver((_, observer) => {
  const first = document.querySelector("#courier-list li");
  if (!first) return;
  observer.disconnect();
  first.click();
}).observe(document, { childList: true, subtree: true });`

// pressScript presses a button of the bar as soon as the board is live.
func pressScript(selector string) string {
	return `new MutationObserver((_, observer) => {
  if (!document.querySelector(".connection.live")) return;
  observer.disconnect();
  document.querySelector("` + selector + `")?.click();
}).observe(document, { childList: true, subtree: true, attributes: true });`
}

// boardStateScenes are states of the dispatch board besides those of boardScenes.
func (h *house) boardStateScenes() (scenes []Scene) {
	add := func(name, query, shown, script string) {
		scenes = append(scenes, Scene{
			Name: "console-board-" + name, URL: h.url + "/console/board" + query, Policy: console.BoardPolicy(),
			Cookie: h.operatorSession(dispatcher), Shown: shown, Script: script, Taps: script != "",
		})
	}
	add("panel-failed", "?order="+h.orders["A-1033"], ".trouble.danger", "")
	add("panel-troubled", "?order="+h.orders["A-1038"], ".trouble textarea", troubledScript)
	add("picker", "?stage=pending", "#courier-list .far", assignScript)
	add("toast", "?stage=pending", ".toast .undo", assignScript+pickScript)
	add("places", "?city=Laval%7CToronto&zone=H2X", ".dialog .places-list .check", pressScript(".bar .of-places"))
	add("columns", "?sort=-courier", "#sort-by", pressScript(".bar .of-list"))
	add("no-pair", "?day=later&stage=failed&attention=late", "#orders .empty .line", "")
	return scenes
}
