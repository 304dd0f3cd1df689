// The list of orders: a grid of which only the visible rows are in the page. The
// keyboard stays on the grid, which says at which row it is.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useComputed, useSignal } from "@preact/signals";
import { cursor, cursorAt, move, moveTo, shown } from "./board.js";
import { reasonNames } from "./bar.js";
import { tick } from "dropyard/clock.js";
import { isEmpty } from "./filter.js";
import { Badge, Icon, classes, html, statusName } from "dropyard/html.js";
import { enter } from "./panel.js";
import { filter, open, opened, widen } from "./route.js";
import { reasonsOf } from "./rows.js";
import { add, clear, range, selected, toggle } from "./selection.js";
import { store } from "./store.js";
import { due, full, t } from "dropyard/text.js";

/** @typedef {import("./rows.js").Row} Row */

/** How many rows beyond the visible ones are in the page, above and below. */
const spare = 8;
/** For how long a row that has changed shows it, in milliseconds. */
const flashMs = 1500;
/** What is due within this time is urgent, in milliseconds. */
const urgentMs = 30 * 60000;

/** The id of a row's element. @param {string} id */
const elementID = (id) => `row-${id}`;

/**
 * @typedef {object} LineProps
 * @property {Row} row
 * @property {number} at the row's place, counted from 1
 * @property {number} height of rows, in pixels
 * @property {number} now
 * @property {boolean} isCurrent
 * @property {boolean} isOpen
 * @property {boolean} fresh it has just changed
 */

/** When an order is due, and why it needs attention. @param {{row: Row, now: number}} props */
const Due = ({ row, now }) => {
  const reasons = reasonsOf(row, now);
  const words = reasonNames().filter(([name]) => name !== "late" && reasons.includes(name)).map(([, label]) => label).join(", ");
  const urgent = reasons.includes("late") || row.due - now < urgentMs;
  return html`<span class=${classes("due", urgent && "urgent")} title=${full(row.due)}>${due(row.due, now)}</span>
    ${words && html`<span class="warning" title=${words}><${Icon} name="warn" /><span class="hidden">${words}</span></span>`}`;
};

/** What screen readers say of a row: the number first, then what the cells have. @param {Row} row @param {number} now */
const spoken = (row, now) => {
  const needs = reasonsOf(row, now), words = reasonNames().filter(([name]) => needs.includes(name)).map(([, label]) => label);
  return [row.partner_order_id, due(row.due, now), ...words, row.partner_name, `${row.city} ${row.zone}`, statusName(row.status), row.courier?.name ?? t("board.reason.no_courier"), t(`level.${row.service_level}`)].join(", ");
};

/** A row. It is drawn again only if what it shows differs. @param {LineProps} props */
const Line = ({ row, at, height, now, isCurrent, isOpen, fresh }) => {
  const isSelected = useComputed(() => selected.value.has(row.order_id)).value;
  return html`<div role="row" class=${classes("row", isSelected && "selected", isCurrent && "current", isOpen && "open", fresh && `fresh${row.version % 2}`)}
      id=${elementID(row.order_id)} data-id=${row.order_id} aria-rowindex=${at + 1} aria-selected=${isSelected} aria-label=${spoken(row, now)} style=${{ top: `${(at - 1) * height}px` }}>
      <span role="gridcell" class="pick"><input type="checkbox" tabindex="-1" checked=${isSelected} aria-label=${t("board.select", { order: row.partner_order_id })} /></span>
      <span role="gridcell" class="when"><${Due} row=${row} now=${now} /></span>
      <span role="rowheader" class="what mono">${row.partner_order_id}</span>
      <span role="gridcell" class="who">${row.partner_name}</span>
      <span role="gridcell" class="to">${row.city} <span class="mono">${row.zone}</span></span>
      <span role="gridcell" class="how"><${Badge} status=${row.status} /></span>
      <span role="gridcell" class="by">${row.courier?.name ?? "–"}</span>
      <span role="gridcell" class="rank">${t(`level.${row.service_level}`)}</span>
    </div>`;
};

/** The box that selects all rows, or none. @param {{rows: Row[]}} props */
const All = ({ rows }) => {
  const count = selected.value.size, all = count > 0 && count >= rows.length && rows.every((row) => selected.value.has(row.order_id));
  return html`<input type="checkbox" tabindex="-1" checked=${all} indeterminate=${count > 0 && !all} aria-label=${t("board.select_all")}
    onChange=${() => all ? clear() : add(rows)} />`;
};

/** The first row, which names the columns. @param {{rows: Row[]}} props */
const Head = ({ rows }) => html`<div role="rowgroup" class="head"><div role="row" class="row" aria-rowindex="1">
  <span role="columnheader" class="pick"><${All} rows=${rows} /></span>
  <span role="columnheader" aria-sort="ascending">${t("board.due")}</span><span role="columnheader">${t("board.order")}</span>
  <span role="columnheader">${t("board.partner")}</span><span role="columnheader">${t("board.to")}</span>
  <span role="columnheader">${t("board.status")}</span><span role="columnheader">${t("board.courier")}</span><span role="columnheader">${t("board.level")}</span>
</div></div>`;

