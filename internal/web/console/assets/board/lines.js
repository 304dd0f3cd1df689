// The rows of the list as elements. They are written by hand: an element whose row has
// been scrolled away shows one that comes, and of an element only what differs is
// written. Rows keep the order in which they are read, in the document too.

import { render } from "preact";
import { reasonNames } from "./bar.js";
import { Badge, classes, html, statusName } from "dropyard/html.js";
import { reasonsOf } from "./rows.js";
import { dollars, due, full, t } from "dropyard/text.js";
import { timesIn, zoneOfArea } from "dropyard/zone.js";

/** @typedef {import("./rows.js").Row} Row */

/**
 * What a row is shown with.
 * @typedef {object} Line
 * @property {Row} row
 * @property {number} at the row's place, counted from 1
 * @property {number} height of rows, in pixels
 * @property {number} now
 * @property {boolean} isSelected
 * @property {boolean} isCurrent
 * @property {boolean} isOpen
 * @property {boolean} fresh it has just changed
 */

/** The id of a row's element. @param {string} id */
export const elementID = (id) => `row-${id}`;

/** What is due within this time is urgent, in milliseconds. */
const urgentMs = 30 * 60000;

/** Returns a function that clones what a component draws. @param {(key: string) => any} component @returns {(key?: string) => HTMLElement} */
const clones = (component) => {
  /** @type {Map<string, Node>} */
  const drawn = new Map();
  return (key = "") => {
    if (!drawn.has(key)) {
      const place = document.createElement("div");
      render(component(key), place);
      drawn.set(key, /** @type {Node} */ (place.firstChild));
    }
    return /** @type {HTMLElement} */ (drawn.get(key)?.cloneNode(true));
  };
};

/** Returns an element for a row. The document has it, because it shows the first rows before this module runs. */
const blank = () => /** @type {HTMLElement} */ (document.importNode(/** @type {HTMLTemplateElement} */ (document.getElementById("board-row")).content, true).firstElementChild);
const badge = clones((/** @type {string} */ status) => html`<${Badge} status=${status} />`);

/** @param {Element} element @param {string} name @param {string | number | boolean} value */
const attribute = (element, name, value) => {
  const text = String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
};

/** @param {Node} node an element that has nothing but text, or a text @param {string} value */
const text = (node, value) => {
  if (node.firstChild) node = node.firstChild;
  if (node.nodeValue === null) node.textContent = value;
  else if (node.nodeValue !== value) node.nodeValue = value;
};

const dayMs = 86400000;

/** The times of areas that were written, on their clocks. @type {Map<string, ReturnType<typeof timesIn>>} */
const clocks = new Map();

/** @param {string} area */
const timesOf = (area) => {
  let times = clocks.get(area);
  if (!times) clocks.set(area, times = timesIn(zoneOfArea(area)));
  return times;
};

/**
 * Returns when a row is due: how long until then, or the day if that is far, and the hours on the clocks of the dropoff.
 * @param {Row} row @param {number} now @returns {[when: string, hours: string]}
 */
export const whenDue = (row, now) => {
  const times = timesOf(row.zone), isWindow = row.due === row.dropoffEnd && row.dropoffStart > now && times.sameDay(row.dropoffStart, row.due);
  return [
    Math.abs(row.due - now) < dayMs ? due(row.due, now) : times.day(row.due, now),
    isWindow ? times.hours(row.dropoffStart, row.due) : t("board.by", { t: times.clock(row.due) }),
  ];
};

/** Joins what is not empty. @param {string[]} parts */
const joined = (...parts) => parts.filter(Boolean).join(" · ");

/** Returns what stands below the number of an order. @param {Row} row @param {string} partner */
export const below = (row, partner) => joined(row.cod_cents ? t("board.cod", { amount: dollars(row.cod_cents) }) : "", row.fragile ? t("order.fragile") : "", partner);

/** An element that shows a row. */
class View {
  element = blank();
  /** What it shows. @type {Partial<Line>} */
  #line = {};
  #status = "";
  #box = /** @type {HTMLInputElement} */ (this.element.querySelector("input"));
  #cells = /** @type {HTMLElement[]} */ ([...this.element.children]);

