// A map of what is shown: dots for stops, and the ways of couriers. The same is beside it as a table, which is all that
// there is where the browser cannot draw the map.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { computed, effect, signal, untracked } from "@preact/signals-core";
import { areas, missing, readAreas } from "./areas.js";
import { shown } from "./board.js";
import { Legend, Notice, canDraw, draw } from "dropyard/basemap.js";
import { tick } from "dropyard/clock.js";
import { Spread, areasIn, around, boundsOf, clustersOf, fromScreen, isIn, numbered, onScreen, ranges, seen, toneOf } from "dropyard/clusters.js";
import { columns, follow, nameOf, readCouriers } from "./columns.js";
import { select, several } from "./filter.js";
import { areasOf } from "./geo.js";
import { Badge, classes, html } from "dropyard/html.js";
import { filter, narrow, open, show } from "./route.js";
import { attention } from "./rows.js";
import { add, selected } from "./selection.js";
import { store } from "./store.js";
import { due, n, number, t } from "dropyard/text.js";

/** @typedef {import("./geo.js").Area} Area */
/** @typedef {import("./rows.js").Row} Row */
/** @typedef {import("dropyard/clusters.js").Box} Box */
/** @typedef {import("dropyard/clusters.js").Cluster} Cluster */
/** @typedef {import("dropyard/clusters.js").Place} Place */
/** @typedef {import("dropyard/clusters.js").Stop} Stop */
/** @typedef {import("dropyard/clusters.js").View} View */
/** @typedef {import("dropyard/basemap.js").Map} BaseMap */

/** How the map is. It cannot be drawn where the browser has no WebGL. @type {import("@preact/signals-core").Signal<"loading" | "ready" | "impossible" | "failed">} */
const state = signal("loading");
/** The map, while it is drawn. @type {BaseMap | undefined} */
let base;
/** What is drawn over it. @type {typeof import("dropyard/dots.js") | undefined} */
let dots;
/** The operator's street tiles, if there are any. @type {import("dropyard/streets.js").Streets | undefined} */
const streets = JSON.parse(document.getElementById("board")?.dataset.streets || "null") ?? undefined;
/** Whether they could not be read. */
const lost = signal(false);
/** What is seen of it. @type {import("@preact/signals-core").Signal<View>} */
const view = signal({ x: .5, y: .5, zoom: 0, width: 0, height: 0 });
/** Whether the next drag selects what it encloses, as one with the shift key always does. */
const boxing = signal(false);
/** What is being enclosed, in pixels. @type {import("@preact/signals-core").Signal<Box | null>} */
const box = signal(null);
/** The couriers whose ways are drawn. @type {import("@preact/signals-core").Signal<string[]>} */
const followed = signal([]);
/** How many ways there are styles for. */
const styles = 6;
/** How many orders of an area are listed. */
const listed = 50;

/** A filter that names no place. */
const anyPlace = { zone: "", city: "" };
const zones = computed(() => several(filter.value.zone.toUpperCase(), ","));
/** The areas and the cities that the filter names. */
const places = computed(() => [...zones.value, ...several(filter.value.city, "|")]);
/** Reports whether the filter names an area and no other place. @param {string} code */
const isOnly = (code) => places.value.length === 1 && zones.value[0] === code;

/** The rows that are drawn: those that are shown, and those of other places that would be. */
const drawn = computed(() => {
  store.version.value;
  return places.value.length ? select(store.ordered, { ...filter.value, ...anyPlace }, tick.value).shown : shown.value;
});
/** The orders of the places that the filter names. */
const named = computed(() => new Set(places.value.length ? shown.value.map(({ order_id: id }) => id) : []));
const found = computed(() => areasOf(drawn.value, tick.value));
/** How many areas have no place on the map. */
const absent = computed(() => areas.value ? found.value.filter(({ code }) => !areas.value?.[code]).length : 0);

/** Where the stops of an area are, until their places are known: around its middle, each for itself. */
const spread = new Spread();
/** @param {string} area @param {string} id @returns {Place | undefined} */
const placeOf = (area, id) => {
  const middle = areas.value?.[area];
  return middle && around(middle, spread.slot(area, id));
};

/** The stops on the map. @type {import("@preact/signals-core").ReadonlySignal<Stop[]>} */
const stops = computed(() => drawn.value.flatMap((row) => {
  const at = placeOf(row.zone, row.order_id), needs = attention(row, tick.value);
  return at ? [{ id: row.order_id, area: row.zone, ...at, isLate: (needs & 1) !== 0, needsAttention: needs !== 0 }] : [];
}));
const level = computed(() => Math.floor(view.value.zoom));
const clusters = computed(() => clustersOf(stops.value, level.value));

