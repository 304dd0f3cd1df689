package pagetest

import (
	"cmp"
	_ "embed" // the scripts
	"fmt"
	"regexp"

	"github.com/dropyard/dropyard/internal/web/courier"
	"github.com/dropyard/dropyard/internal/web/page"
)

// courierScript has the functions that the scripts of the app's scenes call.
//
//go:embed scripts/courier.js
var courierScript string

// taps matches scripts that do what a finger does.
var taps = regexp.MustCompile(`\b(tap|act|type)\(`)

// appState is the courier's app in one state.
type appState struct {
	name   string
	shown  string // selects what is there in this state only
	script string // that leads to it from the start of the app
	who    string // rider if it is empty
}

// courierAppScenes are the states of the courier's app.
func (h *house) courierAppScenes() (scenes []Scene) {
	add := func(states []appState) { scenes = append(scenes, h.appScenes(states)...) }
	add(h.roundStates())
	add(changedStates)
	add(handoverStates)
	add(withoutStops)
	add(connectionStates)
	add(refusedStates)
	add(storageStates)
	add(menuStates)
	add(h.proofStates())
	add(h.moneyStates())
	add(scanStates)
	return append(scenes,
		Scene{
			Name: "courier-app", URL: h.url + "/courier", Policy: courier.Policy(), Cookie: h.operatorSession(rider),
			Shown: ".stop.large",
		}, // also without scripts
		Scene{Name: "courier-offline", URL: h.url + "/courier/offline", Policy: page.Policy},
		Scene{
			Name: "courier-others", URL: h.url + "/courier", Policy: page.Policy,
			Cookie: h.operatorSession(secured(page.English)),
		},
	)
}

// appScenes returns the scenes of states of the app.
func (h *house) appScenes(states []appState) (scenes []Scene) {
	for _, state := range states {
		scenes = append(scenes, Scene{
			Name: "courier-" + state.name, URL: h.url + "/courier", Policy: courier.Policy(),
			Cookie: h.operatorSession(cmp.Or(state.who, rider)), Shown: state.shown,
			Script: "(async () => {" + courierScript + state.script + "})();", Taps: taps.MatchString(state.script),
			Phone: true,
		})
	}
	return scenes
}

// roundStates are those of the list of stops.
func (h *house) roundStates() []appState {
	cash := fmt.Sprintf("[data-order=%q]", h.orders["N-202"])
	return []appState{
		{name: "home", shown: ".stop.large"},
		{name: "home-cash", shown: ".large" + cash, script: fmt.Sprintf("await tap(%q);", ".small"+cash)},
		{
			name: "home-pickup", shown: `.large[data-status="courier_assigned"]`,
			script: `await tap('.small[data-status="courier_assigned"]');`,
		},
		{name: "home-failed", shown: `.large[data-status="failed"]`, script: `await tap('.small[data-status="failed"]');`},
		{name: "home-done", shown: ".done[open]", script: `await tap(".done summary");`},
		{
			name: "home-more", shown: ".stops ~ p.soft",
			script: `answers.push(["GET /ops/v1/jobs", changed((round) => ({ ...round, more: true }))]);`,
		},
		{name: "home-hostile", shown: ".stop.large", who: hostileRider},
	}
}

// withoutStops are the states in which there are no stops.
var withoutStops = []appState{
	{name: "home-none", shown: ".empty .title", who: idler},
	{
		name: "home-finished", shown: ".empty .title",
		script: `answers.push(["GET /ops/v1/jobs", changed((round) => ({ ...round, jobs: [] }))]);`,
	},
	{name: "home-loading", shown: ".empty[role=status]", script: `answers.push(["GET /ops/v1/jobs", never]);`},
	{
		name: "home-error", shown: ".empty[role=alert]",
		script: `answers.push(["GET /ops/v1/jobs", fault(500, "internal_error")]);`,
	},
	{name: "home-offline", shown: ".empty[role=alert]", script: `answers.push(["GET /ops/v1/", lost]);`},
}

