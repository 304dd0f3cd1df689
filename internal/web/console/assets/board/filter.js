// Which orders the board shows. Everything here is pure.

import { plain } from "dropyard/plain.js";
import { attention, reasons, textOf } from "./rows.js";
import { dayOf, zoneOfArea } from "dropyard/zone.js";

/** @typedef {import("./rows.js").Row} Row */
/** @typedef {import("./rows.js").Reason} Reason */

/** A group of statuses that a chip shows. @typedef {"pending" | "accepted" | "assigned" | "on_the_way" | "failed"} Stage */

/** The statuses of each stage. @type {Record<Stage, string[]>} */
export const stages = {
  pending: ["pending"], accepted: ["accepted"], assigned: ["courier_assigned"],
  on_the_way: ["picked_up", "in_transit", "out_for_delivery"], failed: ["failed"],
};
/** @type {Record<string, Stage>} */
const stageOf = Object.fromEntries(Object.entries(stages).flatMap(([stage, statuses]) => statuses.map((status) => [status, /** @type {Stage} */ (stage)])));

/** The days on which orders are due, by the clocks of their dropoffs: what is late is due today. @typedef {"today" | "tomorrow" | "later"} Day */

/** @type {Day[]} */
export const days = ["today", "tomorrow", "later"];

/**
 * What narrows the board; empty texts narrow nothing.
 * @typedef {object} Filter
 * @property {Stage | ""} stage
 * @property {Reason | ""} attention
 * @property {Day | ""} day
 * @property {string} partner a partner_id
 * @property {string} zone zones, or beginnings of them, with commas between: an order may be in any of them, or in any of the cities
 * @property {string} city cities, with vertical lines between
 * @property {string} courier a courier_id, or "none"
 * @property {string} level
 * @property {string} text
 */

/** What narrows nothing. @type {Readonly<Filter>} */
export const everything = { stage: "", attention: "", day: "", partner: "", zone: "", city: "", courier: "", level: "", text: "" };

const names = /** @type {(keyof Filter)[]} */ (Object.keys(everything));
/** The parameter of the address for a part of a filter. @param {keyof Filter} name */
const parameter = (name) => name === "text" ? "q" : name;

/** Reads a filter from the address. What it does not know narrows nothing. @param {URLSearchParams} query @returns {Filter} */
export const parse = (query) => {
  /** @type {Record<string, string>} */
  const found = {};
  for (const name of names) found[name] = query.get(parameter(name)) ?? "";
  if (!Object.hasOwn(stages, found.stage ?? "")) found.stage = "";
  if (!reasons.includes(/** @type {Reason} */ (found.attention))) found.attention = "";
  if (!days.includes(/** @type {Day} */ (found.day))) found.day = "";
  return /** @type {any} */ (found);
};

/** Writes a filter into the address. @param {Filter} filter @param {URLSearchParams} query */
export const write = (filter, query) => {
  for (const name of names) {
    if (filter[name]) query.set(parameter(name), filter[name]);
    else query.delete(parameter(name));
  }
};

/** Reports whether a filter narrows nothing. @param {Filter} filter */
export const isEmpty = (filter) => names.every((name) => !filter[name]);

/**
 * How many orders each chip would show, given the other parts of the filter: those of a
 * stage are counted among the orders with the reason and the day that are chosen, and so on.
 * @typedef {object} Counts
 * @property {number} open
 * @property {Record<Stage, number>} stages
 * @property {Record<Reason, number>} reasons
 * @property {Record<Day, number>} [days] undefined until all orders have been read
 * @property {Reason[]} present the reasons that orders of any stage have
 */

/** @param {Record<string, number>} counts @returns {Reason[]} */
const presentOf = (counts) => reasons.filter((reason) => counts[reason]);

/**
 * Returns the counts of all open orders, of those that the service counts.
 * @param {{open: number, statuses: Record<string, number>, reasons: Record<string, number>}} counted
 * @returns {Counts}
 */
export const countsOf = ({ open, statuses, reasons }) => ({
  open, reasons: /** @type {Counts["reasons"]} */ (reasons), present: presentOf(reasons),
  stages: /** @type {any} */ (Object.fromEntries(Object.entries(stages).map(([stage, names]) => [stage, names.reduce((sum, name) => sum + (statuses[name] ?? 0), 0)]))),
});

/** Returns the values of a part of a filter that may have several. @param {string} text @param {string} separator */
export const several = (text, separator) => text.split(separator).map((part) => part.trim()).filter(Boolean);

