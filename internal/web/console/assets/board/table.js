// The list of orders: a grid of which only the visible rows are in the page. The
// keyboard stays on the grid, which says at which row it is.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { cursor, cursorAt, move, moveTo, shown } from "./board.js";
import { tick } from "dropyard/clock.js";
import { isEmpty } from "./filter.js";
import { classes, html } from "dropyard/html.js";
import { columnNames, everywhere, pressed } from "./bar.js";
import { Lines, elementID, hint } from "./lines.js";
import { enter, filter, narrow, open, opened, shownColumns, sort, sortBy, widen } from "./route.js";
import { add, clear, range, selected, toggle } from "./selection.js";
import { columns } from "./sorting.js";
import { store } from "./store.js";
import { t } from "dropyard/text.js";

/** @typedef {import("./rows.js").Row} Row */

/** How many rows beyond the visible ones are in the page, above and below. */
const spare = 6;
/** For how long a row that has changed shows it, in milliseconds. */
const flashMs = 1500;

/** The box that selects all rows, or none. @param {{rows: Row[]}} props */
const All = ({ rows }) => {
  const count = selected.value.size, all = count > 0 && count >= rows.length && rows.every((row) => selected.value.has(row.order_id));
  return html`<input type="checkbox" tabindex="-1" checked=${all} indeterminate=${count > 0 && !all} aria-label=${t("board.select_all")}
    onChange=${() => all ? clear() : add(rows)} />`;
};

/** The classes of the cells of each column. @type {Record<import("./sorting.js").Column, string>} */
const cellClass = { due: "when", recipient: "to", order: "what", partner: "who", status: "how", courier: "by", level: "rank", cod: "cash" };

/** The first row, which names the columns and sorts by them. @param {{rows: Row[]}} props */
const Head = ({ rows }) => {
  const { by, isReversed } = sort.value;
  return html`<div role="rowgroup" class="head"><div role="row" class="row" aria-rowindex="1">
    <span role="columnheader" class="pick"><${All} rows=${rows} /></span>
    ${columnNames().map(([name, label]) => html`<span role="columnheader" key=${name} class=${cellClass[name]} aria-sort=${name !== by ? undefined : isReversed ? "descending" : "ascending"}>
      <button type="button" tabindex="-1" onClick=${() => sortBy(name)}>${label}</button></span>`)}
  </div></div>`;
};

/** Says that no order has all of the chips that are pressed, and offers each alone. */
const NoSuchPair = () => {
  const chips = pressed();
  return html`<div class="empty">
    <p>${t("board.none_both", { chips: chips.map(({ label }) => t("board.quoted", { text: label })).join(", ") })}</p>
    <p class="line">${chips.map(({ part, label }) => html`<button type="button" class="button" key=${label} onClick=${() => narrow({ ...noChips, [part]: filter.value[part] })}>${t("board.only", { name: label })}</button>`)}
      <button type="button" class="button" onClick=${widen}>${t("board.widen")}</button></p>
  </div>`;
};

/** A filter without chips. */
const noChips = { stage: /** @type {const} */ (""), attention: /** @type {const} */ (""), day: /** @type {const} */ ("") };

/** Reports whether the board is narrowed by several chips, and by nothing else. */
const hasPair = () => pressed().length > 1 && isEmpty({ ...filter.value, ...noChips });

