// The orders that are selected, for acts on all of them.

import { computed, signal } from "@preact/signals-core";

/** @typedef {import("./rows.js").Row} Row */

/** @type {Map<string, number>} */
const chosen = new Map();
/** Grows by one whenever the selection has changed. */
const version = signal(0);

/**
 * The selected orders by id, each with the version that it had when it was selected, so
 * that what has changed since can be shown before an act. The map is changed in place:
 * thousands of orders are not copied each time that one is selected.
 */
export const selected = {
  /** It is read as that of a signal: what reads it is shown again. @returns {ReadonlyMap<string, number>} */
  get value() {
    version.value;
    return chosen;
  },
};

/** The newer versions of selected orders, by id, as of the last change of the board. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, number>>} */
const newer = signal(new Map());

/** The ids of the selected orders that have changed since they were selected. */
export const changed = computed(() => {
  const { value } = selected;
  return [...newer.value].filter(([id, version]) => (value.get(id) ?? version) < version).map(([id]) => id);
});

/** The order from which a range is selected. */
let anchor = "";

/** Selects an order, or deselects it. @param {Row} row */
export const toggle = (row) => {
  if (!chosen.delete(row.order_id)) chosen.set(row.order_id, row.version);
  anchor = row.order_id;
  version.value++;
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
  add(rows.slice(first, last + 1));
};

/** Selects rows besides those that are selected. @param {Iterable<Row>} rows */
export const add = (rows) => {
  for (const row of rows) chosen.set(row.order_id, row.version);
  version.value++;
};

/** Selects nothing. */
export const clear = () => {
  if (!chosen.size) return;
  chosen.clear();
  version.value++;
};

/** Removes what has left the board, and notes what has changed. @param {ReadonlyMap<string, Row>} rows */
export const prune = (rows) => {
  const before = chosen.size, found = new Map();
  for (const [id, seen] of chosen) {
    const row = rows.get(id);
    if (!row) chosen.delete(id);
    else if (row.version > seen) found.set(id, row.version);
  }
  if (chosen.size !== before) version.value++;
  if (found.size || newer.value.size) newer.value = found;
};
