// What the map shows of orders, and where. Everything here is pure.

import { attention } from "./rows.js";

/** @typedef {import("./rows.js").Row} Row */
/** @typedef {import("./rows.js").Status} Status */
/** @typedef {import("./areas.js").Areas} Areas */

/** What an area is coloured by: the worst of its orders. @typedef {"late" | "attention" | Status} Tone */

/**
 * What is open in an area, or in several.
 * @typedef {object} Sum
 * @property {number} count
 * @property {number} late
 * @property {number} attention orders that need attention, late ones among them
 * @property {Status} status the one of its orders that has advanced least
 */
/** An area with open orders. @typedef {Sum & {code: string, city: string}} Area */

/** Statuses from the worst to the best. @type {Status[]} */
const worstFirst = ["failed", "pending", "accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery"];
/** @param {Status} a @param {Status} b */
const worse = (a, b) => worstFirst.indexOf(a) < worstFirst.indexOf(b) ? a : b;

/** Returns the areas in which rows are, those with most orders first. @param {Row[]} rows @param {number} now @returns {Area[]} */
export const areasOf = (rows, now) => {
  /** @type {Map<string, Area>} */
  const found = new Map();
  for (const row of rows) {
    let area = found.get(row.zone);
    if (!area) found.set(row.zone, area = { code: row.zone, city: row.city, count: 0, late: 0, attention: 0, status: row.status });
    const needs = attention(row, now);
    area.count++;
    if (needs & 1) area.late++;
    if (needs) area.attention++;
    area.status = worse(area.status, row.status);
  }
  return [...found.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
};

/** Returns what a dot is coloured by: late orders, then those that need attention, then the status. @param {Sum} sum @returns {Tone} */
export const toneOf = ({ late, attention: needy, status }) => late ? "late" : needy ? "attention" : status;

/** @typedef {{west: number, east: number, south: number, north: number}} Bounds in degrees */

/** The least that a map shows, in degrees: about 2 km. */
const least = 0.02;

/** Returns what encloses places. @param {[number, number][]} places latitude and longitude @returns {Bounds} */
export const boundsOf = (places) => {
  const latitudes = places.map(([latitude]) => latitude), longitudes = places.map(([, longitude]) => longitude);
  /** @param {number[]} all @returns {[number, number]} */
  const span = (all) => {
    const low = Math.min(...all), high = Math.max(...all), more = Math.max(0, least - (high - low)) / 2;
    return [low - more, high + more];
  };
  const [south, north] = span(latitudes), [west, east] = span(longitudes);
  return { south, north, west, east };
};

/**
 * Returns a function that places points on a map of a size, with a margin around what the
 * bounds enclose. Degrees of longitude are as wide as they are in the middle.
 * @param {Bounds} bounds
 * @param {{width: number, height: number, margin: number}} size
 * @returns {(place: [number, number]) => {x: number, y: number}}
 */
export const projection = ({ west, east, south, north }, { width, height, margin }) => {
  const middle = Math.cos((south + north) / 2 * Math.PI / 180);
  const scale = Math.min((width - 2 * margin) / ((east - west) * middle), (height - 2 * margin) / (north - south));
  return ([latitude, longitude]) => ({
    x: width / 2 + (longitude - (west + east) / 2) * middle * scale,
    y: height / 2 - (latitude - (south + north) / 2) * scale,
  });
};

/** Returns the radius of a dot in pixels: its surface grows with the orders. @param {number} count */
export const radius = (count) => Math.min(32, 10 + 2.4 * Math.sqrt(count - 1));

/** A dot of the map: one area, or several that would lie on each other. @typedef {Sum & {x: number, y: number, areas: Area[]}} Dot */

/**
 * Returns the dots of areas. An area whose dot would cover that of one with more orders
 * joins it.
 * @param {(Area & {x: number, y: number})[]} placed those with most orders first
 * @returns {Dot[]}
 */
export const dotsOf = (placed) => {
  /** @type {Dot[]} */
  const dots = [];
  for (const area of placed) {
    const near = dots.find((dot) => Math.hypot(dot.x - area.x, dot.y - area.y) < radius(dot.count) + radius(area.count));
    if (!near) {
      const { x, y, count, late, attention: needy, status } = area;
      dots.push({ x, y, count, late, attention: needy, status, areas: [area] });
      continue;
    }
    near.areas.push(area);
    near.count += area.count;
    near.late += area.late;
    near.attention += area.attention;
    near.status = worse(near.status, area.status);
  }
  return dots;
};
