// Acts that wait to be sent. An act is stored before it is sent, with its time and its
// idempotency key, and is sent with the same bytes until there is a response: see
// docs/couriers.md. The acts of an order are sent one at a time, oldest first; those of
// different orders do not wait for each other. This module needs no page.

import { batch, signal } from "@preact/signals-core";

/** @typedef {import("./send.js").Answer} Answer */

/**
 * @typedef {object} Act
 * @property {number} id ascends in the order of the taps
 * @property {string} owner the operator who tapped it
 * @property {string} order_id what it is an act on: an order, or a message
 * @property {string} label names the stop to the courier
 * @property {"move" | "confirm" | "transfer" | "receive" | "read" | "photo" | "signature"} kind
 * @property {string} status that the order moves to; empty for a picture
 * @property {string} at when it was tapped, by the service's clock, in ISO 8601
 * @property {string} key for Idempotency-Key
 * @property {string} path
 * @property {string} type for Content-Type
 * @property {string | Blob} body empty for a picture, until it is sent
 * @property {Question} [asked] what the service wants to know before it accepts it: it waits for the courier
 */

/** A field that the service asks for, and why. @typedef {{field: string, message: string}} Question */

/**
 * @typedef {object} Refusal
 * @property {number} id
 * @property {string} owner
 * @property {Act} act
 * @property {number} status
 * @property {string} code as the service names it, but too_old for an act of more than 48 h, and too_early for one that the phone's clock put into the future
 * @property {string} message
 * @property {any} details
 * @property {string} at when it was refused
 */

/**
 * What an outbox lives in.
 * @typedef {object} World
 * @property {Pick<import("./storage.js").Storage, "all" | "add" | "picture" | "change" | "settle" | "refuse" | "reopen" | "forget">} storage
 * @property {(act: Act, signal: AbortSignal) => Promise<Answer>} send
 * @property {(signal: AbortSignal) => Promise<{status: number, owner: string}>} [who] whose session requests have
 * @property {() => number} now by the service's clock, in milliseconds
 * @property {() => string} newKey
 * @property {(ms: number, signal: AbortSignal) => Promise<void>} pause resolves early when the signal aborts
 * @property {<T>(name: string, run: () => Promise<T>) => Promise<T>} [alone] runs a function while no other tab does
 */

/** @typedef {{status: string, failure_reason?: string, next_attempt?: string, notes?: string, collected?: import("./cash.js").Collected}} Move */
/** @typedef {{kind: "photo" | "signature", data: Blob}} Picture */
/** What a courier does besides moving an order; path is the whole of one that is not below the order's. @typedef {{kind: "confirm" | "transfer" | "receive", body: Record<string, unknown>, path?: undefined} | {kind: "read", body: Record<string, unknown>, path: string}} Deed */
/** @typedef {{order_id: string, label: string, move?: Move | null, deed?: Deed, pictures?: Picture[]}} Tap */
/** @typedef {"sent" | "later" | "signed-out" | "untimed" | "asked" | "refused"} Verdict */

/** The last parts of the paths of deeds on orders. */
const paths = { confirm: "confirm", transfer: "transfer", receive: "return/receive" };

/** Returns where a deed is sent. @param {string} orderID @param {Deed} deed */
const pathOf = (orderID, deed) => deed.kind === "read" ? deed.path : `/ops/v1/orders/${orderID}/${paths[deed.kind]}`;
/** How many acts are on the way at once. */
const atOnce = 4;
/** How long it is known whose session requests have, in milliseconds. */
const knownFor = 30000;
/** How far the time of an act may lie behind the service's clock, and ahead of it, in milliseconds. */
export const oldest = 48 * 3600000, earliest = 2 * 60000;
const firstPause = 1000, longestPause = 60000;
const timeOfPicture = "&occurred_at=";

/**
 * Reports whether the courier must sign in, or finish that, before acts are accepted. Any other 403 stays,
 * whoever signs in.
 * @param {{status: number, details?: any}} answer
 */
const mustSignIn = ({ status, details }) => status === 401 || status === 403 && details?.reason === "totp_enrolment_required";

/**
 * Returns what the service wants to know from the courier before it accepts an act, if nothing else is amiss:
 * what was collected. It is null for any other answer.
 * @param {{status: number, code: string, message: string, details: any}} answer
 * @returns {Question | null}
 */
const questionOf = ({ status, code, message, details }) => {
  /** @type {string[]} */
  const fields = (details?.errors ?? []).map((/** @type {{field: string}} */ { field }) => field), [field] = fields;
  if (status !== 422 || code !== "validation_error" || field === undefined) return null;
  return fields.every((one) => one === "collected" || one.startsWith("collected.")) ? { field, message } : null;
};