/** Couriers whose ways are drawn: those who were chosen, and the one that the filter names. */
const ways = computed(() => {
  const { courier } = filter.value;
  return [...new Set([...(courier && courier !== "none" ? [courier] : []), ...followed.value])];
});
/** Their stops in sequence: pickups lie beside the dropoffs of other orders. */
const lines = computed(() => ways.value.map((id) => ({
  id, places: (columns.value.get(id)?.jobs ?? []).flatMap(({ order_id: order, stop }) => placeOf(stop.area, stop.kind === "dropoff" ? order : `${order} ${stop.kind}`) ?? []),
})));

/** Shows all stops, and the ways that are drawn. */
const fitAll = () => dots?.fitTo(base, [...stops.value, ...lines.value.flatMap(({ places }) => places)]);

/** The number of the order that a dot stands for; empty if it stands for several. @param {Cluster} dot */
const orderOf = ({ stops: [first, ...others] }) => first && !others.length ? store.rows.get(first.id)?.partner_order_id ?? "" : "";

/** What a dot stands for: "M5H, 4 orders, 1 late", or "A-1042, M5H". @param {Cluster} dot @param {string[]} codes @param {number} chosen */
const nameOfDot = (dot, codes, chosen) => [
  orderOf(dot), codes.length > 1 ? n("views.areas", codes.length, { area: codes[0] ?? "" }) : codes[0], dot.count > 1 && n("views.orders", dot.count),
  dot.late && n("views.late", dot.late), dot.attention > dot.late && n("views.attention", dot.attention - dot.late), chosen && n("act.count", chosen),
].filter(Boolean).join(", ");

/** What a press on a dot does: it opens an order, narrows the board to an area, or shows from nearer what lies together. @param {Cluster} dot @param {string[]} codes */
const choose = ({ stops: all }, codes) => {
  const [code = ""] = codes, [first] = all;
  if (all.length === 1 && first) return open(first.id);
  if (codes.length === 1 && !isOnly(code)) return narrow({ ...anyPlace, zone: code });
  dots?.openUp(base, all);
};

/** @param {{dot: Cluster, view: View}} props */
const DotOnMap = ({ dot, view: from }) => {
  const codes = areasIn(dot.stops), chosen = selected.value, isChosen = dot.stops.some(({ id }) => named.value.has(id));
  const name = nameOfDot(dot, codes, chosen.size ? dot.stops.filter(({ id }) => chosen.has(id)).length : 0);
  const style = classes(places.value.length > 0 && !isChosen && "other", chosen.size > 0 && dot.stops.some(({ id }) => chosen.has(id)) && "selected");
  return html`<${dots?.Dot} dot=${dot} view=${from} name=${name} order=${orderOf(dot)} codes=${codes} tone=${toneOf(dot)} isChosen=${isChosen} style=${style} choose=${() => choose(dot, codes)} />`;
};

/** How far beyond what is seen ways are drawn, as a part of it: drawings of millions of pixels are not exact. */
const beyond = 1;

/**
 * What is drawn of a way: the line that joins its stops in sequence, and their numbers.
 * @param {Place[]} places
 * @param {View} from
 */
const drawingOf = (places, from) => {
  const points = places.map((place) => onScreen(from, place));
  const part = /** @type {Box} */ ([{ x: -beyond * from.width, y: -beyond * from.height }, { x: (1 + beyond) * from.width, y: (1 + beyond) * from.height }]);
  const inside = points.map((point) => isIn(part, point));
  const path = points.map(({ x, y }, i) => inside[i] || inside[i - 1] || inside[i + 1] ? `${i && (inside[i] || inside[i - 1]) ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}` : "");
  return { path: path.join(""), labels: numbered(points).filter((label) => isIn(part, label)).map(({ x, y, numbers }) => ({ x, y, text: ranges(numbers) })) };
};

/** What lies over the map and moves with it. */
const Overlay = () => {
  const from = view.value, part = seen(from, 40), shownDots = clusters.value.filter((dot) => isIn(part, dot)), enclosed = box.value;
  const drawings = lines.value.map(({ id, places }, i) => ({ id, style: `way way${i % styles}`, up: 32 + 18 * i, ...drawingOf(places, from) }));
  return html`<svg viewBox=${`0 0 ${from.width} ${from.height}`} role="group" aria-label=${t("views.map")}>
    ${drawings.map(({ id, style, path }) => path && html`<g key=${id} class=${style}><path d=${path}><title>${nameOf(id)}</title></path></g>`)}
    ${shownDots.map((dot) => html`<${DotOnMap} key=${dot.key} dot=${dot} view=${from} />`)}
    ${drawings.map(({ id, style, up, labels }) => html`<g key=${`${id} numbers`} class=${style} aria-hidden="true">${labels.map(({ x, y, text }) => html`<g key=${text} class="stop-number">
      <rect x=${x - 5 - 3.5 * text.length} y=${y - up} width=${10 + 7 * text.length} height="18" rx="9" /><text x=${x} y=${y - up + 13}>${text}</text></g>`)}</g>`)}
    ${enclosed && html`<rect class="box" x=${Math.min(enclosed[0].x, enclosed[1].x)} y=${Math.min(enclosed[0].y, enclosed[1].y)}
      width=${Math.abs(enclosed[0].x - enclosed[1].x)} height=${Math.abs(enclosed[0].y - enclosed[1].y)} />`}
  </svg>`;
};