/** Returns a function that reports whether a row is in the zones or cities of a filter. @param {Filter} filter @returns {(row: Row) => boolean} */
const placed = ({ zone, city }) => {
  const zones = several(zone.toUpperCase(), ","), cities = new Set(several(city, "|"));
  if (!zones.length && !cities.size) return () => true;
  return (row) => cities.has(row.city) || zones.some((begins) => row.zone.startsWith(begins));
};

/** Returns a function that returns the index in days of the day on which a row is due. @param {number} now @returns {(row: Row) => number} */
const daysFrom = (now) => {
  /** Today in each area. @type {Map<string, number>} */
  const today = new Map();
  return ({ zone, day }) => {
    let first = today.get(zone);
    if (first === undefined) today.set(zone, first = dayOf(now, zoneOfArea(zone)));
    return Math.min(Math.max(day - first, 0), 2);
  };
};

/**
 * Selects the rows that a filter lets through, and counts what the chips would show.
 * @param {Row[]} rows in order
 * @param {Filter} filter
 * @param {number} now
 * @param {Set<string>} [found] the ids that the server found for the text, besides what the rows hold
 * @returns {{shown: Row[], counts: Counts}} the rows in the same order
 */
export const select = (rows, filter, now, found) => {
  const text = plain(filter.text.trim()), isPlaced = placed(filter), dayFrom = daysFrom(now), wantedDay = days.indexOf(/** @type {Day} */ (filter.day));
  const { stage, partner, courier, level } = filter;
  const wanted = filter.attention ? 1 << reasons.indexOf(filter.attention) : 0;
  /** @type {Row[]} */
  const shown = [];
  const inStages = { pending: 0, accepted: 0, assigned: 0, on_the_way: 0, failed: 0 }, bits = reasons.map(() => 0), due = [0, 0, 0];
  let present = 0;
  let open = 0;
  for (const row of rows) {
    if (partner && row.partner_id !== partner || level && row.service_level !== level) continue;
    if (!isPlaced(row)) continue;
    if (courier && (row.courier?.courier_id ?? "none") !== courier) continue;
    if (text && !textOf(row).includes(text) && !found?.has(row.order_id)) continue;
    const needs = attention(row, now), at = /** @type {Stage} */ (stageOf[row.status]);
    const day = dayFrom(row), isIn = !stage || at === stage, isWanted = !wanted || (needs & wanted) !== 0, isDue = wantedDay < 0 || day === wantedDay;
    open++;
    present |= needs;
    if (isWanted && isDue) inStages[at]++;
    if (isWanted && isIn) due[day] = (due[day] ?? 0) + 1;
    if (isIn && isDue) for (let i = 0; i < bits.length; i++) if (needs & 1 << i) bits[i] = (bits[i] ?? 0) + 1;
    if (isIn && isWanted && isDue) shown.push(row);
  }
  const counted = /** @type {any} */ (Object.fromEntries(reasons.map((reason, i) => [reason, bits[i]])));
  const counts = /** @type {any} */ (Object.fromEntries(days.map((day, i) => [day, due[i]])));
  return { shown, counts: { open, stages: inStages, reasons: counted, days: counts, present: reasons.filter((_, i) => present & 1 << i) } };
};

/**
 * A choice of a list, with how many orders it has.
 * @typedef {{value: string, label: string, count: number}} Choice
 */

/**
 * Returns what the rows can be narrowed to.
 * @param {Iterable<Row>} rows
 * @returns {{partners: Choice[], zones: Choice[], cities: Choice[], couriers: Choice[]}}
 */
export const choices = (rows) => {
  /** @type {Map<string, Choice>[]} */
  const [partners, zones, cities, couriers] = [new Map(), new Map(), new Map(), new Map()];
  /** @param {Map<string, Choice>} all @param {string} value @param {string} label */
  const count = (all, value, label) => {
    const choice = all.get(value);
    if (choice) choice.count++;
    else all.set(value, { value, label, count: 1 });
  };
  for (const row of rows) {
    count(/** @type {any} */ (partners), row.partner_id, row.partner_name);
    count(/** @type {any} */ (zones), row.zone, row.zone);
    count(/** @type {any} */ (cities), row.city, row.city);
    if (row.courier) count(/** @type {any} */ (couriers), row.courier.courier_id, row.courier.name);
  }
  /** @param {Map<string, Choice> | undefined} all */
  const sorted = (all) => [...all?.values() ?? []].sort((a, b) => a.label.localeCompare(b.label));
  return { partners: sorted(partners), zones: sorted(zones), cities: sorted(cities), couriers: sorted(couriers) };
};
