// The dispatch board. This module puts it together; the first line of each says what it is for.
import { render } from "preact";
import "@preact/signals"; // components are drawn again when a signal that they read changes
import { start } from "./board.js";
import { Bar, Failure } from "./bar.js";
import { Bulk, Counted } from "./bulk.js";
import { correct, run } from "dropyard/clock.js";
import { Dialogs } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { listen } from "./keys.js";
import { later, loadLater } from "./later.js";
import { Panel } from "./notes.js";
import { opened, read, view } from "./route.js";
import { follow, store } from "./store.js";
import { Table } from "./table.js";
import { t } from "dropyard/text.js";
import { Toast } from "./toast.js";

/** @type {import("./route.js").View[]} */
const views = ["list", "map", "couriers"];

const MapView = later(async () => (await import("./map.js")).MapView);
const CouriersView = later(async () => (await import("./couriers.js")).CouriersView);

/** The view that the address names. */
const View = () => {
  const kind = store.state.value.kind;
  if (kind === "error") return html`<${Failure} />`;
  if (kind === "loading" && !(view.value === "list" && store.version.value)) return html`<p class="empty soft">${t("board.loading")}</p>`;
  if (view.value === "map") return html`<${MapView} />`;
  if (view.value === "couriers") return html`<${CouriersView} />`;
  return html`<${Table} />`;
};

const Board = () => html`
  <h1 class="hidden">${t("board.title")}</h1>
  <${Bar} views=${views} />
  <div class=${opened.value ? "work with-panel" : "work"}>
    <div class="shown"><${View} /><${Toast} /><${Bulk} /></div>
    ${opened.value && html`<aside class="panel" aria-label=${t("board.panel")}><${Panel} key=${opened.value} id=${opened.value} /></aside>`}
  </div>
  <${Counted} /><${Dialogs} />`;

const root = /** @type {HTMLElement} */ (document.getElementById("board"));
correct(Date.parse(root.dataset.now ?? ""));
run();
start(root.dataset.counts ? JSON.parse(root.dataset.counts) : undefined);
store.begin(JSON.parse(document.getElementById("first-rows")?.textContent ?? "[]"));
addEventListener("popstate", read);
root.replaceChildren();
render(html`<${Board} />`, root);
if (document.activeElement === document.body) document.getElementById("orders")?.focus({ preventScroll: true });
listen();
// The rest is read after the first rows have been painted; what is hidden is never painted.
if (document.hidden || !store.version.value) follow(store);
else requestAnimationFrame(() => setTimeout(() => follow(store)));
loadLater(store.state);