// edits gives the first stop what was edited of it, and a small one that it was.
const edits = `answers.push(["GET /ops/v1/jobs", changed((round) => {
	const fields = [
		{ field: "dropoff.phone", was: "+14165550198", now: "+14165550123" },
		{ field: "dropoff.address.line1", was: "12 Bay Street", now: "100 Queen St W" },
		{ field: "dropoff.address.notes", was: null, now: "Ring at the side door: the bell in front is broken" },
		{ field: "dropoff.time_window", was: { start: "2026-06-18T15:00:00Z", end: "2026-06-18T17:00:00Z" },
			now: { start: "2026-06-18T17:00:00Z", end: "2026-06-18T19:00:00Z" } },
		{ field: "cod", was: { amount_cents: 4999, currency: "CAD" }, now: { amount_cents: 2999, currency: "CAD" } },
		{ field: "parcels", was: [{ description: "Books", weight_kg: 2.5 }],
			now: [{ description: "Books", weight_kg: 2.5 }, { description: "A lamp", weight_kg: 1.2 }] },
	];
	const edited = (by, some) => ({ version: 9, at: "2026-06-18T16:05:00Z", by, fields: some });
	return { ...round, jobs: round.jobs.map((job, i) => i > 2 ? job : { ...job, changes: edited("service", i === 0 ? fields : i === 1 ? fields.slice(0, 1) : []) }) };
})]);`

// changedStates are those in which stops were edited.
var changedStates = []appState{
	{name: "home-changed", shown: ".large .changes .act:not([aria-disabled])", script: edits},
	{name: "home-changed-back", shown: ".large .changes p", script: edits +
		`await seen(".stop"); const stops = document.querySelectorAll(".stop.small"); stops[1].click();`},
	{
		name: "home-changed-seen", shown: ".large .acts", script: edits +
			`answers.push(["POST /ops/v1/", lost], ["GET /ops/v1/me", lost]); await tap(".changes .act:not([aria-disabled])");`,
	},
}

// handing gives the courier colleagues, and opens the dialog in which parcels are handed over.
const handing = `answers.push(["GET /ops/v1/jobs", changed((round) => ({ ...round, colleagues: [{ courier_id: "cou_camille", name: "Camille Roy" }, { courier_id: "cou_marc", name: "Marc Dubé" }] }))]);
await tap(".large [data-act=transfer]");`

// handoverStates are those of handing parcels over.
var handoverStates = []appState{
	{name: "handover", shown: ".dialog .reasons", script: handing},
	{name: "handover-place", shown: "#handover-location", script: handing + `await tap(".dialog [value=place]");`},
}

// bringing gives the courier parcels to bring back, to a warehouse and to a sender.
const bringing = `answers.push(["GET /ops/v1/jobs", changed((round) => {
	const parcels = [{ parcel_id: "P-1", label: "P-1", description: "A lamp", weight_kg: 4, fragile: true }];
	const back = (id, more) => ({ order_id: "ord_" + id, partner_id: "par_1", partner_name: "Épicerie Métro", partner_order_id: id, version: 7, parcels, due_at: "2026-06-18T15:20:00Z", ...more });
	const depot = { name: "Dépôt Nord", phone: "+15145550199", address: { line1: "9000 Boulevard Saint-Laurent", city: "Montréal", province: "QC", postal_code: "H2N 1M5", country: "CA" } };
	const shop = { name: "Fleuriste Le Jardin", phone: "+15145550144", address: { line1: "1200 Rue Sainte-Catherine O", city: "Montréal", province: "QC", postal_code: "H3B 1K9", country: "CA" } };
	const colleagues = [{ courier_id: "cou_camille", name: "Camille Roy" }];
	return { ...round, colleagues, jobs: round.jobs.slice(0, 2), returns: [
		back("A-1040", { to: "warehouse", location: "MTL-1", place: depot }),
		back("A-1047", { to: "warehouse", location: "MTL-1", place: depot }),
		back("B-77", { to: "sender", place: shop }), back("A-1052", { to: "warehouse", location: "TOR-1", place: null })] };
})]);`

// bringingStates are those of parcels to bring back, and of the courier's own code.
var bringingStates = []appState{
	{name: "bring", shown: "article.stop.bring", script: bringing + `(await seen("#bring")).scrollIntoView();`},
	{name: "bring-proof", shown: ".dialog .fault", script: bringing +
		`await tap('[data-returns="ord_B-77"] [data-act=bring]', ".dialog .button.large");`},
	{name: "bring-waiting", shown: ".sends .dot", script: bringing +
		`answers.push(["POST /ops/v1/", lost], ["GET /ops/v1/me", lost]); await tap('[data-returns="ord_A-1052"] [data-act=bring]');`},
	{name: "bring-handover", shown: ".dialog .reasons", script: bringing +
		`await tap('[data-returns="ord_A-1040 ord_A-1047"] [data-act=transfer]');`},
	{name: "handover-scan", shown: ".dialog video", script: `camera();` + handing +
		`await tap(".dialog [data-act=scan]");`},
	{name: "handover-scanned", shown: ".dialog [value=cou_camille]:checked", script: `camera("courier:cou_camille");` +
		handing + `await tap(".dialog [data-act=scan]");`},
	{name: "handover-unknown", shown: ".dialog .fault", script: `camera("https://dropyard.example/track/x");` + handing +
		`await tap(".dialog [data-act=scan]");`},
	{name: "menu-code", shown: ".own-code svg", script: `await tap(".open-menu", "[data-act=code]");`},
}

