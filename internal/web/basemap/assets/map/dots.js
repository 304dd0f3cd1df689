// What pages draw over the map: dots for stops, and what moves the map. It is loaded when a map is drawn.

import { render } from "preact";
import { fitting, viewOf } from "dropyard/basemap.js";
import { boundsOf, onScreen, radius } from "dropyard/clusters.js";
import { classes, html } from "dropyard/html.js";
import { number, t } from "dropyard/text.js";

/** @typedef {import("dropyard/basemap.js").Map} Map */
/** @typedef {import("dropyard/clusters.js").Cluster} Cluster */
/** @typedef {import("dropyard/clusters.js").Place} Place */
/** @typedef {import("dropyard/clusters.js").Tone} Tone */
/** @typedef {import("dropyard/clusters.js").View} View */
/** @typedef {import("dropyard/html.js").Element} Element */

/** Where the pointer was pressed: a press that ends elsewhere has moved the map. @type {Place} */
let pressed = { x: 0, y: 0 };

/**
 * Draws something over a map until the map is removed.
 * @param {Map} map
 * @param {Element} content
 * @param {(view: View) => void} look is called with what is seen, when it changes
 */
export const drawOver = (map, content, look) => {
  const overlay = document.createElement("div"), container = map.getCanvasContainer(), moved = () => look(viewOf(map));
  overlay.className = "overlay";
  container.append(overlay);
  container.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => { pressed = { x, y }; });
  map.on("move", moved);
  map.on("resize", moved);
  map.on("remove", () => render(null, overlay));
  moved();
  render(content, overlay);
};

/** Shows places so that all are seen. @param {Map | undefined} map @param {Place[]} places @param {number} [maxZoom] */
export const fitTo = (map, places, maxZoom = fitting.maxZoom) => {
  const bounds = boundsOf(places);
  if (bounds) map?.fitBounds(bounds, { ...fitting, maxZoom });
};

/** Shows from nearer what lies together. @param {Map | undefined} map @param {Place[]} places */
export const openUp = (map, places) => {
  fitTo(map, places, map?.getMaxZoom());
  map?.getCanvas().focus({ preventScroll: true });
};

/** How much of an order's number is written below its dot. */
const longest = 14;
/** What is written below a dot: the number of its order, or its first area. @param {string} order empty if there are several @param {string[]} codes */
const below = (order, [first = "", ...others]) => {
  const text = order || first;
  return others.length || text.length > longest ? `${text.slice(0, longest)}…` : text;
};

/**
 * A dot on the map.
 * @param {object} props
 * @param {Cluster} props.dot
 * @param {View} props.view
 * @param {string} props.name what it stands for
 * @param {string} props.order the number of its order; empty if it stands for several
 * @param {string[]} props.codes its areas
 * @param {Tone} props.tone
 * @param {boolean} [props.isChosen]
 * @param {string | false} [props.style] more classes
 * @param {() => void} props.choose is called when it is pressed
 */
export const Dot = ({ dot, view, name, order, codes, tone, isChosen, style, choose }) => {
  const { x, y } = onScreen(view, dot), { count } = dot, r = radius(count);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose();
  };
  /** Presses of other than the pointer have no detail. @param {MouseEvent} event */
  const click = (event) => { if (!event.detail || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 5) choose(); };
  return html`<g class=${classes("dot", `tone-${tone}`, isChosen && "chosen", count > 1 && "several", style)}>
    <g role="button" tabindex="0" aria-label=${name} aria-current=${isChosen ? "true" : undefined} data-area=${codes[0]} onClick=${click} onKeyDown=${press}>
      <title>${name}</title>
      <circle class="ring" cx=${x} cy=${y} r=${r + 4} />
      <circle class="spot" cx=${x} cy=${y} r=${r} />
    </g>
    <g aria-hidden="true"><text x=${x} y=${y + 4}>${number(count)}</text><text class="code" x=${x} y=${y + r + 16}>${below(order, codes)}</text></g>
  </g>`;
};

/** What moves the map. @param {{map: Map | undefined, whole: () => void, children?: any}} props */
export const Controls = ({ map, whole, children }) => html`<div class="map-controls">
  <div class="toggle"><button type="button" aria-label=${t("views.nearer")} title=${t("views.nearer")} onClick=${() => map?.zoomIn({ duration: fitting.duration })}>+</button>
    <button type="button" aria-label=${t("views.farther")} title=${t("views.farther")} onClick=${() => map?.zoomOut({ duration: fitting.duration })}>−</button></div>
  <button type="button" class="button whole-map" onClick=${whole}>${t("views.whole")}</button>
  ${children}
</div>`;