/** Returns the orders of which an act can be sent: of the others the first one waits for the courier. @param {Act[]} acts oldest first */
const sendable = (acts) => [...new Set(acts.map(({ order_id: id }) => id))].filter((id) => !acts.find((act) => act.order_id === id)?.asked);

/** Reports whether an act is a picture, which is stored beside it. @param {{kind: string}} act */
export const isPicture = ({ kind }) => kind === "photo" || kind === "signature";

/**
 * Returns what a response means for its act.
 * @param {Act} act
 * @param {Answer} answer
 * @returns {Verdict}
 */
export const verdict = (act, answer) => {
  const { status, code, details } = answer;
  if (status >= 200 && status < 300) return "sent";
  if (mustSignIn({ status, details })) return "signed-out";
  if (act.kind === "read" && (status === 404 || details?.action)) return "sent"; // the message is gone, or was confirmed before
  if (status < 400 || status === 429 || status >= 500 || code === "idempotency_in_progress") return "later";
  if (code === "conflict" && isPicture(act)) {
    if (details?.action) return "sent"; // it was carried out, and the service died before it had stored its response
    if (act.path.includes(timeOfPicture)) return "untimed";
  }
  if (questionOf(answer)) return "asked";
  return "refused";
};

/** Returns why an act is refused. @param {Act} act @param {Answer} answer @param {number} now */
const codeOf = (act, { status, code }, now) => {
  const age = now - Date.parse(act.at);
  if (status !== 422 || (age <= oldest && age >= -earliest)) return code;
  return age > 0 ? "too_old" : "too_early";
};

/** Returns how long to wait before another try, in milliseconds. @param {number} tries that had no effect */
const backoff = (tries) => Math.min(longestPause, firstPause * 2 ** (tries - 1));

/** Returns a response that the phone makes itself. @param {number} status @param {string} message @returns {Answer} */
const own = (status, message) => ({ status, code: "", message, details: undefined, retryAfter: 0 });

/** Acts of one operator that wait to be sent. */
export class Outbox {
  /** Acts that wait, oldest first. @type {import("@preact/signals-core").Signal<Act[]>} */
  waiting = signal([]);
  /** Refusals that have not been read, oldest first. @type {import("@preact/signals-core").Signal<Refusal[]>} */
  refused = signal([]);
  /** How many acts of other operators this phone keeps. */
  others = signal(0);
  /** @type {import("@preact/signals-core").Signal<"idle" | "sending" | "offline" | "signed-out">} */
  state = signal("idle");
  /** The last error of the phone's storage; null if there is none. @type {import("@preact/signals-core").Signal<unknown>} */
  fault = signal(null);
  /** Called when an act has been sent or refused, or the service asks about it. @type {(act: Act, answer: Answer) => void} */
  settled = () => {};

  #world;
  #owner = "";
  /** The orders whose acts are being sent. @type {Map<string, Promise<void>>} */
  #lanes = new Map();
  #free = atOnce;
  /** Lanes that wait for a free place. @type {(() => void)[]} */
  #queue = [];
  /** What all lanes wait for when the service was not reached. @type {Promise<void> | null} */
  #outage = null;
  #failures = 0; // to reach the service, one after the other
  #checked = -Infinity; // when the session was known to be the owner's
  #hurried = new AbortController();
  #closed = new AbortController();

  /** @param {World} world */
  constructor(world) { this.#world = world; }

  /** Reads what the phone keeps of an operator, and begins to send it. @param {string} owner */
  async open(owner) {
    this.#owner = owner;
    await this.#read();
    await this.#reopen();
    this.hurry();
  }

  /** Asks the courier about acts that an app refused which could not ask. */
  async #reopen() {
    for (const refusal of this.refused.value) {
      const asked = questionOf(refusal);
      if (asked) await this.#world.storage.reopen(refusal.id, { ...refusal.act, asked });
    }
    await this.#read();
  }

