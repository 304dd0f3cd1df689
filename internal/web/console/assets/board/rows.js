// The rows of the board: what they hold, in what order they stand, and why they need
// attention. Everything here is pure.

import { plain } from "dropyard/plain.js";
import { dayOf, zoneOfArea } from "dropyard/zone.js";

/** @typedef {"pending" | "accepted" | "courier_assigned" | "picked_up" | "in_transit" | "out_for_delivery" | "failed"} Status */
/** @typedef {{start: string, end: string}} TimeWindow */

/**
 * A row as the interface has it (BoardRow in api/ops.yaml).
 * @typedef {object} RawRow
 * @property {string} order_id
 * @property {string} partner_id
 * @property {string} partner_name
 * @property {string} partner_order_id
 * @property {Status} status
 * @property {number} version
 * @property {"standard" | "express" | "same_day"} service_level
 * @property {{courier_id: string, name: string, active: boolean} | null} courier
 * @property {string} zone
 * @property {string} city
 * @property {string} recipient empty in rows of earlier releases
 * @property {string} street
 * @property {number} [cod_cents] what is to be collected; absent if nothing is
 * @property {boolean} [fragile]
 * @property {TimeWindow} pickup_window
 * @property {TimeWindow} dropoff_window
 * @property {string} estimated_delivery
 * @property {number} failures
 * @property {string} created_at
 * @property {string} updated_at
 * @property {Reason[]} [flags] reasons that the service decides; absent if there are none
 */

/**
 * What is derived of a row, so that it is computed once: times in milliseconds.
 * @typedef {object} Derived
 * @property {number} due the end of the dropoff's window, or the estimated delivery if that is earlier
 * @property {number} day on which it is due, by the clocks of the dropoff: see dayOf
 * @property {number} dropoffStart
 * @property {number} pickupStart
 * @property {number} pickupEnd
 * @property {number} dropoffEnd
 * @property {string} [text] what a search looks through: see textOf
 * @property {number} changedAt when a change of it was seen; 0 if none was
 */

/** A row of the board. @typedef {RawRow & Derived} Row */

/** Returns when an order is due: at the end of the dropoff's window, or when it is expected if that is earlier. @param {Pick<RawRow, "estimated_delivery" | "dropoff_window">} raw */
export const dueOf = (raw) => Math.min(Date.parse(raw.estimated_delivery), Date.parse(raw.dropoff_window.end));

/**
 * @param {RawRow} raw
 * @param {number} [changedAt]
 * @returns {Row}
 */
export const rowOf = (raw, changedAt = 0) => {
  const due = dueOf(raw);
  return Object.assign(/** @type {Row} */ (raw), {
    due, day: dayOf(due, zoneOfArea(raw.zone)), pickupStart: Date.parse(raw.pickup_window.start), pickupEnd: Date.parse(raw.pickup_window.end),
    dropoffStart: Date.parse(raw.dropoff_window.start), dropoffEnd: Date.parse(raw.dropoff_window.end), changedAt,
  });
};

/** Returns what a search looks through, as plain has it. It is put together when it is first needed. @param {Row} row */
export const textOf = (row) => row.text ??= plain(
  `${row.order_id}\n${row.partner_order_id}\n${row.partner_name}\n${row.city}\n${row.zone}\n${row.courier?.name ?? ""}\n${row.recipient}\n${row.street}`);

/** Orders rows by when they are due. @type {(a: Row, b: Row) => number} */
export const byDue = (a, b) => a.due - b.due || (a.order_id < b.order_id ? -1 : a.order_id > b.order_id ? 1 : 0);

/**
 * Returns rows with some replaced and some removed, still in order. It takes time in
 * proportion to the rows, not more.
 * @param {Row[]} rows in order
 * @param {Row[]} fresh in any order
 * @param {Set<string>} gone the ids of those to leave out: of fresh ones and of others
 * @returns {Row[]}
 */
export const merge = (rows, fresh, gone) => {
  const kept = rows.filter((row) => !gone.has(row.order_id)), added = [...fresh].sort(byDue);
  /** @type {Row[]} */
  const merged = [];
  let i = 0;
  for (const row of added) {
    while (i < kept.length && byDue(/** @type {Row} */ (kept[i]), row) < 0) merged.push(/** @type {Row} */ (kept[i++]));
    merged.push(row);
  }
  while (i < kept.length) merged.push(/** @type {Row} */ (kept[i++]));
  return merged;
};

/** Why an order needs attention. @typedef {"late" | "failed_twice" | "window_missed" | "no_courier" | "courier_gone" | "cancellation_requested" | "edited_after_pickup" | "short_pick"} Reason */

/** All reasons; their places are those of the bits that attention returns. @type {Reason[]} */
export const reasons = ["late", "failed_twice", "window_missed", "no_courier", "courier_gone", "cancellation_requested", "edited_after_pickup", "short_pick"];

const tooManyFailures = 2;
/** @param {Status} status */
const unassigned = (status) => status === "pending" || status === "accepted";

/**
 * Returns the reasons for which an order needs attention, as bits: see the table of
 * GET /ops/v1/orders in api/ops.yaml.
 * @param {Row} row
 * @param {number} now
 */
export const attention = (row, now) =>
  (row.due < now ? 1 : 0)
  | (row.failures >= tooManyFailures ? 2 : 0)
  | (row.dropoffEnd < now || row.pickupEnd < now && (unassigned(row.status) || row.status === "courier_assigned") ? 4 : 0)
  | (unassigned(row.status) && row.pickupStart <= now ? 8 : 0)
  | (row.courier !== null && !row.courier.active ? 16 : 0)
  | (row.flags ?? []).reduce((bits, flag) => bits | 1 << reasons.indexOf(flag), 0);

/** Returns the reasons for which an order needs attention. @param {Row} row @param {number} now */
export const reasonsOf = (row, now) => {
  const bits = attention(row, now);
  return reasons.filter((_, i) => bits & 1 << i);
};

/** Counts the late orders of each courier. @param {Iterable<Row>} rows @param {number} now @returns {Map<string, number>} */
export const lateOf = (rows, now) => {
  const counted = new Map();
  for (const row of rows) if (row.courier && reasonsOf(row, now).includes("late")) counted.set(row.courier.courier_id, (counted.get(row.courier.courier_id) ?? 0) + 1);
  return counted;
};
