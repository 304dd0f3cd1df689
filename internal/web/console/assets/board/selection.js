// The orders that are selected, for acts on all of them.

import { signal } from "@preact/signals-core";

/** @typedef {import("./rows.js").Row} Row */

/**
 * The selected orders by id, each with the version that it had when it was selected, so
 * that what has changed since can be shown before an act.
 * @type {import("@preact/signals-core").Signal<ReadonlyMap<string, number>>}
 */
export const selected = signal(new Map());

/** The order from which a range is selected. */
let anchor = "";

/** Selects an order, or deselects it. @param {Row} row */
export const toggle = (row) => {
  const next = new Map(selected.value);
  if (!next.delete(row.order_id)) next.set(row.order_id, row.version);
  anchor = row.order_id;
  selected.value = next;
};

/**
 * Selects all rows from the one that was toggled last to another one.
 * @param {Row[]} rows as they are shown
 * @param {Row} to
 */
export const range = (rows, to) => {
  const end = rows.findIndex((row) => row.order_id === to.order_id);
  const from = rows.findIndex((row) => row.order_id === anchor);
  const [first, last] = [Math.min(from < 0 ? end : from, end), Math.max(from, end)];
  const next = new Map(selected.value);
  for (const row of rows.slice(first, last + 1)) next.set(row.order_id, row.version);
  selected.value = next;
};

/** Selects rows besides those that are selected. @param {Iterable<Row>} rows */
export const add = (rows) => {
  const next = new Map(selected.value);
  for (const row of rows) next.set(row.order_id, row.version);
  selected.value = next;
};

/** Selects nothing. */
export const clear = () => {
  if (selected.value.size) selected.value = new Map();
};

/** Removes what has left the board. @param {ReadonlyMap<string, Row>} rows */
export const prune = (rows) => {
  const gone = [...selected.value.keys()].filter((id) => !rows.has(id));
  if (!gone.length) return;
  const next = new Map(selected.value);
  for (const id of gone) next.delete(id);
  selected.value = next;
};