  /** Ends sending. It resolves when no request is on the way. */
  async close() {
    this.#closed.abort();
    this.#hurried.abort();
    await Promise.all(this.#lanes.values());
  }

  /**
   * Records what the courier has done at a stop: pictures first, then the move or deed. It
   * resolves when all of it is stored, and throws if the phone cannot store it; then nothing is.
   * @param {Tap} tap
   */
  async record({ order_id: orderID, label, move = null, deed, pictures = [] }) {
    const tapped = this.#world.now();
    const files = await Promise.all(pictures.map(async ({ kind, data }) => ({ kind, type: data.type || "image/jpeg", data: await data.arrayBuffer() })));
    await this.#world.storage.add(this.#owner, orderID, (last) => {
      let time = Math.max(tapped, last + 1);
      const common = { owner: this.#owner, order_id: orderID, label };
      /** @type {{act: Omit<Act, "id">, picture?: {data: ArrayBuffer, type: string}}[]} */
      const made = files.map(({ kind, type, data }) => ({ act: this.#pictureAct(common, kind, type, time++), picture: { data, type } }));
      if (move) made.push({ act: this.#jsonAct(common, { kind: "move", status: move.status, path: `/ops/v1/orders/${orderID}/status`, body: move }, time++) });
      if (deed) made.push({ act: this.#jsonAct(common, { kind: deed.kind, status: "", path: pathOf(orderID, deed), body: deed.body }, time++) });
      return made;
    });
    await this.#read();
    this.#wake();
  }

  /**
   * Answers what the service has asked about a delivery. It is sent with the time of its tap, as another request:
   * the first one had no effect, and a key belongs to one request. Nothing changes if it was answered before, as in
   * another tab. It throws if the phone cannot store the answer.
   * @param {number} id
   * @param {import("./cash.js").Collected} collected
   */
  async answer(id, collected) {
    const key = this.#world.newKey();
    await this.#world.storage.change(id, ({ asked, ...act }) => asked ? { ...act, key, body: JSON.stringify({ ...JSON.parse(String(act.body)), collected }) } : act);
    await this.#read();
    this.#wake();
  }

  /** Tries immediately: the app has been started or become visible, or is online again. */
  hurry() {
    this.#checked = -Infinity;
    if (this.state.value === "signed-out") this.state.value = "idle";
    this.#wake(); // now, so that a late 401 is known to be late
    this.#read().then(() => this.#start(), (error) => { this.fault.value = error; });
  }

  /** Ends all pauses but those that the service has asked for, and begins to send. */
  #wake() {
    this.#failures = 0;
    this.#hurried.abort();
    this.#hurried = new AbortController();
    this.#start();
  }

  /** Removes a refusal, which the courier has read. @param {number} id */
  async read(id) {
    await this.#world.storage.forget(id);
    this.refused.value = this.refused.value.filter((one) => one.id !== id);
  }

  /**
   * @param {{owner: string, order_id: string, label: string}} common
   * @param {{kind: "move" | Deed["kind"], status: string, path: string, body: object}} what
   * @param {number} time
   */
  #jsonAct(common, { kind, status, path, body }, time) {
    const at = new Date(time).toISOString();
    return {
      ...common, kind, status, at, key: this.#world.newKey(), path,
      type: "application/json", body: JSON.stringify({ ...body, occurred_at: at }),
    };
  }

  /** @param {{owner: string, order_id: string, label: string}} common @param {"photo" | "signature"} kind @param {string} type @param {number} time */
  #pictureAct(common, kind, type, time) {
    const at = new Date(time).toISOString();
    return {
      ...common, kind, status: "", at, key: this.#world.newKey(), path: `/ops/v1/orders/${common.order_id}/proofs?kind=${kind}${timeOfPicture}${at}`, type, body: "",
    };
  }

  /** Reads what the phone keeps: another tab may have recorded or sent acts. */
  async #read() {
    const { acts, refusals, others } = await this.#world.storage.all(this.#owner);
    batch(() => {
      [this.waiting.value, this.refused.value, this.others.value] = [acts, refusals, others];
      if (sendable(acts).length) return;
      this.fault.value = null; // nothing waits for what has failed
      if (this.state.value !== "signed-out") this.state.value = "idle";
    });
  }

  /** Begins to send the acts of every order that waits. */
  #start() {
    if (this.#closed.signal.aborted || this.state.value === "signed-out") return;
    for (const orderID of sendable(this.waiting.value)) {
      if (this.state.value === "idle") this.state.value = "sending";
      if (!this.#lanes.has(orderID)) this.#lanes.set(orderID, this.#lane(orderID));
    }
  }

  /** Sends the acts of an order, and those that are recorded while it ends. @param {string} orderID */
  async #lane(orderID) {
    try {
      await this.#drain(orderID);
      this.#lanes.delete(orderID);
      this.#start();
    } catch (error) { // of the browser's locks
      this.#lanes.delete(orderID);
      this.fault.value = error;
    }
  }

  /** Sends the acts of an order until none is left, or the courier must sign in or answer a question. @param {string} orderID */
  async #drain(orderID) {
    for (let tries = 0; !this.#closed.signal.aborted;) {
      await this.#outage;
      const next = await this.#alone(orderID, () => this.#sendFirst(orderID));
      if (next === "end") return;
      tries = next === "next" ? 0 : tries + 1;
      if (next !== "next") await this.#rest(tries, next);
    }
  }

  /** @template T @param {string} orderID @param {() => Promise<T>} run @returns {Promise<T>} */
  #alone(orderID, run) {
    return this.#world.alone ? this.#world.alone(`dropyard-outbox ${orderID}`, run) : run();
  }

  /** Waits before another try of an order: what the service asks for, or ever longer. @param {number} tries @param {Answer} answer */
  async #rest(tries, { status, retryAfter }) {
    if (status !== 0 && status !== 429) return this.#pause(tries, retryAfter);
    this.#outage ??= this.#pause(++this.#failures, retryAfter).finally(() => { this.#outage = null; });
    return this.#outage;
  }

