// Requests of /ops/v1 by the outbox, with the session's cookie, and the phone that an
// outbox lives in.

import { correct, now } from "dropyard/clock.js";

/**
 * @typedef {object} Answer
 * @property {number} status of the response; 0 if none of this service came
 * @property {string} code of the error; empty if there is none
 * @property {string} message of the error, in English
 * @property {any} details of the error
 * @property {number} retryAfter in milliseconds; 0 if the response does not say
 */

/** Longer than a picture of 5 MiB takes on a slow connection. */
const timeout = 90000;

/** @type {Answer} */
const none = { status: 0, code: "unreachable", message: "", details: undefined, retryAfter: 0 };

/** The longest that the service can make an act wait, in milliseconds. */
const longestWait = 5 * 60000;

/** Reports whether a response is the service's: all of these have an id. @param {Response} response */
const isOurs = (response) => response.headers.has("X-Request-Id");

/** @param {Response} response @returns {Promise<Answer>} */
const read = async (response) => {
  /** @type {any} */
  let body;
  try {
    body = await response.json();
  } catch { /* not from this service, or cut off */ }
  const error = body?.error;
  const { status } = response;
  // A proxy or the sign-in page of a network may answer, too. What they refuse is not
  // refused by the service; but a picture too large for a proxy stays too large.
  if (status !== 413 && (!isOurs(response) || (response.ok ? body === undefined : !error?.code))) return none;
  return {
    status, code: error?.code ?? "", message: error?.message ?? "", details: error?.details,
    retryAfter: Math.min(longestWait, 1000 * (Number(response.headers.get("Retry-After")) || 0)),
  };
};

/** Keeps how far the phone's clock is off. @type {(offset: number) => void} */
let keepOffset = () => {};

/** Sets the clock by the Date of a response. @param {Response} response */
const setClock = (response) => {
  const date = isOurs(response) ? Date.parse(response.headers.get("Date") ?? "") : NaN;
  if (!date) return;
  correct(date);
  keepOffset(now() - Date.now());
};

/**
 * Requests a path, and sets the clock by the response.
 * @param {string} path
 * @param {RequestInit} init
 * @param {number} ms how long the response may take
 * @param {AbortSignal} [signal]
 */
export const request = async (path, init, ms, signal) => {
  const ends = AbortSignal.timeout(ms);
  const response = await fetch(path, { ...init, cache: "no-store", redirect: "error", signal: signal ? AbortSignal.any([signal, ends]) : ends });
  setClock(response);
  return response;
};

/**
 * Sends an act. It never throws: status 0 means that there was no response.
 * @param {import("./outbox.js").Act} act with its body
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export const send = async ({ path, key, type, body, owner }, signal) => {
  try {
    // With the session of another operator, who may sign in at any time, the service refuses it and changes nothing.
    const headers = { Accept: "application/json", "Content-Type": type, "Idempotency-Key": key, "Dropyard-Operator": owner };
    return await read(await request(path, { method: "POST", headers, body }, timeout, signal));
  } catch (error) {
    return { ...none, message: String(error) };
  }
};

/**
 * Asks whose session this browser has.
 * @param {AbortSignal} [signal]
 * @returns {Promise<{status: number, owner: string}>} an operator's id; status 0 means that there was no response
 */
export const who = async (signal) => {
  try {
    const response = await request("/ops/v1/me", { headers: { Accept: "application/json" } }, timeout, signal);
    const { operator_id: owner = "", error } = await response.json();
    return { status: owner || error ? response.status : 0, owner };
  } catch {
    return { status: 0, owner: "" };
  }
};

/** Resolves after a time, or when the signal aborts. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
const pause = (ms, signal) => new Promise((resolve) => {
  if (signal.aborted) return resolve();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});

/**
 * Runs a function while no other tab does, where the browser has locks.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 */
const alone = (name, run) => navigator.locks ? /** @type {Promise<T>} */ (navigator.locks.request(name, run)) : run();

/**
 * Returns the phone as an outbox's world. The clock goes on as it was last set by the
 * service, also when the app starts without a connection.
 * @param {import("./storage.js").Storage} storage
 * @param {number} [offset] of the service's clock from the phone's in milliseconds, if the document had the time: it is newer than what the phone keeps
 * @returns {Promise<import("./outbox.js").World>}
 */
export const phone = async (storage, offset) => {
  let kept = await storage.kept("", "clock") ?? 0;
  keepOffset = (next) => {
    if (Math.abs(next - kept) < 500) return;
    kept = next;
    storage.keep("", "clock", next).catch(() => {}); // the next response sets the clock again
  };
  if (offset !== undefined || kept) correct(Date.now() + (offset ?? kept));
  if (offset !== undefined) keepOffset(now() - Date.now());
  return { storage, send, who, now, newKey: () => crypto.randomUUID(), pause, alone };
};

/** Asks the browser not to clear the storage when the disk is full. It reports whether it agrees. */
export const persist = async () => await navigator.storage?.persist?.() ?? false;