// connectionStates are those between the phone and the service.
var connectionStates = []appState{
	{name: "home-sending", shown: ".large .unsent", script: `answers.push(["POST /ops/v1/", never]); await act();`},
	{
		name: "home-waiting", shown: `.large[data-status="out_for_delivery"] .unsent`,
		script: `answers.push(["POST /ops/v1/", lost], ["GET /ops/v1/me", lost]);
		await act(); await tap('.stop:not(.large)[data-status="courier_assigned"]', '.large[data-status="courier_assigned"] [data-act="picked_up"]:not([aria-disabled])');
		await seen('.small[data-status="picked_up"] .unsent'); await tap('.small[data-status="out_for_delivery"]:has(.unsent)');`,
	},
	{
		name: "home-kept", shown: ".sends .dot",
		script: `await seen(".stop"); answers.push(["GET /ops/v1/", lost]); await again();`,
	},
	{
		name: "home-old", shown: ".sends .dot",
		script: `await seen(".stop"); answers.push(["GET /ops/v1/", fault(500, "internal_error")]); await again();`,
	},
	{
		name: "home-signed-out", shown: ".empty a",
		script: `answers.push(["POST /ops/v1/", fault(401, "unauthenticated")]); await act();`,
	},
	{
		name: "home-others-wait", shown: ".notice.others",
		script: `const { open } = await module("storage.js"), storage = await open("dropyard-courier");
		for (const second of [1, 2, 3]) await storage.add("opr_other", "ord_other", () => [{ act: { owner: "opr_other", order_id: "ord_other", at: "2026-06-18T12:00:0" + second + "Z" } }]);
		await again();`,
	},
}

// refuses are the scripts of acts that the service refuses.
const refuses = `const by = { operator_id: "opr_6va1q5tdr9ce62kh", email: "desk2@dropyard.example", at: "2026-06-18T16:31:00.000Z" };
const refuse = async (status, code, details) => { answers.push(["POST /ops/v1/", fault(status, code, details)]); await act(); };
`

// refusedStates are those of acts that the service has refused.
var refusedStates = []appState{
	{name: "home-refused", shown: ".refusal", script: refuses +
		`await refuse(409, "conflict", { status: "cancelled", version: 9, changed_by: by });`},
	{name: "home-refused-given", shown: ".refusal", script: refuses + `await refuse(409, "conflict", { status: "courier_assigned", version: 9, courier: { name: "Marc Dubé" }, changed_by: by });`},
	{name: "home-refused-gone", shown: ".refusal", script: refuses + `await refuse(404, "not_found");`},
	{name: "home-refused-large", shown: ".refusal",
		script: `let sent = 0; answers.push(["POST /ops/v1/", (go) => sent++ ? never() : fault(413, "payload_too_large")(go)]);
		await tap("[data-act=delivered]"); await photograph(); await seen(".dialog .photo img"); await tap(".dialog .button.large:not([aria-disabled=true])");`},
	{name: "home-refused-old", shown: ".refusal", script: refuses +
		`let late = false; const now = Date.now; Date.now = () => now() + (late ? 49 * 3600000 : 0);
		answers.push(["POST /ops/v1/", (go) => { late = true; return fault(422, "validation_failed")(go); }]); await act();`},
	{
		name: "home-refused-all", shown: ".refusal",
		script: `answers.push(["POST /ops/v1/", lost], ["GET /ops/v1/me", lost]); await act(); await seen(".large .unsent");
		await tap('.small[data-status="courier_assigned"]', '.large[data-status="courier_assigned"] [data-act="picked_up"]:not([aria-disabled])'); await seen('[data-status="picked_up"] .unsent');
		answers.push(["GET /ops/v1/me", (go) => go()], ["POST /ops/v1/", fault(404, "not_found")]); await again();`,
	},
}

