// In what order the list shows orders, and which of its columns. Everything here is pure.

import { plain } from "dropyard/plain.js";

/** @typedef {import("./rows.js").Row} Row */
/** A column of the list. @typedef {"due" | "recipient" | "order" | "partner" | "status" | "courier" | "level" | "cod"} Column */

/** The columns, from the left. @type {Column[]} */
export const columns = ["due", "recipient", "order", "partner", "status", "courier", "level", "cod"];
/** Those that the list always has. @type {Column[]} */
export const fixed = ["due", "recipient"];
/** Those that it has until the operator chooses: the partner and the amount stand below the number of the order, too. @type {Column[]} */
export const usual = ["due", "recipient", "order", "status", "courier", "level"];

const course = ["failed", "pending", "accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery"];
const urgency = ["same_day", "express", "standard"];
/** What each column sorts by; ties are in the order in which they are due. @type {Record<Column, (row: Row) => string | number>} */
const keys = {
  due: (row) => row.due, recipient: (row) => plain(row.recipient), order: (row) => plain(row.partner_order_id), partner: (row) => plain(row.partner_name),
  status: (row) => course.indexOf(row.status), courier: (row) => row.courier ? plain(row.courier.name) : "", level: (row) => urgency.indexOf(row.service_level),
  cod: (row) => -(row.cod_cents ?? 0),
};

/** The order of a list: a column, and whether it is reversed. @typedef {{by: Column, isReversed: boolean}} Sort */

/** Reads an order from the address: "courier", or "-courier" for the reverse. @param {string | null} text @returns {Sort} */
export const parseSort = (text) => {
  const name = /** @type {Column} */ ((text ?? "").replace(/^-/, ""));
  return columns.includes(name) ? { by: name, isReversed: text !== name } : { by: "due", isReversed: false };
};

/** Writes an order into the address; empty for the usual one. @param {Sort} sort */
export const writeSort = ({ by, isReversed }) => isReversed ? `-${by}` : by === "due" ? "" : by;

/** Returns rows in an order. @param {Row[]} rows in the order in which they are due @param {Sort} sort */
export const sorted = (rows, { by, isReversed }) => {
  if (by === "due") return isReversed ? rows.toReversed() : rows;
  const keyed = rows.map((row) => ({ row, key: keys[by](row) })), up = isReversed ? -1 : 1;
  return keyed.sort((a, b) => a.key < b.key ? -up : a.key > b.key ? up : 0).map(({ row }) => row);
};

/** Reads which columns are shown from what was kept. @param {string | null} kept @returns {Set<Column>} */
export const parseColumns = (kept) => {
  const named = kept === null ? usual : columns.filter((name) => kept.split(",").includes(name));
  return new Set([...fixed, ...named]);
};
