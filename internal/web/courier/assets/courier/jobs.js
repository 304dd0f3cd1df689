// Reading a courier's stops from /ops/v1, with the session's cookie.

import { request } from "./send.js";

/** @typedef {import("./round.js").Answer} Answer */
/** @typedef {import("./round.js").Fault} Fault */

/** How long a response may take, and one that the courier waits for, in milliseconds. */
const timeout = 20000, patience = 10000;

/** What came is not from this service. @type {Fault} */
const unreachable = { status: 0, code: "unreachable", requestID: "" };

/**
 * Returns the body of a response, which has a property of that name. It throws a Fault.
 * @param {string} path
 * @param {string} name
 * @param {number} [ms] how long the response may take
 * @returns {Promise<any>}
 */
const read = async (path, name, ms = timeout) => {
  const response = await request(`/ops/v1${path}`, { headers: { Accept: "application/json" } }, ms).catch(() => null);
  const body = await response?.json().catch(() => null), code = body?.error?.code;
  if (response?.ok && body?.[name]) return body;
  if (!response || response.ok || !code) throw unreachable; // no connection, or the page of a network
  throw /** @type {Fault} */ ({ status: response.status, code, requestID: response.headers.get("X-Request-Id") ?? "" });
};

/** Reads the stops, and the deliveries since a time. @param {string} since @returns {Promise<Answer>} */
export const readJobs = (since) => read(`/jobs?since=${encodeURIComponent(since)}`, "jobs");

/** Reads where an order goes; undefined if that cannot be read now. @param {string} id @returns {Promise<import("./round.js").Stop | undefined>} */
export const readDropoff = async (id) => {
  try {
    const { order: { dropoff } } = await read(`/orders/${id}`, "order");
    return { ...dropoff, kind: "dropoff", area: dropoff.address.postal_code.slice(0, 3).toUpperCase(), deadline: dropoff.time_window.end };
  } catch {
    return undefined; // it is asked for again with the next reading
  }
};

/** Reads the cash that a courier carries; undefined if that cannot be read now. @param {string} courier @returns {Promise<import("./cash.js").Carried | undefined>} */
export const readCash = (courier) => read(`/couriers/${courier}/cash`, "balances").catch(() => undefined);

/** Reads the amount to collect of an order: null for nothing, undefined if that cannot be read now. @param {string} id @returns {Promise<import("./cash.js").Cash | null | undefined>} */
export const readDue = async (id) => {
  try {
    const { order: { cod } } = await read(`/orders/${id}`, "order");
    return cod?.amount_cents ? cod : null;
  } catch {
    return undefined;
  }
};

/**
 * Asks the service for parcels of stops that the phone does not know.
 * @param {string} code
 * @returns {Promise<{matches: import("./codes.js").Match[], problem: string}>} problem is the key of a phrase if the service finds nothing
 */
export const lookUp = async (code) => {
  try {
    /** @type {{matches: {place: number | null, order: import("./codes.js").Job}[]}} */
    const { matches } = await read(`/scan?${new URLSearchParams({ code })}`, "matches", patience);
    return { matches: matches.map(({ place, order }) => ({ job: order, place })), problem: "" };
  } catch (fault) {
    const { status } = /** @type {Fault} */ (fault);
    return { matches: [], problem: status === 404 || status === 422 ? "courier.scan.unknown" : status === 401 ? "courier.scan.signed-out" : "courier.scan.unreachable" };
  }
};