/** What is shown if the filter lets nothing through, or if nothing is open. */
const Nothing = () => html`<div class="empty">
  <p>${store.state.value.kind === "loading" ? t("board.loading") : isEmpty(filter.value) ? t("board.none") : t("board.none_match")}</p>
  ${!isEmpty(filter.value) && html`<button type="button" class="button" onClick=${widen}>${t("board.widen")}</button>`}
</div>`;

/** @param {Event} event @returns {Row | undefined} the row that an event is on */
const rowOf = (event) => {
  const id = /** @type {Element} */ (event.target).closest?.("[data-id]")?.getAttribute("data-id");
  return id ? store.rows.get(id) : undefined;
};

/** @param {MouseEvent} event */
const click = (event) => {
  const row = rowOf(event);
  if (!row) return;
  cursor.value = row.order_id;
  const box = /** @type {Element} */ (event.target).closest(".pick");
  if (event.shiftKey) return range(shown.value, row);
  if (box || event.ctrlKey || event.metaKey) return toggle(row);
  open(row.order_id);
};

/** What keys do on the grid, given how many rows are visible. @type {Record<string, (page: number, event: KeyboardEvent) => void>} */
const keys = {
  ArrowDown: () => move(1), ArrowUp: () => move(-1),
  PageDown: (page) => move(page), PageUp: (page) => move(-page),
  Home: () => moveTo(0), End: () => moveTo(Infinity),
  Enter: () => { if (cursor.value) enter(cursor.value); },
  " ": (_, event) => {
    const row = shown.value[cursorAt()];
    if (row) event.shiftKey ? range(shown.value, row) : toggle(row);
  },
};

/**
 * The part of a list that is visible.
 * @param {{current: HTMLElement | null}} scroller
 */
const useWindow = (scroller) => {
  const first = useSignal(0), count = useSignal(30), height = useSignal(36);
  const measure = () => {
    const element = scroller.current;
    if (!element) return;
    height.value = parseFloat(getComputedStyle(element).getPropertyValue("--line-height")) || 36;
    first.value = Math.max(0, Math.floor(element.scrollTop / height.value) - spare);
    count.value = Math.ceil(element.clientHeight / height.value) + 2 * spare;
  };
  useLayoutEffect(() => {
    const watcher = new ResizeObserver(measure);
    if (scroller.current) watcher.observe(scroller.current);
    measure();
    return () => watcher.disconnect();
  }, []);
  const scrolled = () => {
    const to = Math.max(0, Math.floor((scroller.current?.scrollTop ?? 0) / height.value) - spare);
    if (to !== first.value) first.value = to;
  };
  return { first, count, height, scrolled };
};

/** Scrolls so that a row is visible below the head. @param {HTMLElement} scroller @param {number} index @param {number} height */
const reveal = (scroller, index, height) => {
  const head = scroller.querySelector(".head")?.clientHeight ?? 0, top = index * height;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const bottom = top + height + head - scroller.clientHeight;
  if (bottom > scroller.scrollTop) scroller.scrollTop = bottom;
};

/** The list of orders. */
export const Table = () => {
  const rows = shown.value, now = tick.value, at = cursor.value, scroller = useRef(/** @type {HTMLElement | null} */ (null));
  const { first, count, height, scrolled } = useWindow(scroller);
  const from = Math.min(first.value, Math.max(0, rows.length - count.value)), visible = rows.slice(from, from + count.value);
  useLayoutEffect(() => {
    const index = cursorAt();
    if (scroller.current && index >= 0) reveal(scroller.current, index, height.value);
  }, [at]);
  const flashed = now - flashMs;
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const act = keys[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
    event.preventDefault();
    act(count.value - 2 * spare - 2, event);
  };
  return html`<div class="grid" id="orders" data-rest role="grid" tabindex="0" aria-label=${t("board.title")} aria-multiselectable="true" aria-rowcount=${store.state.value.kind === "loading" ? -1 : rows.length + 1}
    aria-activedescendant=${visible.some((row) => row.order_id === at) ? elementID(at) : undefined}
    ref=${scroller} onScroll=${scrolled} onClick=${click} onKeyDown=${press}>
    <${Head} rows=${rows} />
    <div role="rowgroup" class="body" style=${{ height: `${rows.length * height.value}px` }}>
      ${visible.map((row, i) => html`<${Line} key=${row.order_id} row=${row} at=${from + i + 1} height=${height.value} now=${now}
        isCurrent=${row.order_id === at} isOpen=${row.order_id === opened.value} fresh=${row.changedAt > flashed} />`)}
    </div>
    ${!rows.length && html`<div role="rowgroup"><div role="row"><div role="gridcell"><${Nothing} /></div></div></div>`}
  </div>`;
};
