// Today's stops: read from the service, kept for the next start, and shown with what the
// courier has tapped since. Nothing here touches the page.

import { computed, effect, signal, untracked } from "@preact/signals-core";
import { plain } from "dropyard/plain.js";
import { carried, noCash } from "./cash.js";

/** @typedef {{line1: string, line2?: string, city: string, province: string, postal_code: string, country: string, notes?: string}} Address */
/** @typedef {{kind: "pickup" | "dropoff", name: string, phone: string, address: Address, area: string, time_window: {start: string, end: string}, deadline: string}} Stop */
/** @typedef {{parcel_id: string, barcode?: string, label: string, description: string, weight_kg: number, fragile: boolean}} Parcel */

/** A field that was edited: what the courier has seen, and what it is now, as requests have them. @typedef {{field: string, was?: any, now: any}} ChangedField */
/** What was edited since the courier last knew an order. @typedef {{version: number, at: string, by: string, fields: ChangedField[]}} Changes */

/**
 * What the courier has to do for an order (Job in api/ops.yaml).
 * @typedef {object} Job
 * @property {string} order_id
 * @property {string} partner_name
 * @property {string} partner_order_id
 * @property {string} status
 * @property {number} version
 * @property {Stop} stop the next one
 * @property {Stop} [dropoff] where the order goes, if stop is its pickup and this is known
 * @property {string} [instructions]
 * @property {Parcel[]} parcels
 * @property {{amount_cents: number, currency: string} | null} cod
 * @property {number} failures
 * @property {string | null} next_attempt
 * @property {string[]} actions the statuses that the courier may move it to
 * @property {string} [return_of] the order whose goods this one brings back
 * @property {Changes} [changes] what the courier has to confirm
 */

/** A job as the courier sees it: with what is still to be sent, and whether the parcels were handed over. @typedef {Job & {waiting: number, handed?: boolean}} Shown */
/** Where parcels are brought back, and what they are (BroughtBack in api/ops.yaml). @typedef {{order_id: string, partner_name: string, partner_order_id: string, version: number, to: "warehouse" | "sender", location?: string, place: {name: string, phone: string, address: Address} | null, parcels: Parcel[], due_at: string}} BroughtBack */
/** The same as a stop; its name is empty if neither an address nor a code is known. @typedef {BroughtBack & {stop: {kind: "return", name: string, phone: string, address: Address}}} Brought */
/** Another courier. @typedef {{courier_id: string, name: string}} Colleague */
/** An act of the outbox, as far as it matters here. @typedef {{id: number, order_id: string, label: string, kind: string, status?: string, at: string, body: unknown}} Act */
/** A delivery of today. @typedef {{order_id: string, number: string, at: number, waiting: boolean}} Done */
/** Why the round could not be read. @typedef {{status: number, code: string, requestID: string}} Fault */
/** A message from the desk that is not confirmed. @typedef {{message_id: string, text: string, at: string}} Message */
/** A round as the service has it; without cash if that could not be read. @typedef {{courier_id?: string, colleagues?: Colleague[], messages?: Message[], dispatch_phone?: string, returns?: BroughtBack[], cash?: import("./cash.js").Carried, jobs: Job[], more: boolean, delivered: {since: string, count: number, latest: {order_id: string, partner_order_id?: string, delivered_at: string}[]}}} Answer */

/** The moves of couriers, as the service permits them; the usual one first. @type {Record<string, string[]>} */
export const moves = {
  courier_assigned: ["picked_up", "failed"],
  picked_up: ["in_transit", "out_for_delivery", "failed"],
  in_transit: ["out_for_delivery", "failed"],
  out_for_delivery: ["delivered", "failed"],
  failed: ["in_transit", "out_for_delivery"],
};

/** Returns the time of the next attempt that a body of an act names. @param {unknown} body @returns {string | null} */
const nextAttempt = (body) => typeof body === "string" ? JSON.parse(body).next_attempt ?? null : null;

/**
 * Returns a job after a move. A move that is not possible from its status changes nothing:
 * the service has carried it out already, or will refuse it.
 * @param {Shown} job
 * @param {Act} act
 * @returns {Shown}
 */
const moved = (job, act) => {
  const status = act.status ?? "";
  if (!job.actions.includes(status)) return job;
  const failed = status === "failed";
  return {
    ...job, status, actions: moves[status] ?? [],
    stop: failed || !job.dropoff ? job.stop : job.dropoff,
    failures: job.failures + (failed ? 1 : 0), next_attempt: failed ? nextAttempt(act.body) : null,
  };
};