/** What is shown if the filter lets nothing through, or if nothing is open. */
const Nothing = () => store.state.value.kind !== "loading" && hasPair() ? html`<${NoSuchPair} />` : html`<div class="empty">
  <p>${store.state.value.kind === "loading" ? t("board.loading") : isEmpty(filter.value) ? t("board.none") : t("board.none_match")}</p>
  <p class="line">${everywhere() && html`<a class="button first" href=${everywhere()}>${t("board.everywhere")}</a>`}
    ${!isEmpty(filter.value) && html`<button type="button" class="button" onClick=${widen}>${t("board.widen")}</button>`}</p>
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
  // An element shows other rows later: its box does not keep the focus.
  if (box) document.getElementById("orders")?.focus({ preventScroll: true });
  if (event.shiftKey) return range(shown.value, row);
  if (box || event.ctrlKey || event.metaKey) return toggle(row);
  open(row.order_id);
};

/** @param {PointerEvent} event */
const point = (event) => {
  const cell = /** @type {Element} */ (event.target).closest(".due, .what, .who, .to, .how, .by"), row = rowOf(event);
  if (cell && row) hint(cell, row);
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
 * The part of a list that is visible. Where it stands is kept, because asking an element
 * makes the browser lay out the page. It is first asked when the browser has done so; only
 * how high rows are is needed before.
 * @param {{current: HTMLElement | null}} scroller
 */
const useWindow = (scroller) => {
  const first = useSignal(0), count = useSignal(30), height = useSignal(48), size = useRef({ top: 0, height: 0, head: 0 }).current;
  /** @param {number} top */
  const stand = (top) => {
    size.top = top;
    first.value = Math.max(0, Math.floor(top / height.value) - spare);
  };
  const rule = () => {
    if (scroller.current) height.value = parseFloat(getComputedStyle(scroller.current).getPropertyValue("--line-height")) || 48;
  };
  const measure = () => {
    const element = scroller.current;
    if (!element) return;
    rule();
    [size.height, size.head] = [element.clientHeight, element.querySelector(".head")?.clientHeight ?? 0];
    count.value = Math.ceil(size.height / height.value) + 2 * spare;
    stand(element.scrollTop);
  };
  /** What is done when the list has another size: the bar of acts may have taken the place of the current row. */
  const resize = () => {
    const before = size.height;
    measure();
    const at = cursorAt();
    if (size.height < before && at >= 0 && at * height.value < size.top + before) reveal(at);
  };
  useLayoutEffect(() => {
    rule();
    const watcher = new ResizeObserver(resize);
    watcher.observe(/** @type {HTMLElement} */ (scroller.current));
    return () => watcher.disconnect();
  }, []);
  const scrolled = () => stand(scroller.current?.scrollTop ?? 0);
  /** Scrolls so that a row is visible below the head. @param {number} index */
  const reveal = (index) => {
    if (!size.height) measure();
    const top = index * height.value, least = top + height.value + size.head - size.height;
    if (top >= size.top && least <= size.top || !scroller.current) return;
    scroller.current.scrollTop = size.top = top < size.top ? top : least;
  };
  return { first, count, height, scrolled, reveal };
};

/** The list of orders. */
export const Table = () => {
  const rows = shown.value, now = tick.value, at = cursor.value, order = opened.value, chosen = selected.value;
  const scroller = useRef(/** @type {HTMLElement | null} */ (null)), body = useRef(/** @type {HTMLElement | null} */ (null)), [lines] = useState(() => new Lines());
  const { first, count, height, scrolled, reveal } = useWindow(scroller);
  const from = Math.min(first.value, Math.max(0, rows.length - count.value)), visible = rows.slice(from, from + count.value);
  useLayoutEffect(() => lines.show(/** @type {HTMLElement} */ (body.current), visible.map((row, i) => ({
    row, at: from + i + 1, height: height.value, now, isSelected: chosen.has(row.order_id),
    isCurrent: row.order_id === at, isOpen: row.order_id === order, fresh: row.changedAt > now - flashMs,
  }))));
  useLayoutEffect(() => {
    const index = cursorAt();
    if (index >= 0) reveal(index);
  }, [at]);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const act = keys[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
    event.preventDefault();
    act(count.value - 2 * spare - 2, event);
  };
  const hidden = columns.filter((name) => !shownColumns.value.has(name)).map((name) => `no-${cellClass[name]}`);
  return html`<div class=${classes("grid", ...hidden)} id="orders" data-rest role="grid" tabindex="0" aria-label=${t("board.title")} aria-multiselectable="true" aria-rowcount=${store.state.value.kind === "loading" ? -1 : rows.length + 1}
    aria-activedescendant=${visible.some((row) => row.order_id === at) ? elementID(at) : undefined}
    ref=${scroller} onScroll=${scrolled} onClick=${click} onPointerOver=${point} onKeyDown=${press}>
    <${Head} rows=${rows} />
    <div role="rowgroup" class="body" ref=${body} style=${{ height: `${rows.length * height.value}px` }}></div>
    ${!rows.length && html`<div role="rowgroup"><div role="row"><div role="gridcell"><${Nothing} /></div></div></div>`}
  </div>`;
};
