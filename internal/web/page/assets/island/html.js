// What the components of all islands are written with. htm parses templates into elements, so that no
// text becomes markup.
//
// A browser that translates a page puts elements of its own in the places of texts. Preact would go on
// writing into the texts that were there, which are no longer on the page. So each text stands in an
// element of ours, and another text in another element. What says a status or what a button does is not
// translated: there the words must be ours.

import { h } from "preact";
import htm from "htm";
import { t } from "dropyard/text.js";

/** @typedef {import("preact").VNode<any>} Element */

/** Elements in which there is only text, which have keys or do not change. */
const bare = new Set(["option", "textarea", "title", "text"]);

/**
 * Returns children with their texts in elements that are replaced with them. Texts that stand
 * side by side are one.
 * @param {any[]} children
 */
const owned = (children) => {
  const all = [];
  let text = "";
  const flush = () => {
    if (text.trim()) all.push(h("ui-text", { key: `${all.length} ${text}` }, text));
    else if (text) all.push(text);
    text = "";
  };
  for (const child of children) {
    if (typeof child === "string" || typeof child === "number") text += child;
    else {
      flush();
      all.push(child);
    }
  }
  flush();
  return all;
};

/** @param {any} type @param {any} props @param {any[]} children */
const element = (type, props, ...children) => h(type, props, ...(typeof type === "string" && !bare.has(type) ? owned(children) : children));

/** Returns the element of a template with one root. @type {(strings: TemplateStringsArray, ...values: any[]) => Element} */
export const html = /** @type {any} */ (htm.bind(/** @type {any} */ (element)));

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
export const Badge = ({ status }) => html`<span class=${`status status-${status}`} translate=${false}><${Icon} name=${fills[status] ?? "none"} /><span>${statusName(status)}</span></span>`;