/** Selects the orders that are shown in a part of the map. @param {Box} part */
const selectIn = (part) => {
  const inside = new Set(stops.value.filter((stop) => isIn(part, stop)).map(({ id }) => id));
  add(shown.value.filter(({ order_id: id }) => inside.has(id)));
};

/** Lets a drag with the shift key, or after the button for it, select what it encloses. @param {BaseMap} map */
const listenForBoxes = (map) => {
  const container = map.getCanvasContainer();
  /** @param {PointerEvent} event @returns {Place} */
  const point = (event) => {
    const { left, top } = container.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  container.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !(event.shiftKey || boxing.value)) return;
    map.dragPan.disable();
    container.setPointerCapture(event.pointerId);
    box.value = [point(event), point(event)];
  });
  container.addEventListener("pointermove", (event) => { if (box.value) box.value = [box.value[0], point(event)]; });
  container.addEventListener("pointerup", () => {
    const enclosed = box.value;
    if (!enclosed) return;
    selectIn([fromScreen(view.value, enclosed[0]), fromScreen(view.value, enclosed[1])]);
    endBox();
  });
  container.addEventListener("pointercancel", () => { if (box.value) endBox(); });
  const endBox = () => {
    box.value = null;
    boxing.value = false;
    map.dragPan.enable();
  };
};

/**
 * Draws the map in an element.
 * @param {HTMLElement} frame
 * @param {{isOver: boolean}} life whether the map is no longer wanted
 */
const begin = async (frame, life) => {
  state.value = canDraw() ? "loading" : "impossible";
  if (state.value === "impossible") return;
  try {
    [dots] = await Promise.all([import("dropyard/dots.js"), readAreas()]);
    const bounds = boundsOf(stops.value), map = await draw(frame, { title: t("views.map"), bounds, streets, lost: () => { lost.value = true; } });
    if (life.isOver) return map.remove();
    base = map;
    listenForBoxes(map);
    dots.drawOver(map, html`<${Overlay} />`, (now) => { view.value = now; });
    state.value = "ready";
    if (!bounds) {
      const end = effect(() => {
        if (!stops.value.length) return;
        untracked(fitAll);
        queueMicrotask(() => end());
      });
    }
  } catch {
    if (!life.isOver) state.value = "failed";
  }
};

/** What moves the map, and selects on it. */
const BoardControls = () => html`<${dots?.Controls} map=${base} whole=${fitAll}>
  <button type="button" class="button" aria-pressed=${boxing.value} title=${t("views.box_keys")} onClick=${() => { boxing.value = !boxing.value; }}>${t("views.box")}</button>
  <button type="button" class="button" onClick=${() => selectIn(seen(view.value))}>${t("views.select_seen")}</button>
<//>`;

/** The drawing. */
const Drawing = () => {
  const frame = useRef(/** @type {HTMLElement | null} */ (null)), again = useRef(() => {});
  useLayoutEffect(() => {
    const life = { isOver: false };
    again.current = () => { if (frame.current) begin(frame.current, life); };
    again.current();
    return () => {
      life.isOver = true;
      base?.remove();
      base = undefined;
      boxing.value = false;
    };
  }, []);
  const now = state.value;
  return html`<div class=${boxing.value ? "drawing boxing" : "drawing"}>
    <div class="base" ref=${frame}></div>
    ${now === "ready" && html`<${BoardControls} />`}
    ${now === "loading" && html`<p class="empty soft">${t("board.loading")}</p>`}
    ${now === "ready" && !stops.value.length && html`<p class="on-map soft">${missing.value ? t("views.no_areas") : t("board.none_match")}
      ${missing.value && html` <button type="button" class="button" onClick=${readAreas}>${t("refused.again")}</button>`}</p>`}
    ${now === "failed" && html`<div class="empty" role="alert"><p>${t("views.no_map")}</p><button type="button" class="button" onClick=${() => again.current()}>${t("refused.again")}</button></div>`}
    ${now === "impossible" && html`<p class="empty">${t("views.no_webgl")}</p>`}
  </div>`;
};