  /** The id of the order that it shows. */
  get id() { return this.#line.row?.order_id ?? ""; }

  /** Shows a row. @param {Line} line */
  show(line) {
    const before = this.#line;
    this.#box.checked = line.isSelected; // which a click may have changed
    if (/** @type {(keyof Line)[]} */ (Object.keys(line)).every((name) => line[name] === before[name])) return;
    this.#line = line;
    this.#showState(line);
    if (line.row !== before.row || line.now !== before.now) this.#showTime(line);
    if (line.row !== before.row) this.#showOrder(line.row);
  }

  /** @param {Line} line */
  #showState({ row, at, height, isSelected, isCurrent, isOpen, fresh }) {
    attribute(this.element, "class", classes("row", isSelected && "selected", isCurrent && "current", isOpen && "open", fresh && `fresh${row.version % 2}`));
    attribute(this.element, "aria-rowindex", at + 1);
    attribute(this.element, "aria-selected", isSelected);
    this.element.style.top = `${(at - 1) * height}px`;
  }

  /** Shows when the order is due, and why it needs attention; screen readers say the number first. @param {Line} line */
  #showTime({ row, now }) {
    const needs = reasonsOf(row, now), [when, hours] = whenDue(row, now), time = /** @type {Element} */ (this.#cells[1]?.firstChild);
    const named = needs.length ? reasonNames().filter(([name]) => needs.includes(name)) : [];
    const words = named.filter(([name]) => name !== "late").map(([, label]) => label).join(", ");
    attribute(time, "class", classes("due", row.due - now < urgentMs && "urgent"));
    if (time.hasAttribute("title")) time.removeAttribute("title"); // see hint
    text(time, when);
    text(/** @type {Node} */ (time.nextSibling), hours);
    text(/** @type {Node} */ (this.#cells[5]?.lastChild), words);
    attribute(this.element, "aria-label", [row.partner_order_id, `${when} ${hours}`, ...named.map(([, label]) => label), row.recipient, row.street, `${row.city} ${row.zone}`,
      row.partner_name, statusName(row.status), row.courier?.name ?? t("board.reason.no_courier"), t(`level.${row.service_level}`), below(row, "")].filter(Boolean).join(", "));
  }

  /** @param {Row} row */
  #showOrder(row) {
    const [, , to, what, who, how, by, rank, cash] = /** @type {[any, any, Element, Element, Node, Element, Node, Node, Node]} */ (/** @type {unknown} */ (this.#cells));
    const [name, place] = /** @type {Element[]} */ ([...to.children]), [number, of] = /** @type {Node[]} */ ([...what.children]);
    this.element.id = elementID(row.order_id);
    this.element.dataset.id = row.order_id;
    for (const cell of this.element.querySelectorAll("[title]:not(.due)")) cell.removeAttribute("title"); // see hint
    attribute(this.#box, "aria-label", t("board.select", { order: row.partner_order_id }));
    text(/** @type {Node} */ (name), row.recipient || row.city);
    text(/** @type {Node} */ (place?.firstChild), [row.street, row.recipient && row.city].filter(Boolean).join(", "));
    text(/** @type {Node} */ (place?.lastChild), row.zone);
    text(/** @type {Node} */ (number), row.partner_order_id);
    text(/** @type {Node} */ (of), below(row, row.partner_name));
    text(who, row.partner_name);
    if (this.#status !== row.status) how.firstElementChild?.replaceWith(badge(this.#status = row.status));
    text(by, row.courier?.name ?? "–");
    text(rank, t(`level.${row.service_level}`));
    text(cash, row.cod_cents ? dollars(row.cod_cents) : "–");
  }
}

/**
 * Writes into an element that has the pointer what it shows in full: when a row is due, whose format takes the browser long, or a text that may be cut.
 * @param {Element} element
 * @param {Row} row
 */
export const hint = (element, row) => attribute(element, "title", element.matches(".due") ? full(row.due) : element.textContent ?? "");

/** The elements of the visible rows. */
export class Lines {
  /** In the order of the rows. @type {View[]} */
  #views = [];

  /** Shows rows. @param {HTMLElement} body has no other children @param {Line[]} lines */
  show(body, lines) {
    const wanted = new Set(lines.map(({ row }) => row.order_id)), kept = new Map();
    /** @type {View[]} */
    const free = [];
    for (const view of this.#views) {
      if (wanted.has(view.id)) kept.set(view.id, view);
      else free.push(view);
    }
    // If rows stay, those that come are put beside them; otherwise each element stays where it is.
    if (kept.size) for (const view of free) view.element.remove();
    this.#views = lines.map((line) => {
      const view = kept.get(line.row.order_id) ?? free.shift() ?? new View();
      view.show(line);
      return view;
    });
    for (const view of free) view.element.remove();
    let next = body.firstChild;
    for (const { element } of this.#views) {
      if (element === next) next = next.nextSibling;
      else body.insertBefore(element, next);
    }
  }
}
