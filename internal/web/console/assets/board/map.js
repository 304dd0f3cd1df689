// A schematic map of what is shown: a dot for each area with open orders, and the ways of
// couriers. It is drawn from the middles of areas; nothing comes from elsewhere.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { computed, effect, signal } from "@preact/signals-core";
import { areas, missing, readAreas } from "./areas.js";
import { shown } from "./board.js";
import { tick } from "dropyard/clock.js";
import { columns, follow, nameOf, readCouriers } from "./columns.js";
import { select } from "./filter.js";
import { areasOf, boundsOf, dotsOf, projection, radius, toneOf } from "./geo.js";
import { Badge, classes, html, statusName } from "dropyard/html.js";
import { filter, narrow, open, show } from "./route.js";
import { store } from "./store.js";
import { due, n, number, t } from "dropyard/text.js";

/** @typedef {import("./geo.js").Area} Area */
/** @typedef {import("./geo.js").Dot} Dot */
/** @typedef {import("./rows.js").Row} Row */

/** The size of the drawing in pixels. */
const size = signal({ width: 960, height: 560 });
/** The areas to which the map is zoomed; empty for all that are shown. @type {import("@preact/signals-core").Signal<string[]>} */
const zoomed = signal([]);
/** The couriers whose ways are drawn. @type {import("@preact/signals-core").Signal<string[]>} */
const followed = signal([]);
/** How many ways there are styles for. */
const styles = 6;
/** How many orders of an area are listed. */
const listed = 50;

/** The rows whose areas are drawn: those that are shown, and those of other areas that would be. */
const drawn = computed(() => {
  store.version.value;
  return filter.value.zone ? select(store.ordered, { ...filter.value, zone: "" }, tick.value).shown : shown.value;
});
const found = computed(() => areasOf(drawn.value, tick.value));

/** Couriers whose ways are drawn: those who were chosen, and the one that the filter names. */
const ways = computed(() => {
  const { courier } = filter.value;
  return [...new Set([...(courier && courier !== "none" ? [courier] : []), ...followed.value])];
});

/** The places of areas, and of the stops of ways, on the map. */
const plan = computed(() => {
  const known = areas.value ?? {}, placed = found.value.filter(({ code }) => known[code]);
  const inside = placed.filter(({ code }) => zoomed.value.includes(code)), near = inside.length ? inside : placed;
  const lines = ways.value.map((id) => ({ id, stops: (columns.value.get(id)?.jobs ?? []).map((job) => job.stop.area).filter((code) => known[code]) }));
  const codes = inside.length ? inside.map(({ code }) => code) : [...near.map(({ code }) => code), ...lines.flatMap(({ stops }) => stops)];
  if (!codes.length) return { dots: [], lines: [], absent: found.value.length };
  const at = projection(boundsOf(codes.map((code) => /** @type {[number, number]} */ (known[code]))), { ...size.value, margin: 48 });
  /** @param {string} code */
  const point = (code) => at(/** @type {[number, number]} */ (known[code]));
  return {
    dots: dotsOf(placed.map((area) => ({ ...area, ...point(area.code) }))),
    lines: lines.map(({ id, stops }) => ({ id, points: stops.map(point) })),
    absent: found.value.length - placed.length,
  };
});

/** What a dot stands for: "M5H, 4 orders, 1 late". @param {Dot} dot */
const nameOfDot = ({ areas: [first], areas: { length }, count, late, attention }) => {
  const where = length > 1 ? n("views.areas", length, { area: first?.code ?? "" }) : `${first?.code}`;
  return [where, n("views.orders", count), late && n("views.late", late), attention > late && n("views.attention", attention - late)].filter(Boolean).join(", ");
};

/** What a press on a dot does: it narrows the board to the area, or shows several from nearer. @param {Dot} dot */
const choose = ({ areas: all }) => {
  const codes = all.map(({ code }) => code), [first = ""] = codes;
  if (codes.length > 1) zoomed.value = codes;
  else narrow({ zone: filter.value.zone === first ? "" : first });
};

/** @param {{dot: Dot}} props */
const DotOnMap = ({ dot }) => {
  const { x, y, count, areas: all } = dot, [first] = all, r = radius(count), zone = filter.value.zone.toUpperCase();
  const chosen = zone !== "" && all.some(({ code }) => code.startsWith(zone)), name = nameOfDot(dot);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(dot);
  };
  return html`<g class=${classes("dot", `tone-${toneOf(dot)}`, chosen && "chosen", zone && !chosen && "other")}>
    <g role="button" tabindex="0" aria-label=${name} aria-pressed=${all.length > 1 ? undefined : chosen} data-area=${first?.code} onClick=${() => choose(dot)} onKeyDown=${press}>
      <title>${name}</title>
      ${all.length > 1 && html`<circle class="ring" cx=${x} cy=${y} r=${r + 4} />`}
      <circle class="spot" cx=${x} cy=${y} r=${r} />
    </g>
    <g aria-hidden="true"><text x=${x} y=${y + 4}>${number(count)}</text><text class="code" x=${x} y=${y + r + 16}>${first?.code}${all.length > 1 ? "…" : ""}</text></g>
  </g>`;
};

