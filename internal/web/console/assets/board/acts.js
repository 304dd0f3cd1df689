// What may be done with orders now, and doing it.

import { signal } from "@preact/signals-core";
import { Refused, call, newKey } from "./api.js";
import { t } from "dropyard/text.js";

/** @typedef {import("./rows.js").Row} Row */
/**
 * An order as it was seen, with its courier and with who has the parcels, as far as that is known.
 * @typedef {{order_id: string, partner_order_id: string, version: number, status: string, courier?: {courier_id: string} | null, holder?: {kind: string, id?: string}}} Target
 */
/** Status is transfer for parcels that are handed over: then the order keeps its status. @typedef {{status: string, courier_id?: string, location?: string, failure_reason?: string, next_attempt?: string, eta?: string, notes?: string, reason?: string, collected?: {amount_cents: number, currency: string, method: string, notes?: string}}} Move */

/** The statuses that an order may be moved to, by its status, the usual one first: the table of package delivery. @type {Record<string, string[]>} */
export const moves = {
  pending: ["accepted", "cancelled"],
  accepted: ["courier_assigned", "cancelled"],
  courier_assigned: ["picked_up", "accepted", "courier_assigned", "cancelled", "failed"],
  picked_up: ["in_transit", "out_for_delivery", "failed"],
  in_transit: ["out_for_delivery", "failed"],
  out_for_delivery: ["delivered", "failed"],
  failed: ["in_transit", "out_for_delivery", "cancelled"],
  delivered: [],
  cancelled: [],
};

/** Reports whether an order may be moved. @param {string} from @param {string} to */
export const mayMove = (from, to) => moves[from]?.includes(to) ?? false;

/** Reports whether an order may get a courier; a pending one is accepted first. @param {string} status */
export const mayAssign = (status) => status === "pending" || mayMove(status, "courier_assigned");

/** Stands in the place of a status for handing parcels over. */
export const transfer = "transfer";

/** Reports whether the parcels of an order may be handed over; a failed one may not have been picked up yet. @param {string} status */
export const mayTransfer = (status) => ["picked_up", "in_transit", "out_for_delivery", "failed"].includes(status);

/** Reports whether a courier or a hub has the parcels of an order. @param {Record<string, any>} record as GET /ops/v1/orders/{order_id} has it */
export const inHands = ({ status, order, custody }) => {
  if (status === "cancelled") return order.return?.state === "due";
  return status !== "delivered" && custody.length > 1;
};

/**
 * Returns the move that hands an order over as it is: a courier gets by an assignment what was not picked up yet.
 * @param {{status: string}} one @param {Move} move @returns {Move}
 */
export const moveOf = ({ status }, move) => move.status === transfer && move.courier_id && mayAssign(status) ? { ...move, status: "courier_assigned" } : move;

/** The key of the phrase that names a move. @param {string} from @param {string} to */
export const moveKey = (from, to) => {
  if (from === "courier_assigned" && to === "accepted") return "act.unassign";
  return from === "courier_assigned" && to === from ? "act.reassign" : `act.to.${to}`;
};

/** What was just done or refused, and what takes it back; null if nothing does. @typedef {{text: string, danger: boolean, undo: (() => void) | null}} Saying */

/** It is shown and read out. @type {import("@preact/signals-core").Signal<Saying>} */
export const said = signal({ text: "", danger: false, undo: null });

/** @param {string} text @param {boolean} [danger] @param {Saying["undo"]} [undo] */
export const say = (text, danger = false, undo = null) => { said.value = { text, danger, undo }; };

/** A call with the key that it was pressed with: sent again, it changes nothing twice. @typedef {{method: string, path: string, body?: unknown, key: string}} Press */

/** @param {string} method @param {string} path @param {unknown} [body] @returns {Press} */
export const press = (method, path, body) => ({ method, path, body, key: newKey() });

/** How long to wait before a call is sent again whose answer was lost, in milliseconds. */
const pauses = [500, 2000];
/** @param {unknown} error */
const wasLost = (error) => error instanceof Refused && [0, 502, 503, 504].includes(error.status);

/**
 * Sends a call, and sends it again with the same key if its answer was lost.
 * @param {Press} pressed
 * @param {(pressed: Press) => Promise<any>} [send]
 * @param {number[]} [waits]
 * @returns {Promise<any>}
 */
