// What the views of the board show: the rows that the filter lets through, and the row
// at which the keyboard is.

import { computed, effect, signal, untracked } from "@preact/signals-core";
import { Refused, call } from "./api.js";
import { tick } from "dropyard/clock.js";
import { choices as choicesOf, countsOf, isEmpty, select } from "./filter.js";
import { filter, sort } from "./route.js";
import { prune } from "./selection.js";
import { sorted } from "./sorting.js";
import { store } from "./store.js";

/** @typedef {import("./rows.js").Row} Row */

/** The ids that the server found for the text of the filter. @type {import("@preact/signals-core").Signal<Set<string> | undefined>} */
const found = signal(undefined);

const selection = computed(() => {
  store.version.value;
  return select(store.ordered, filter.value, tick.value, found.value);
});

/** The rows that the filter lets through, in the order of the list. */
export const shown = computed(() => sorted(selection.value.shown, sort.value));

/** What the service counted for the document. @type {import("./filter.js").Counts | undefined} */
let counted;

/**
 * How many orders each chip would show. Until all orders have been read, that is what the
 * service counted; undefined if it has not, or if the filter narrows that.
 */
export const counts = computed(() => {
  if (store.state.value.kind !== "loading") return selection.value.counts;
  return isEmpty(filter.value) ? counted : undefined;
});

/** What the board can be narrowed to. It is read again when a list is opened: see refreshChoices. */
export const choices = signal(choicesOf([]));

/** Reads again what the board can be narrowed to. */
export const refreshChoices = () => { choices.value = choicesOf(store.ordered); };

/** The id of the row at which the keyboard is; empty for none. */
export const cursor = signal("");

let cursorIndex = 0;

/** Returns the index of the row at which the keyboard is, or -1. */
export const cursorAt = () => {
  const rows = shown.value, id = cursor.value;
  if (!id) return -1;
  if (rows[cursorIndex]?.order_id === id) return cursorIndex;
  const at = rows.findIndex((row) => row.order_id === id);
  if (at >= 0) cursorIndex = at;
  return at;
};

/** Returns the row at which the keyboard is. @returns {Row | undefined} */
export const current = () => store.rows.get(cursor.value);

/** Moves the keyboard to a row; beyond an end, to the last one there. @param {number} index */
export const moveTo = (index) => {
  const rows = shown.value;
  cursorIndex = Math.max(0, Math.min(index, rows.length - 1));
  cursor.value = rows[cursorIndex]?.order_id ?? "";
};

/** Moves the keyboard by some rows. If its row is gone, it goes on from where that was. @param {number} by */
export const move = (by) => {
  const at = cursorAt();
  if (!cursor.value) return moveTo(by > 0 ? 0 : shown.value.length - 1);
  moveTo((at < 0 ? cursorIndex - (by > 0 ? 1 : 0) : at) + by);
};

/**
 * Asks the server for the orders whose recipients, references, parcels or barcodes have
 * the text of the filter: rows do not hold these. Only the latest answer counts.
 */
const searchServer = () => {
  let asked = "", timer = 0;
  effect(() => {
    const text = filter.value.text.trim();
    if (text === asked) return;
    asked = text;
    clearTimeout(timer);
    found.value = undefined;
    if (text.length < 2) return;
    timer = setTimeout(async () => {
      try {
        const { orders } = await call("GET", `/orders?${new URLSearchParams({ q: text, limit: "200" })}`);
        if (asked === text) found.value = new Set(orders.map((/** @type {Row} */ order) => order.order_id));
      } catch (error) {
        if (!(error instanceof Refused)) throw error; // what the rows hold is found without the server
      }
    }, 250);
  });
};

/** Keeps what depends on the rows up to date. @param {Parameters<typeof countsOf>[0]} [counting] what the service counted */
export const start = (counting) => {
  counted = counting && countsOf(counting);
  searchServer();
  effect(() => {
    store.version.value;
    untracked(() => prune(store.rows));
  });
  const stop = effect(() => {
    if (store.state.value.kind !== "live") return;
    setTimeout(() => { stop(); refreshChoices(); }, 100); // after all rows are shown
  });
};