/** Returns a job after its changes have been seen: later ones are still to be. @param {Shown} job @param {Act} act @returns {Shown} */
const confirmed = (job, act) => (job.changes?.version ?? Infinity) <= JSON.parse(String(act.body)).version ? { ...job, changes: undefined } : job;

/** What an act does to its job, by its kind; pictures do nothing. @type {Record<string, (job: Shown, act: Act) => Shown>} */
const effects = { move: moved, confirm: confirmed, transfer: (job) => ({ ...job, handed: true }), receive: (job) => job, read: (job) => job };

/** The acts after which a courier no longer has the parcels of an order. */
const givesAway = new Set(["transfer", "receive"]);

/**
 * Returns what is left to be brought back after acts that the service's answer may not have yet.
 * @param {BroughtBack[]} returns
 * @param {Act[]} acts
 * @returns {Brought[]}
 */
export const broughtBack = (returns, acts) => {
  const given = new Set(acts.filter(({ kind }) => givesAway.has(kind)).map(({ order_id: id }) => id));
  return returns.filter(({ order_id: id }) => !given.has(id)).map((one) => {
    const { name, phone, address } = one.place ?? { name: one.location ?? "", phone: "", address: { line1: "", city: "", province: "", postal_code: "", country: "" } };
    return { ...one, stop: { kind: "return", name, phone, address } };
  });
};

/** Returns the messages that are left to be read after acts that the service's answer may not have yet. @param {Message[]} messages @param {Act[]} acts */
export const unread = (messages, acts) => messages.filter(({ message_id: id }) => !acts.some((act) => act.kind === "read" && act.order_id === id));

/** Returns what is brought back to each place, in the order of the first. @param {Brought[]} returns @returns {Brought[][]} */
export const places = (returns) => {
  /** @type {Map<string, Brought[]>} */
  const all = new Map();
  for (const one of returns) {
    const { stop: { name, address: { line1, city, postal_code: code } } } = one, place = plain([one.to, one.location ?? "", name, line1, city, code].join("\n"));
    all.set(place, [...all.get(place) ?? [], one]);
  }
  return [...all.values()];
};

/**
 * Returns the jobs as they are after acts that the service's answer may not have yet. Those
 * that have failed on the way go to the end.
 * @param {Job[]} jobs
 * @param {Act[]} waiting to be sent, oldest first
 * @param {Act[]} [sent] before them
 * @returns {{open: Shown[], done: Done[]}}
 */
export const overlay = (jobs, waiting, sent = []) => {
  const ids = new Set(waiting.map(({ id }) => id)), acts = [...sent.filter(({ id }) => !ids.has(id)), ...waiting];
  /** @type {Done[]} */
  const done = [];
  /** @type {Shown[]} */
  const open = [];
  /** @type {Shown[]} */
  const failed = [];
  for (const job of jobs) {
    const own = acts.filter((act) => act.order_id === job.order_id), left = own.filter(({ id }) => ids.has(id)).length;
    const shown = own.reduce((before, act) => effects[act.kind]?.(before, act) ?? before, /** @type {Shown} */ ({ ...job, waiting: left }));
    if (shown.status === "delivered") done.push({ order_id: job.order_id, number: job.partner_order_id, at: Date.parse(own.findLast((act) => act.status === "delivered")?.at ?? ""), waiting: left > 0 });
    else if (!shown.handed) (shown.status === "failed" && job.status !== "failed" ? failed : open).push(shown);
  }
  return { open: [...open, ...failed], done };
};

/** Reports whether there is nothing to do for a job before its next attempt. @param {Job} job @param {number} now */
const rests = (job, now) => job.status === "failed" && (job.next_attempt === null || Date.parse(job.next_attempt) > now);

/** Returns the id of the stop that comes next; empty if there is none. @param {Job[]} jobs @param {number} now */
export const nextOf = (jobs, now) => (jobs.find((job) => !rests(job, now)) ?? jobs[0])?.order_id ?? "";

/** Returns what names the place of a pickup that is still to be done; empty for other stops. @param {Job} job */
const pickupAt = ({ stop: { kind, address: { line1, line2 = "", city, postal_code: code = "" } }, actions }) =>
  kind === "pickup" && actions.includes("picked_up") ? plain([line1, line2, city, code.replace(/ /g, "")].join("\n")) : "";

