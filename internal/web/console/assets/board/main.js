// The dispatch board. This module puts it together; the others are
//
//   rows.js       what a row is (pure)                filter.js     which rows are shown (pure)
//   api.js        calls of /ops/v1                    selection.js  which are selected
//   store.js      the rows and the feed               route.js      the address: view, filter, order
//   snapshot.js   reading all rows as they arrive
//   board.js      rows shown, counts, keyboard's row  bar.js        chips, lists, search
//   table.js      the list                            lines.js      its rows as elements
//   notes.js      the order that is open              panel.js      all but its notes
//   trouble.js    what is wrong with it               history.js    what happened to it
//   later.js      modules that come later
//   acts.js       moving orders, one or many          asking.js     the dialogs of such acts
//   proofs.js     pictures of an order                picker.js     choosing a courier
//   places.js     how far couriers are
//   bulk.js       acts on what is selected            keys.js       the keyboard
//   done.js       what was done, and taking it back   toast.js      shows that
//   map.js        the map                             geo.js        what the map shows (pure)
//   couriers.js   couriers side by side               columns.js    their stops, and changes
//   areas.js      where areas are                     sequence.js   sequences and ways (pure)
//   zone.js       clocks of destinations
//
// What all islands share is imported as dropyard/text.js (phrases, numbers and times),
// clock.js (the server's time), html.js (templates, icons, badges) and dialog.js.
//
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
