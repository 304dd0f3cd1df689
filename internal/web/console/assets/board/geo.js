// What the map and its table show of orders, by area. Everything here is pure.

import { attention } from "./rows.js";

/** @typedef {import("./rows.js").Row} Row */

/**
 * An area with open orders.
 * @typedef {object} Area
 * @property {string} code
 * @property {string} city
 * @property {number} count
 * @property {number} late
 * @property {number} attention orders that need attention, late ones among them
 */

/** Returns the areas in which rows are, those with most orders first. @param {Row[]} rows @param {number} now @returns {Area[]} */
export const areasOf = (rows, now) => {
  /** @type {Map<string, Area>} */
  const found = new Map();
  for (const row of rows) {
    let area = found.get(row.zone);
    if (!area) found.set(row.zone, area = { code: row.zone, city: row.city, count: 0, late: 0, attention: 0 });
    const needs = attention(row, now);
    area.count++;
    if (needs & 1) area.late++;
    if (needs) area.attention++;
  }
  return [...found.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
};
