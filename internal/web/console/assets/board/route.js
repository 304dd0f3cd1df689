// What the address says: the view, the filter, and the order that is open. Everything
// that is shown can be shared by its address, and the back button goes back.

import { signal } from "@preact/signals-core";
import { everything, parse, write } from "./filter.js";
import { parseColumns, parseSort, writeSort } from "./sorting.js";

/** @typedef {import("./filter.js").Filter} Filter */
/** @typedef {"list" | "map" | "couriers"} View */

/** @type {View[]} */
const views = ["list", "map", "couriers"];

/** @param {URLSearchParams} query */
const viewOf = (query) => views.find((view) => view === query.get("view")) ?? "list";

const here = () => new URLSearchParams(globalThis.location?.search);

/** The view that is shown. */
export const view = signal(viewOf(here()));
/** What narrows the board. @type {import("@preact/signals-core").Signal<Filter>} */
export const filter = signal(parse(here()));
/** The id of the order whose panel is open; empty for none. */
export const opened = signal(here().get("order") ?? "");

/** The order of the list. */
export const sort = signal(parseSort(here().get("sort")));

/** Where this browser keeps which columns are shown. */
const columnsKey = "board-columns";
/** The columns of the list. */
export const shownColumns = signal(parseColumns(globalThis.localStorage?.getItem(columnsKey) ?? null));

/** Shows or hides a column. @param {import("./sorting.js").Column} name */
export const toggleColumn = (name) => {
  const names = new Set(shownColumns.value);
  if (!names.delete(name)) names.add(name);
  shownColumns.value = names;
  localStorage.setItem(columnsKey, [...names].join());
};

/** Shows what the address says. */
export const read = () => {
  const query = here();
  view.value = viewOf(query);
  filter.value = parse(query);
  opened.value = query.get("order") ?? "";
  sort.value = parseSort(query.get("sort"));
};

/** @param {boolean} replace */
const writeAddress = (replace) => {
  const query = here();
  write(filter.value, query);
  query.delete("view");
  query.delete("order");
  query.delete("sort");
  if (view.value !== "list") query.set("view", view.value);
  if (opened.value) query.set("order", opened.value);
  const by = writeSort(sort.value);
  if (by) query.set("sort", by);
  const text = query.toString(), address = location.pathname + (text && `?${text}`);
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
};

/**
 * Changes parts of the filter.
 * @param {Partial<Filter>} parts
 * @param {{replace?: boolean}} [how] replace is set for typing, which is not gone back over
 */
export const narrow = (parts, { replace = false } = {}) => {
  filter.value = { ...filter.value, ...parts };
  writeAddress(replace);
};

/** Removes the whole filter. */
export const widen = () => narrow(everything);

/** Sorts the list by a column; the second time in the reverse order. @param {import("./sorting.js").Column} by */
export const sortBy = (by) => {
  sort.value = { by, isReversed: sort.value.by === by && !sort.value.isReversed };
  writeAddress(true);
};

/** Shows another view of the same orders. @param {View} to */
export const show = (to) => {
  view.value = to;
  writeAddress(false);
};

/** Opens the panel of an order; an empty id closes it. @param {string} id */
export const open = (id) => {
  const replace = opened.value !== "" && id !== "";
  opened.value = id;
  writeAddress(replace);
};

/** The id of the heading of the panel. */
export const panelTitle = "panel-title";
/** The id of the field of the panel in which a note is written. */
export const noteField = "new-note";
/** The id of the element of the panel that gets the focus when it is drawn; empty for none. */
let entering = "";

/** Opens the panel of an order and goes into it. @param {string} id @param {string} [part] of the panel */
export const enter = (id, part = panelTitle) => {
  entering = opened.peek() !== id ? part : "";
  open(id);
  if (!entering) document.getElementById(part)?.focus();
};

/** Opens the panel of an order and writes a note. @param {string} id */
export const writeNote = (id) => enter(id, noteField);

/** Reports whether the focus goes to a part of the panel that is drawn now; it does so once. @param {string} part */
export const entered = (part) => {
  const goes = entering === part;
  if (goes) entering = "";
  return goes;
};