/**
 * Returns the jobs of each card, in sequence: what is picked up at one address is one card, at
 * the place of the first of them.
 * @template {Job} J
 * @param {J[]} jobs
 * @returns {J[][]}
 */
export const cards = (jobs) => {
  /** @type {J[][]} */
  const all = [];
  /** @type {Map<string, J[]>} */
  const pickups = new Map();
  for (const job of jobs) {
    const place = pickupAt(job), card = pickups.get(place);
    if (card) card.push(job);
    else {
      const next = [job];
      if (place) pickups.set(place, next);
      all.push(next);
    }
  }
  return all;
};

/** Returns the jobs whose parcels are with the courier and not yet out for delivery, but those with changes to be seen first. @template {Job} J @param {J[]} jobs @returns {J[]} */
export const loaded = (jobs) => jobs.filter(({ status, actions, changes }) => status !== "failed" && actions.includes("out_for_delivery") && !changes);

/** What a phone keeps of a round. @typedef {Answer & {readAt: number, sent: Act[], names: Record<string, string>}} Kept */

/** @type {Kept} */
const nothing = { jobs: [], more: false, delivered: { since: "", count: 0, latest: [] }, readAt: 0, sent: [], names: {} };

/** How many names are kept: a day's stops. */
const mostNames = 400;

/**
 * Where a round comes from and goes to. Read throws a Fault; keep may fail, as storage may
 * be full.
 * @typedef {object} World
 * @property {(since: string) => Promise<Answer>} read
 * @property {(id: string) => Promise<Stop | undefined>} dropoff reads where an order goes
 * @property {(value: Kept) => Promise<unknown>} keep
 * @property {() => Promise<Kept | undefined>} kept
 * @property {() => number} now
 * @property {import("@preact/signals-core").ReadonlySignal<Act[]>} waiting
 */

/** The stops of a courier. */
export class Round {
  /** What was read last, and what has been sent since. @type {import("@preact/signals-core").Signal<Kept>} */
  #kept = signal(nothing);
  /** The acts that were sent since the reading that is under way began. @type {Act[]} */
  #since = [];
  #reading = false;
  #again = false;
  #closed = false;