/** The way of a courier: its stops joined in sequence. @param {{id: string, points: {x: number, y: number}[], style: number}} props */
const Way = ({ id, points, style }) => points.length > 0 && html`<g class=${`way way${style % styles}`}>
  <path d=${points.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")}><title>${nameOf(id)}</title></path>
  <circle cx=${points[0]?.x} cy=${points[0]?.y} r="5" />
</g>`;

/** The drawing. */
const Drawing = () => {
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const watcher = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {};
      if (width > 100 && height > 100) size.value = { width: Math.round(width), height: Math.round(height) };
    });
    if (frame.current) watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, []);
  const { dots, lines } = plan.value, { width, height } = size.value;
  return html`<div class="drawing" ref=${frame}>
    <svg viewBox=${`0 0 ${width} ${height}`} role="group" aria-label=${t("views.map")}>
      ${lines.map(({ id, points }, i) => html`<${Way} key=${id} id=${id} points=${points} style=${i} />`)}
      ${dots.map((dot) => html`<${DotOnMap} key=${dot.areas[0]?.code} dot=${dot} />`)}
    </svg>
    ${!dots.length && html`<p class="empty soft">${missing.value ? t("views.no_areas") : areas.value ? t("board.none_match") : t("board.loading")}
      ${missing.value && html`<button type="button" class="button" onClick=${readAreas}>${t("refused.again")}</button>`}</p>`}
    ${zoomed.value.length > 0 && html`<button type="button" class="button whole-map" onClick=${() => { zoomed.value = []; }}>${t("views.whole")}</button>`}
  </div>`;
};

/** What a colour means. @param {import("./geo.js").Tone} tone */
const toneName = (tone) => {
  if (tone === "late") return t("board.reason.late");
  return tone === "attention" ? t("views.needs_attention") : statusName(tone);
};

/** What the colours on the map mean, for those who see them. */
const Legend = () => html`<p class="legend small" aria-hidden="true">${[...new Set(plan.value.dots.map(toneOf))].map((tone) => html`<span key=${tone} class=${`key tone-${tone}`}>${toneName(tone)}</span>`)}</p>`;

/** The orders of the area that the filter names. */
const Chosen = () => {
  const rows = shown.value, zone = filter.value.zone.toUpperCase();
  return zone && html`<section class="stack" aria-label=${zone}>
    <div class="spread"><h2>${zone} · ${n("views.orders", rows.length)}</h2><button type="button" class="copy" onClick=${() => narrow({ zone: "" })}>${t("views.every_area")}</button></div>
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

/** The same as a table. */
const AsTable = () => html`<details class="as-table"><summary>${t("views.table")}</summary>
  <div class="table"><table>
    <thead><tr><th scope="col">${t("board.zone")}</th><th scope="col">${t("board.to")}</th><th scope="col" class="number">${t("views.open")}</th><th scope="col" class="number">${t("board.reason.late")}</th><th scope="col" class="number">${t("views.needs_attention")}</th></tr></thead>
    <tbody>${found.value.map(({ code, city, count, late, attention }) => html`<tr key=${code}><th scope="row"><button type="button" class="copy mono" aria-pressed=${filter.value.zone === code} onClick=${() => narrow({ zone: filter.value.zone === code ? "" : code })}>${code}</button></th>
      <td><span class="clip">${city}</span></td><td class="number">${number(count)}</td><td class="number">${number(late)}</td><td class="number">${number(attention)}</td></tr>`)}</tbody>
  </table></div>
</details>`;

/** Where the middles of areas are from, as their licence asks. */
const Notice = () => html`<p class="soft small notice-line">${t("views.places")} <a href="https://www.geonames.org/" rel="noreferrer">GeoNames</a>, <a href="https://creativecommons.org/licenses/by/4.0/" rel="noreferrer">CC BY 4.0</a>
  ${plan.value.absent > 0 && areas.value && html` · ${n("views.absent", plan.value.absent)}`}</p>`;

/** The map. */
export const MapView = () => {
  useEffect(() => {
    readAreas();
    readCouriers().catch(() => {}); // the names of those with orders are in the rows
    const ends = [follow(() => ways.value), effect(() => {
      // The zoom ends when none of its areas is drawn.
      if (zoomed.value.length && !found.value.some(({ code }) => zoomed.value.includes(code))) zoomed.value = [];
    })];
    return () => ends.forEach((end) => end());
  }, []);
  return html`<div class="map-view">
    <div class="map-main"><${Drawing} /><div class="spread map-foot"><${Legend} /><${Notice} /></div></div>
    <div class="map-side stack"><${Chosen} /><${Couriers} /><${AsTable} /></div>
  </div>`;
};