// storageStates are those of a phone that cannot store or read.
var storageStates = []appState{
	{
		name: "home-not-stored", shown: ".low .notice.danger",
		script: `IDBObjectStore.prototype.add = () => { throw new DOMException("", "QuotaExceededError"); }; await act();`,
	},
	{name: "home-storage-fails", shown: ".low .notice.danger", script: `await seen(".stop"); IDBDatabase.prototype.transaction = () => { throw new DOMException("", "UnknownError"); }; await again();`},
	{name: "home-outdated", shown: "main > .notice.danger", script: `sessionStorage.setItem("courier.renewed", "yes"); indexedDB.open = () => { throw new DOMException("", "VersionError"); };`},
	{name: "home-outdated", shown: "main > .notice.danger", script: `await seen(".stop"); sessionStorage.setItem("courier.renewed", "yes"); indexedDB.open("dropyard-courier", 99);`},
	{
		name: "home-no-storage", shown: "main > .notice.danger",
		script: `indexedDB.open = () => { throw new DOMException("", "SecurityError"); };`,
	},
}

// install are the scripts of phones on which the app can be put on the home screen.
const (
	onAndroid = `await seen(".stop"); dispatchEvent(Object.assign(new Event("beforeinstallprompt", { cancelable: true }), { prompt: never }));`
	onIOS     = `Object.defineProperty(navigator, "standalone", { value: false });`
)

// menuStates are those of the menu and of the app on the phone.
var menuStates = []appState{
	{name: "menu", shown: ".dialog .leave", script: `await tap(".bar .open-menu");`},
	{name: "menu-android", shown: ".dialog .leave", script: onAndroid + `await tap(".bar .open-menu");`},
	{name: "menu-ios", shown: ".dialog .leave", script: onIOS + `await tap(".bar .open-menu");`},
	{
		name: "menu-newer", shown: ".dialog .line",
		script: `(await module("install.js")).newer.value = true; await tap(".bar .open-menu");`,
	},
	{name: "menu-leave", shown: ".dialog .button.danger", script: `answers.push(["POST /ops/v1/", never]); await act(); await seen(".large .unsent"); await tap(".bar .open-menu", ".dialog .leave");`},
	{
		name: "menu-leave-failed", shown: ".dialog .notice.danger",
		script: `answers.push(["POST /courier/logout", lost]); await tap(".bar .open-menu", ".dialog .leave");`,
	},
	{name: "home-newer", shown: "main .line", script: `(await module("install.js")).newer.value = true;`},
	{name: "home-install", shown: "#install", script: onAndroid},
	{name: "home-install-ios", shown: "#install", script: onIOS},
}

// proofStates are those of the dialogs before a delivery and after a failed attempt.
func (h *house) proofStates() []appState {
	cash := h.delivering("N-202")
	failing := `await tap("[data-act=failed]");`
	return []appState{
		{name: "proofs", shown: ".dialog .proofs", script: `await tap("[data-act=delivered]");`},
		{name: "proofs-taken", shown: ".dialog .photo img", script: cash +
			`await tap(".dialog [value=cash]"); await sign(); await photograph();`},
		{name: "proofs-unfit", shown: ".dialog .state.fault", script: cash + `await choose(new Blob(["not a picture"]));`},
		{name: "proofs-unstored", shown: ".dialog form > .fault", script: `IDBObjectStore.prototype.add = () => { throw new DOMException("", "QuotaExceededError"); }; await tap("[data-act=delivered]", ".dialog .button.large");`},
		{name: "failing", shown: ".dialog .reasons", script: failing},
		{name: "failing-later", shown: ".dialog .photo img", script: failing +
			`const next = await seen("#fail-next"); next.value = "other"; next.dispatchEvent(new Event("change", { bubbles: true }));
			await tap(".reasons [value=no_access]"); (await seen("#fail-notes")).value = "Le code de la porte ne marche plus."; await photograph();`},
		{
			name: "failing-unstored", shown: ".dialog form > .fault",
			script: `IDBObjectStore.prototype.add = () => { throw new DOMException("", "QuotaExceededError"); };` +
				failing + `await tap(".reasons [value=not_home]", ".dialog .fail");`,
		},
		{name: "failing-pickup", shown: ".dialog .reasons", script: `await tap('.small[data-status="courier_assigned"]', '.large[data-status="courier_assigned"] [data-act="failed"]');`},
	}
}

// delivering returns the script that opens the dialog in which an order is delivered.
func (h *house) delivering(number string) string {
	order := fmt.Sprintf("[data-order=%s]", h.orders[number])
	return fmt.Sprintf(`await tap(%q, %q);`, ".small"+order, ".large"+order+" [data-act=delivered]")
}