  /** @param {World} world */
  constructor(world) {
    this.world = world;
    /** Why the last reading failed; null if it did not. @type {import("@preact/signals-core").Signal<Fault | null>} */
    this.fault = signal(null);
    const shown = computed(() => overlay(this.#kept.value.jobs, world.waiting.value, this.#kept.value.sent));
    /** The stops that are left, in sequence. */
    this.jobs = computed(() => shown.value.open);
    /** The parcels that are to be brought back. */
    this.returns = computed(() => broughtBack(this.#kept.value.returns ?? [], [...this.#kept.value.sent, ...world.waiting.value]));
    /** The messages from the desk that are not read, the oldest first. */
    this.messages = computed(() => unread(this.#kept.value.messages ?? [], [...this.#kept.value.sent, ...world.waiting.value]));
    /** The cash that the courier carries. */
    this.cash = computed(() => this.#cash(world.waiting.value));
    /** The number of the desk; empty if it has none. */
    this.phone = computed(() => this.#kept.value.dispatch_phone ?? "");
    /** The deliveries of today, the newest first. @type {import("@preact/signals-core").ReadonlySignal<Done[]>} */
    this.done = computed(() => {
      const { latest } = this.#kept.value.delivered, known = new Set(latest.map(({ order_id }) => order_id));
      const own = shown.value.done.filter(({ order_id }) => !known.has(order_id));
      return [...own, ...latest.map(({ order_id, partner_order_id: number = "", delivered_at }) => ({ order_id, number, at: Date.parse(delivered_at), waiting: false }))].sort((a, b) => b.at - a.at);
    });
    /** How many deliveries that are; more than the list has if there are many. */
    this.delivered = computed(() => this.#kept.value.delivered.count + this.done.value.length - this.#kept.value.delivered.latest.length);
    /** When the stops were read; 0 if they never were. */
    this.readAt = computed(() => this.#kept.value.readAt);
    /** There are more stops than these. */
    this.more = computed(() => this.#kept.value.more);
    /** The other couriers. */
    this.colleagues = computed(() => this.#kept.value.colleagues ?? []);
    /** The names of today's stops, by the ids of orders. */
    this.names = computed(() => this.#kept.value.names);
    /** @type {import("@preact/signals-core").ReadonlySignal<"loading" | "ready" | "error">} */
    this.state = computed(() => this.readAt.value ? "ready" : this.fault.value ? "error" : "loading");
    /** @type {Act[]} */
    let before = [];
    effect(() => {
      const ids = new Set(world.waiting.value.map(({ id }) => id)), gone = before.filter(({ id, kind }) => effects[kind] && !ids.has(id));
      before = world.waiting.value;
      if (gone.length) untracked(() => this.#left(gone));
    });
  }

  /** Shows the stops that the phone has kept. */
  async open() {
    const kept = await this.world.kept();
    if (!kept || this.readAt.value) return;
    const today = Date.parse(kept.delivered.since) >= Date.parse(this.#today());
    this.#kept.value = { ...nothing, ...kept, delivered: today ? kept.delivered : nothing.delivered };
  }

  /** Keeps nothing from now on: a reading that is under way may end after the courier has signed out. */
  close() {
    this.#closed = true;
  }

  /** Returns the amount to collect of an order: null for nothing, undefined if the order is not among the stops. @param {string} id */
  due(id) {
    return this.#kept.value.jobs.find(({ order_id }) => order_id === id)?.cod;
  }

  /** Returns the cash of the last reading, with that of deliveries which have been sent since, and of some that wait. @param {Act[]} waiting */
  #cash(waiting) {
    const { cash = noCash, sent, jobs } = this.#kept.value;
    return carried(cash, [...sent, ...waiting], jobs);
  }

  /** Returns the beginning of the reader's day. */
  #today() {
    return new Date(new Date(this.world.now()).setHours(0, 0, 0, 0)).toISOString();
  }

  /** Reads the stops. While that lasts, further calls lead to one more reading. */
  async refresh() {
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    try {
      do {
        this.#again = false;
        this.#since = [];
        await this.#read();
      } while (this.#again);
    } finally {
      this.#reading = false;
    }
  }

  async #read() {
    try {
      const answer = await this.world.read(this.#today());
      const jobs = await this.#withDropoffs(answer.jobs);
      const names = { ...this.names.value, ...Object.fromEntries(answer.jobs.map((job) => [job.order_id, job.stop.name])) };
      for (const job of jobs) if (job.dropoff) names[job.order_id] = job.dropoff.name;
      // Acts that were sent while the service read the stops may be missing in them.
      const cash = answer.cash ?? this.#cash([]); // whose deliveries may be among the stops no longer
      this.#put({ ...answer, jobs, cash, readAt: this.world.now(), sent: this.#since, names: Object.fromEntries(Object.entries(names).slice(-mostNames)) });
      this.fault.value = null;
    } catch (error) {
      if (typeof /** @type {any} */ (error)?.code !== "string") throw error;
      this.fault.value = /** @type {Fault} */ (error);
    }
  }

  /**
   * Adds where the orders go that are still to be picked up, so that it is known when the
   * connection is lost in between. It is read again when the order has changed.
   * @param {Job[]} jobs
   */
  async #withDropoffs(jobs) {
    const known = new Map(this.#kept.value.jobs.map((job) => [job.order_id, job]));
    return Promise.all(jobs.map(async (job) => {
      if (job.stop.kind === "dropoff") return job;
      const before = known.get(job.order_id), same = before?.dropoff && before.version === job.version;
      return { ...job, dropoff: same ? before.dropoff : await this.world.dropoff(job.order_id) ?? before?.dropoff };
    }));
  }

  /**
   * Notes acts that have left the outbox, and reads the stops again. They are shown until the
   * service's stops have them.
   * @param {Act[]} acts
   */
  #left(acts) {
    this.#since.push(...acts);
    this.#put({ ...this.#kept.value, sent: [...this.#kept.value.sent, ...acts] });
    this.refresh();
  }

  /** Notes that an act has been refused: it is shown no longer. @param {Act} act */
  refused({ id }) {
    this.#since = this.#since.filter((one) => one.id !== id);
    this.#put({ ...this.#kept.value, sent: this.#kept.value.sent.filter((one) => one.id !== id) });
    return this.refresh();
  }

  /** @param {Kept} value */
  #put(value) {
    if (this.#closed) return;
    this.#kept.value = value;
    this.world.keep(value).catch(() => {}); // the next start shows an older round, or none
  }
}