export const insist = async (pressed, send = ({ method, path, body, key }) => call(method, path, { body, key }), waits = pauses) => {
  for (let i = 0; ; i++) {
    try {
      return await send(pressed);
    } catch (error) {
      const wait = waits[i];
      if (!wasLost(error) || wait === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
};

/** The operator who looks at the board. */
export const reader = globalThis.document?.getElementById("board")?.dataset.operator ?? "";

/**
 * Says why something was refused, and who was faster.
 * @param {any} error the error of a call, or of a result of many
 * @param {number} [version] of the order that was sent
 * @param {string} [self] the operator who sent it
 */
export const whyNot = (error, version = 0, self = reader) => {
  const details = error?.details;
  if (details?.status) {
    const status = t(`status.${details.status}`), by = details.changed_by;
    if (!(details.version > version)) return t("act.impossible", { status });
    return by && by.operator_id !== self ? t("act.faster", { who: by.email ?? by.operator_id, status }) : t("act.is", { status });
  }
  if (error?.code === "unreachable") return t("act.unreachable");
  if (error?.code === "validation_error") return t("act.invalid");
  if (error?.code === "not_found") return t("act.gone");
  return t("act.refused", { id: error?.requestID || error?.code || "–" });
};

/** Moves one order from the version that was seen. @param {Target} seen @param {Move} move */
export const pressMove = (seen, move) => press("POST", `/orders/${seen.order_id}/status`, { ...move, version: seen.version });

/** Hands the parcels of one order over. @param {{order_id: string, version: number}} seen @param {{courier_id: string} | {location: string}} to */
export const pressTransfer = (seen, to) => press("POST", `/orders/${seen.order_id}/transfer`, { ...to, version: seen.version });

/** How many orders one call moves. */
export const batchSize = 200;

/**
 * Divides orders into calls, each with a key of its own.
 * @param {Target[]} seen
 * @param {Move} move
 */
export const batches = (seen, move) => {
  const { status, ...to } = move;
  if (status === transfer) return seen.map((one) => ({ part: [one], pressed: pressTransfer(one, /** @type {{location: string}} */ (to)) }));
  const all = [];
  for (let i = 0; i < seen.length; i += batchSize) {
    const part = seen.slice(i, i + batchSize);
    all.push({ part, pressed: press("POST", "/orders/status", { ...move, order_ids: part.map((one) => one.order_id), versions: part.map((one) => one.version) }) });
  }
  return all;
};

/**
 * Says why an order was not moved. The parcels of one that failed at its pickup are not with the courier, so that another
 * one cannot get them.
 * @param {any} error @param {Target} one @param {Move} move
 */
const whyNotMoved = (error, one, move) => {
  const { status, version, courier } = error?.details ?? {};
  return move.status === transfer && move.courier_id && move.courier_id !== courier?.courier_id && status === "failed" && !(version > one.version)
    ? t("act.unpicked") : whyNot(error, one.version);
};

/** Which orders were moved, with their new statuses and versions, and otherwise as they were before, and why the others were not. @typedef {{moved: Target[], refused: {order: string, why: string}[]}} Outcome */

/**
 * Accepts the pending ones of orders, and returns all that can get a courier then.
 * @param {Target[]} seen
 * @param {typeof insist} send
 * @returns {Promise<Outcome>}
 */
const acceptFirst = async (seen, send) => {
  const { moved, refused } = await moveEach(seen.filter(({ status }) => status === "pending"), { status: "accepted" }, send);
  const accepted = new Map(moved.map((one) => [one.order_id, one]));
  return { moved: seen.flatMap((one) => one.status === "pending" ? accepted.get(one.order_id) ?? [] : one), refused };
};

/**
 * Moves orders, one call after the other. Pending ones that get a courier are accepted
 * first, and of those that are handed over to a courier the ones that were not picked up yet
 * are assigned. Every order must be as it was seen.
 * @param {Target[]} seen
 * @param {Move} move
 * @param {typeof insist} [send]
 * @param {(outcome: Outcome) => void} [heard] called after each call
 * @returns {Promise<Outcome>}
 */
export const moveEach = async (seen, move, send = insist, heard = () => {}) => {
  const assigned = seen.filter((one) => moveOf(one, move) !== move);
  if (assigned.length) {
    const first = await moveEach(assigned, { ...move, status: "courier_assigned" }, send, heard);
    /** @param {Outcome} rest @returns {Outcome} */
    const both = (rest) => ({ moved: [...first.moved, ...rest.moved], refused: [...first.refused, ...rest.refused] });
    return both(await moveEach(seen.filter((one) => !assigned.includes(one)), move, send, (rest) => heard(both(rest))));
  }
  const ready = move.status === "courier_assigned" ? await acceptFirst(seen, send) : { moved: seen, refused: [] };
  /** @type {Outcome} */
  const outcome = { moved: [], refused: [...ready.refused] };
  for (const { part, pressed } of batches(ready.moved, move)) {
    /** @type {any[]} */
    let results;
    try {
      const answer = await send(pressed);
      results = answer.results ?? [{ ok: true, version: answer.version }]; // a call of one order has none
    } catch (error) { // the call as a whole
      results = part.map(() => ({ ok: false, error }));
    }
    part.forEach((one, i) => {
      if (results[i].ok) outcome.moved.push({ ...one, status: move.status === transfer ? one.status : move.status, version: results[i].version ?? one.version + 1 });
      else outcome.refused.push({ order: one.partner_order_id, why: whyNotMoved(results[i].error, one, move) });
    });
    heard(outcome);
  }
  return outcome;
};