// moneyStates are those of what is collected at the door, and of the cash with the courier.
func (h *house) moneyStates() []appState {
	cash := h.delivering("N-202")
	const deliver = `await tap(".dialog [value=cash]", ".dialog .button.large");`
	const asked = `const asks = (field) => answers.push(["POST /ops/v1/", fault(422, "validation_error", { field, errors: [{ field }] })]);`
	const edited = `answers.push(["GET /ops/v1/jobs", changed((round) => { for (const { cod } of round.jobs) if (cod) cod.amount_cents = 2999; return round; })]);`
	const carried = `const cash = (id, partner_order_id, amount_cents, unconfirmed) => ({ order_id: "ord_" + id, partner_order_id, amount_cents, currency: "CAD", collected_at: "2026-06-18T15:20:00Z", unconfirmed });
	answers.push(["GET /ops/v1/couriers/", service(200, { courier_id: "cou_1",
		balances: [{ currency: "CAD", amount_cents: 13451 }, { currency: "USD", amount_cents: 2000 }],
		orders: [cash("1", "N-101", 9000, false), cash("2", "N-102", 4451, true), { ...cash("3", "EXPORT-2026-000417", 1500, false), currency: "USD" }, { ...cash(), order_id: null, partner_order_id: null, collected_at: null, amount_cents: 500, currency: "USD" }] })]);`
	return []appState{
		{name: "proofs-cash", shown: "#collected-amount", script: cash},
		{name: "proofs-less", shown: "#collected-notes", script: cash + `await tap(".dialog [value=terminal]"); await enter("#collected-amount", "40");`},
		{name: "proofs-nothing", shown: ".dialog .fault", script: cash + `await tap(".dialog [value=none]", ".dialog .button.large");`},
		{name: "proofs-faults", shown: "#collected-amount[aria-invalid]", script: cash + `await enter("#collected-amount", "49.999"); await tap(".dialog .button.large");`},
		{name: "home-asked", shown: "[data-asks]", script: asked + `asks("collected");` + cash + deliver},
		{name: "home-asked-changed", shown: "[data-asks]", script: asked + `asks("collected.notes");` + cash + edited + deliver},
		{name: "asked", shown: "#collected-notes", script: asked + `asks("collected.notes");` + cash + edited + deliver +
			`await tap("[data-asks] .act:not([aria-disabled=true])", ".dialog .button.large");`},
		{name: "home-carried", shown: ".cash[open] li:nth-child(5)", script: carried +
			`answers.push(["POST /ops/v1/", lost], ["GET /ops/v1/me", lost]);` + cash + deliver + `await tap(".cash summary"); document.querySelector(".cash").scrollIntoView({ block: "end" });`},
	}
}

// scanning opens the scanner.
const scanning = `await tap(".reach button");`

// labelled gives the parcels of the first stop codes of their own.
const labelled = `answers.push(["GET /ops/v1/jobs", changed((round) => { round.jobs[0].parcels.forEach((parcel, i) => { parcel.label = "BC-100" + (i + 1); }); return round; })]);`

// twin gives a second stop the code of a parcel of the first.
const twin = `answers.push(["GET /ops/v1/jobs", changed((round) => { for (const { parcels: [first] } of round.jobs.slice(0, 2)) first.barcode = "06278434000128"; return round; })]);`

// scanStates are those of the scanner.
var scanStates = []appState{
	{name: "scan", shown: ".camera video", script: `camera();` + scanning},
	{name: "scan-found", shown: ".scanned", script: labelled + `camera("BC-1001");` + scanning},
	{name: "scan-all", shown: ".scanned .complete", script: labelled + `camera("BC-1001", "BC-1002");` + scanning},
	{name: "scan-several", shown: ".scanned + .scanned", script: twin + `camera();` + scanning +
		`await type("06278434000128");`},
	{
		name: "scan-unknown", shown: ".scan .fault",
		script: `camera(); answers.push(["GET /ops/v1/scan", fault(404, "not_found")]);` + scanning +
			`await type("BC-9000");`,
	},
	{
		name: "scan-offline", shown: ".scan .fault",
		script: `blind("NotReadableError"); answers.push(["GET /ops/v1/scan", lost]);` + scanning + `await type("BC-9000");`,
	},
	{name: "scan-blind", shown: ".camera .notice", script: `blind("NotAllowedError");` + scanning},
	{
		name: "scan-busy", shown: ".scan p.soft",
		script: `blind("NotFoundError"); answers.push(["GET /ops/v1/scan", never]);` + scanning + `await type("BC-9000");`,
	},
	{name: "scan-elsewhere", shown: ".low .notice.danger", script: `camera(); answers.push(["GET /ops/v1/scan", service(200, { matches: [{ place: 1, order: { order_id: "ord_done", stop: { name: "Marie-Ève Bouchard-Desrosiers" }, parcels: [{ parcel_id: "P-1", label: "BC-9000" }] } }] })]);` +
		scanning + `await type("BC-9000"); await tap(".scanned button");`},
}