  /** @param {number} tries @param {number} retryAfter in milliseconds; 0 for none, and then hurry ends the pause */
  #pause(tries, retryAfter) {
    return this.#world.pause(retryAfter || backoff(tries), retryAfter ? this.#closed.signal : this.#hurried.signal);
  }

  /**
   * Sends the oldest act of an order. It returns "next" if the act has been settled, "end"
   * if there is none to be sent, and otherwise the response after which it is sent again.
   * @param {string} orderID
   * @returns {Promise<"next" | "end" | Answer>}
   */
  async #sendFirst(orderID) {
    try {
      await this.#read();
      const act = this.waiting.value.find((one) => one.order_id === orderID);
      const answer = act && !act.asked && await this.#place(() => this.#try(act));
      const next = act && answer ? await this.#heed(act, answer) : "end";
      this.fault.value = null;
      return next;
    } catch (error) { // of the storage: it may work again
      this.fault.value = error;
      return own(500, String(error));
    }
  }

  /** Runs a function when fewer than atOnce others run. @template T @param {() => Promise<T>} run @returns {Promise<T>} */
  async #place(run) {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => { this.#queue.push(/** @type {() => void} */ (resolve)); });
    try {
      return await run();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /**
   * Sends an act, if the session is the owner's. It returns null when nothing may be sent.
   * @param {Act} act
   * @returns {Promise<Answer | null>}
   */
  async #try(act) {
    const { send, storage } = this.#world, { signal: closed } = this.#closed;
    if (closed.aborted || this.state.value === "signed-out") return null;
    const hurried = this.#hurried, session = await this.#session();
    let answer = session === 200 ? await send(isPicture(act) ? { ...act, body: await storage.picture(act.id) } : act, closed) : own(session, "session");
    if (answer.status === 401 && hurried !== this.#hurried) answer = own(503, "session"); // the courier may have signed in meanwhile
    if (answer.status !== 0 && answer.status !== 429) this.#failures = 0;
    this.state.value = mustSignIn(answer) ? "signed-out" : answer.status === 0 ? "offline" : "sending";
    return answer;
  }

  /** Returns 200 if the session is the owner's, 401 if it is not, and otherwise the status of a response after which to ask again. */
  async #session() {
    const { who, now } = this.#world;
    if (!who || Math.abs(now() - this.#checked) <= knownFor) return 200;
    const { status, owner } = await who(this.#closed.signal);
    if (status === 401 || (status === 200 && owner !== this.#owner)) return 401;
    if (status !== 200) return status === 429 || status >= 500 ? status : 0;
    this.#checked = now();
    return 200;
  }

  /** Does what a response asks for. @param {Act} act @param {Answer} answer @returns {Promise<"next" | "end" | Answer>} */
  async #heed(act, answer) {
    const { storage, newKey } = this.#world, means = verdict(act, answer);
    if (means === "signed-out") return "end";
    if (means === "later") return answer;
    if (means === "untimed") {
      // The first request had no effect, and a key belongs to one request.
      const key = newKey();
      await storage.change(act.id, (one) => ({ ...one, key, path: act.path.slice(0, act.path.indexOf(timeOfPicture)) }));
      return "next";
    }
    const asked = means === "asked" && questionOf(answer);
    if (means === "sent") await storage.settle(act.id);
    else if (asked) await storage.change(act.id, (one) => ({ ...one, asked }));
    else await storage.refuse(act.id, this.#refusal(act, answer));
    await this.#read();
    this.settled(act, answer);
    return "next";
  }

  /** @param {Act} act @param {Answer} answer */
  #refusal(act, answer) {
    const { owner } = act, { status, message, details } = answer, now = this.#world.now();
    return { owner, act, status, code: codeOf(act, answer, now), message, details, at: new Date(now).toISOString() };
  }
}
