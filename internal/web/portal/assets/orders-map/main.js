// The map of a partner's orders under way: a dot for each, or for several that are near. The table beside it is in the
// document, and is all that there is where the browser cannot draw the map.

import { render } from "preact";
import { signal } from "@preact/signals-core";
import { useLayoutEffect, useRef } from "preact/hooks";
import "@preact/signals"; // components are drawn again when a signal that they read changes
import { Legend, Notice, canDraw, draw } from "dropyard/basemap.js";
import { areasIn, around, boundsOf, clustersOf, isIn, seen, toneOf } from "dropyard/clusters.js";
import { Controls, Dot, drawOver, fitTo, openUp } from "dropyard/dots.js";
import { html } from "dropyard/html.js";
import { n, t } from "dropyard/text.js";

/** @typedef {import("dropyard/clusters.js").Cluster} Cluster */
/** @typedef {import("dropyard/clusters.js").Stop} Stop */
/** @typedef {import("dropyard/clusters.js").View} View */

/** An order as mapOrder has it. @typedef {{number: string, link: string, status: string, late?: boolean, attention?: boolean}} Order */
/** An area as mapArea has it. @typedef {{code: string, link: string, middle?: [number, number], orders: Order[], chosen?: boolean}} Area */

const place = document.getElementById("orders-map");
/** The operator's street tiles, if there are any. @type {import("dropyard/streets.js").Streets | undefined} */
const streets = JSON.parse(place?.dataset.streets || "null") ?? undefined;
/** @type {Area[]} */
const areas = JSON.parse(document.getElementById("areas")?.textContent ?? "[]");
/** The links of areas. */
const links = new Map(areas.map(({ code, link }) => [code, link]));
/** The area that the address names. */
const chosen = areas.find((area) => area.chosen)?.code;
/** The orders, by the ids of their stops. @type {Map<string, Order>} */
const orders = new Map();

/** The stops: where the places of dropoffs are not known, around the middle of their area, each for itself. */
const stops = areas.flatMap(({ code: area, middle, orders: here }) => here.flatMap((order, slot) => {
  if (!middle) return [];
  orders.set(order.link, order);
  return [{ id: order.link, area, ...around(middle, slot), isLate: order.late === true, needsAttention: order.attention === true }];
}));

/** How the map is. It cannot be drawn where the browser has no WebGL. @type {import("@preact/signals-core").Signal<"loading" | "ready" | "impossible" | "failed">} */
const state = signal("loading");
/** Whether street tiles could not be read. */
const lost = signal(false);
/** What is seen of the map. @type {import("@preact/signals-core").Signal<View>} */
const view = signal({ x: .5, y: .5, zoom: 0, width: 0, height: 0 });
/** The map, while it is drawn. @type {import("dropyard/basemap.js").Map | undefined} */
let base;

/** How near the map comes to the area that the address names: its orders are apart there. */
const nearArea = 16;

/** The order that a dot stands for; undefined if it stands for several. @param {Cluster} dot */
const orderOf = ({ stops: [first, ...others] }) => first && !others.length ? orders.get(first.id) : undefined;

/** What a dot stands for: "M5H, 4 orders, 1 late", or "A-1042, M5H, In transit". @param {Cluster} dot @param {string[]} codes */
const nameOf = (dot, codes) => {
  const order = orderOf(dot);
  return [
    order?.number, codes.length > 1 ? n("views.areas", codes.length, { area: codes[0] ?? "" }) : codes[0], order ? t(`status.${order.status}`) : n("views.orders", dot.count),
    dot.late && n("views.late", dot.late), dot.attention > dot.late && n("views.attention", dot.attention - dot.late),
  ].filter(Boolean).join(", ");
};

/** What a press on a dot does: it leads to an order, or to those of an area, or shows from nearer what lies together. @param {Cluster} dot @param {string[]} codes */
const choose = (dot, codes) => {
  const [code = ""] = codes, link = orderOf(dot)?.link ?? (codes.length === 1 && code !== chosen && links.get(code));
  if (link) location.assign(link);
  else openUp(base, dot.stops);
};

/** What lies over the map and moves with it. */
const Overlay = () => {
  const from = view.value, part = seen(from, 40), dots = clustersOf(stops, from.zoom).filter((dot) => isIn(part, dot));
  return html`<svg viewBox=${`0 0 ${from.width} ${from.height}`} role="group" aria-label=${t("views.map")}>
    ${dots.map((dot) => {
      const codes = areasIn(dot.stops);
      return html`<${Dot} key=${dot.key} dot=${dot} view=${from} name=${nameOf(dot, codes)} order=${orderOf(dot)?.number ?? ""} codes=${codes} tone=${toneOf(dot)}
        isChosen=${chosen !== undefined && codes.includes(chosen)} choose=${() => choose(dot, codes)} />`;
    })}
  </svg>`;
};

/** Draws the map in an element. @param {HTMLElement} frame */
const begin = async (frame) => {
  state.value = canDraw() ? "loading" : "impossible";
  if (state.value === "impossible") return;
  try {
    const first = stops.filter(({ area }) => area === chosen), bounds = boundsOf(first.length ? first : stops);
    base = await draw(frame, { title: t("views.map"), ...(bounds && { bounds }), ...(streets && { streets }), lost: () => { lost.value = true; } });
    drawOver(base, html`<${Overlay} />`, (now) => { view.value = now; });
    fitTo(base, first, nearArea);
    state.value = "ready";
  } catch {
    state.value = "failed";
  }
};

const MapView = () => {
  const frame = useRef(/** @type {HTMLElement | null} */ (null)), again = () => { if (frame.current) begin(frame.current); };
  useLayoutEffect(again, []);
  const now = state.value;
  return html`<div class=${`map-frame ${now}`}>
    <div class="drawing">
      <div class="base" ref=${frame}></div>
      ${now === "ready" && html`<${Controls} map=${base} whole=${() => fitTo(base, stops)} />`}
      ${now === "loading" && html`<p class="empty soft">${t("board.loading")}</p>`}
      ${now === "failed" && html`<div class="empty" role="alert"><p>${t("views.no_map")}</p><button type="button" class="button" onClick=${again}>${t("refused.again")}</button></div>`}
      ${now === "impossible" && html`<p class="empty">${t("views.no_webgl")}</p>`}
    </div>
    ${now !== "impossible" && html`<div class="spread map-foot"><${Legend} /><${Notice} attribution=${streets?.attribution} isLost=${lost.value} /></div>`}
  </div>`;
};

if (place) render(html`<${MapView} />`, place);
