// What the components of all islands are written with. htm parses templates into elements, so that no
// text becomes markup.

import { h } from "preact";
import htm from "htm";
import { t } from "dropyard/text.js";

/** @typedef {import("preact").VNode<any>} Element */

/** Returns the element of a template with one root. @type {(strings: TemplateStringsArray, ...values: any[]) => Element} */
export const html = /** @type {any} */ (htm.bind(/** @type {any} */ (h)));

/** Joins the names of classes, without those that are false. @param {(string | false | null | undefined)[]} names */
export const classes = (...names) => names.filter(Boolean).join(" ");

/** Drawings on a square of 24 by 24. @type {Record<string, () => any>} */
const drawings = {
  empty: () => html`<circle cx="12" cy="12" r="10" />`,
  half: () => [html`<circle cx="12" cy="12" r="10" />`, html`<path d="M12 2a10 10 0 0 0 0 20z" fill="currentColor" />`],
  full: () => html`<circle cx="12" cy="12" r="10" fill="currentColor" />`,
  warn: () => [html`<path d="M12 3 2 21h20z" />`, html`<path d="M12 10v5" />`, html`<path d="M12 17v1" />`],
  none: () => [html`<circle cx="12" cy="12" r="10" />`, html`<path d="M5 19 19 5" />`],
};

/** An icon that says nothing by itself: words stand beside it. @param {{name: string}} props */
export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="3">${drawings[name]?.()}</svg>`;

/** How full the icon of a status is: it fills as the order advances. @type {Record<string, string>} */
export const fills = {
  pending: "empty", accepted: "empty", courier_assigned: "half", picked_up: "half", in_transit: "half", out_for_delivery: "half",
  delivered: "full", failed: "full", cancelled: "none",
};

/** The name of a status. @param {string} status */
export const statusName = (status) => t(`status.${status}`);

/** The badge of a status: an icon, a word and a colour. @param {{status: string}} props */
export const Badge = ({ status }) => html`<span class=${`status status-${status}`}><${Icon} name=${fills[status] ?? "none"} /><span>${statusName(status)}</span></span>`;