/** The orders of the places that the filter names. */
const Chosen = () => {
  const rows = shown.value, names = places.value.join(", ");
  return names && html`<section class="stack" aria-label=${names}>
    <div class="spread"><h2>${names} · ${n("views.orders", rows.length)}</h2><button type="button" class="copy" onClick=${() => narrow(anyPlace)}>${t("views.every_area")}</button></div>
    <ul class="brief">${rows.slice(0, listed).map((row) => html`<li key=${row.order_id}><button type="button" onClick=${() => open(row.order_id)}>
      <span class="line"><span class="mono clip">${row.partner_order_id}</span> <span class=${classes("when", row.due < tick.value && "urgent")}>${due(row.due, tick.value)}</span></span>
      <span class="line"><${Badge} status=${row.status} /> <span class="clip soft">${row.courier?.name ?? "–"}</span></span>
    </button></li>`)}</ul>
    ${rows.length > listed && html`<p class="soft small">${n("views.more", rows.length - listed)}</p>`}
    <button type="button" class="button" onClick=${() => show("list")}>${t("views.as_list")}</button>
  </section>`;
};

/** Whose ways are drawn. */
const Couriers = () => {
  /** @type {Map<string, {name: string, count: number}>} */
  const all = new Map();
  for (const { courier } of drawn.value) {
    if (!courier) continue;
    const one = all.get(courier.courier_id);
    if (one) one.count++;
    else all.set(courier.courier_id, { name: courier.name, count: 1 });
  }
  const sorted = [...all].sort((a, b) => a[1].name.localeCompare(b[1].name));
  /** @param {string} id */
  const toggle = (id) => { followed.value = followed.value.includes(id) ? followed.value.filter((one) => one !== id) : [...followed.value, id]; };
  return sorted.length > 0 && html`<fieldset class="choices"><legend><h2>${t("views.ways")}</h2></legend>
    ${sorted.map(([id, { name, count }]) => html`<label key=${id} class="check"><input type="checkbox" checked=${ways.value.includes(id)} disabled=${filter.value.courier === id} onChange=${() => toggle(id)} />
      <span class="clip">${name}</span> <span class="soft">${number(count)}</span>${ways.value.includes(id) && html`<svg class=${`sample way way${ways.value.indexOf(id) % styles}`} viewBox="0 0 28 8" aria-hidden="true"><path d="M0 4L28 4" /></svg>`}</label>`)}
  </fieldset>`;
};

/** Selects the orders of an area that are shown. @param {string} code */
const selectArea = (code) => add(shown.value.filter((row) => row.zone === code));

/** The same as a table, which is open where there is no map. */
const AsTable = () => html`<details class="as-table" open=${state.value === "impossible"}><summary>${t("views.table")}</summary>
  <div class="table"><table>
    <thead><tr><th scope="col">${t("board.zone")}</th><th scope="col">${t("board.to")}</th><th scope="col" class="number">${t("views.open")}</th><th scope="col" class="number">${t("board.reason.late")}</th><th scope="col" class="number">${t("views.needs_attention")}</th></tr></thead>
    <tbody>${found.value.map(({ code, city, count, late, attention: needy }) => html`<tr key=${code}><th scope="row"><button type="button" class="copy mono" aria-pressed=${zones.value.includes(code)} onClick=${() => narrow({ ...anyPlace, zone: isOnly(code) ? "" : code })}>${code}</button></th>
      <td><span class="clip">${city}</span></td><td class="number"><button type="button" class="copy" aria-label=${t("views.select_area", { count: n("views.orders", count), area: code })} onClick=${() => selectArea(code)}>${number(count)}</button></td>
      <td class="number">${number(late)}</td><td class="number">${number(needy)}</td></tr>`)}</tbody>
  </table></div>
</details>`;

/** The map. */
export const MapView = () => {
  useEffect(() => {
    readAreas();
    readCouriers().catch(() => {}); // the names of those with orders are in the rows
    const ends = [follow(() => ways.value), effect(() => {
      store.version.value;
      untracked(() => spread.keep((id) => store.rows.has(id.split(" ")[0] ?? "")));
    })];
    return () => ends.forEach((end) => end());
  }, []);
  const canBeDrawn = state.value !== "impossible";
  return html`<div class=${classes("map-view", state.value, (state.value === "impossible" || state.value === "ready") && (areas.value || missing.value) && "settled")}>
    <div class="map-main"><${Drawing} /><div class="spread map-foot">${canBeDrawn && html`<${Legend} />`}<${Notice} attribution=${streets?.attribution} isLost=${lost.value}>${absent.value > 0 && html` · ${n("views.absent", absent.value)}`}<//></div></div>
    <div class="map-side stack"><${Chosen} />${canBeDrawn && html`<${Couriers} />`}<${AsTable} /></div>
  </div>`;
};
