package pagetest

import (
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/page"
)

// written gives the courier two messages, and the number of the desk.
const written = `answers.push(["GET /ops/v1/jobs", changed((round) => ({ ...round, dispatch_phone: "+15145550100", messages: [
	{ message_id: "019cb2f6-52d9-7a31-9c0e-4b6f2d1a8e58", text: "The shop on Rue Saint-Denis closes at 17:00 today.\nPlease go there first.", at: "2026-06-18T16:42:00Z" },
	{ message_id: "019cb2f6-52d9-7a31-9c0e-4b6f2d1a8e59", text: "Thanks!", at: "2026-06-18T16:45:00Z" }] }))]);`

// writtenStates are those in which the desk has written to the courier, and can be called.
var writtenStates = []appState{
	{name: "message", shown: ".message .act:not([aria-disabled])", script: written},
	{name: "message-read", shown: ".message .soft", script: written +
		`answers.push(["POST /ops/v1/", lost], ["GET /ops/v1/me", lost]); await tap(".message .act:not([aria-disabled])");`},
	{name: "menu-dispatch", shown: `.dialog [href^="tel:"]`, script: written + `await seen(".message"); await tap(".open-menu");`},
}

// writing opens the dialog in which the desk writes to a courier. What is sent stays in the page; confirm reads it.
const writing = `(() => {
  const real = fetch, json = (value, status = 200) => new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json", "X-Request-Id": "req_1" } });
  const by = { operator_id: "opr_1", email: "desk@dropyard.example" };
  const messages = [{ message_id: "m1", text: "The shop on Rue Saint-Denis closes at 17:00 today.", at: "2026-06-18T16:30:00Z", by, read_at: "2026-06-18T16:31:00Z" }];
  globalThis.confirm = () => { messages[0].read_at = "2026-06-18T16:48:00Z"; };
  globalThis.fetch = async (address, options = {}) => {
    if (!/\/couriers\/[^/]+\/messages/.test(String(address))) return real(address, options);
    if (options.method !== "POST") return json({ messages });
    messages.unshift({ message_id: "m" + (messages.length + 1), text: JSON.parse(options.body).text, at: "2026-06-18T16:47:00Z", by, read_at: null });
    return json(messages[0], 201);
  };
  const timer = setInterval(() => {
    const button = document.querySelector("[data-act=message]");
    if (!button) return;
    clearInterval(timer);
    button.click();
  }, 50);
})();`

// messageScenes are those in which the desk and a courier write to each other.
func (h *house) messageScenes() []Scene {
	return append(h.appScenes(writtenStates), Scene{
		Name: "console-board-message", URL: h.url + "/console/board?view=couriers", Policy: console.BoardPolicy(),
		Cookie: h.operatorSession(secured(page.English)), Shown: ".dialog [role=status] p", Script: writing,
	})
}

// phoneScenes are those in which the desk creates orders for partners.
func (h *house) phoneScenes() (scenes []Scene) {
	for _, scene := range [][2]string{
		{"choose", "/console/orders/new"},
		{"choose-none", "/console/orders/new?q=none"},
		{"new", "/console/partners/" + h.shops.metro + "/orders/new"},
		{"new-faults", "/console/partners/" + h.shops.metro + "/orders/new?check=yes"},
	} {
		scenes = append(scenes, Scene{
			Name: "console-order-" + scene[0], URL: h.url + scene[1], Policy: page.Policy,
			Cookie: h.operatorSession(dispatcher),
		})
	}
	return scenes
}
