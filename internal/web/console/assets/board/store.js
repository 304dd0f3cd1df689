// The open orders, kept up to date by the change feed.

import { signal } from "@preact/signals-core";
import { Refused, call as callServer } from "./api.js";
import { now as serverNow } from "dropyard/clock.js";
import { byDue, merge, rowOf } from "./rows.js";
import { parts } from "./snapshot.js";

/** @typedef {import("./rows.js").Row} Row */
/** @typedef {import("./rows.js").RawRow} RawRow */
/** @typedef {import("./rows.js").Status} Status */

/**
 * How the board stands: loading the first snapshot, of which a part may be shown; live; paused, because the page has been
 * hidden for long; reconnecting, with the rows as they were; or error, without rows.
 * @typedef {object} State
 * @property {"loading" | "live" | "paused" | "reconnecting" | "error"} kind
 * @property {Refused} [refused] why it is reconnecting or failed
 */

/** @typedef {{changed: RawRow[], gone: string[], after: string}} Changes */

/**
 * @typedef {object} World what a store needs
 * @property {typeof callServer} call
 * @property {() => number} now
 * @property {(ms: number, signal: AbortSignal) => Promise<void>} pause waits, or until the signal is aborted
 * @property {() => Promise<void>} rest lets the page do what else it has to do
 */

const waitSeconds = 20;
/** How long to wait before trying again: after the first failure, the second, and so on. */
const pauses = [500, 1000, 2000, 4000, 8000, 15000];
/** For how long the page does nothing else while it reads a snapshot. */
const sliceMs = 20;
/** For how long a hidden page follows the board. */
const hiddenMs = 5 * 60000;

/** The rows and the feed that keeps them up to date. */
export class Store {
  /** All open orders by id. It is changed in place: read version to be shown it again. @type {Map<string, Row>} */
  rows = new Map();
  /** All open orders in the order in which they are due. @type {Row[]} */
  ordered = [];
  /** Grows by one whenever rows have changed. */
  version = signal(0);
  /** @type {import("@preact/signals-core").Signal<State>} */
  state = signal({ kind: "loading" });
  /** @type {World} */
  #world;
  /** The position in the feed; empty before the first snapshot. */
  #after = "";
  /** Whether a whole snapshot has been read. */
  #whole = false;
  /** @type {AbortController | null} */
  #running = null;
  /** Ends the pause between two tries. */
  #hurry = () => {};

  /** @param {World} world */
  constructor(world) { this.#world = world; }

  /** Shows rows until the first snapshot has been read: those that are due first. @param {RawRow[]} first */
  begin(first) {
    if (first.length) this.#show(new Map(first.map((raw) => [raw.order_id, rowOf(raw)])));
  }

  /**
   * Replaces all rows. If there are none, those of the snapshot are shown as soon as there
   * are some; otherwise they take the place of the rows before them when they are whole.
   * @param {AsyncIterable<import("./snapshot.js").Part>} snapshot
   */
  async replace(snapshot) {
    const before = this.rows, at = this.#world.now(), compares = this.#whole;
    /** @type {Map<string, Row>} */
    const rows = new Map();
    let after = "", rested = at;
    for await (const part of snapshot) {
      for (const raw of part.orders) {
        const old = before.get(raw.order_id);
        rows.set(raw.order_id, rowOf(raw, compares && (!old || old.version < raw.version) ? at : old?.changedAt));
      }
      after = part.after ?? after;
      if (after) continue; // it was the last part
      if (!before.size && this.rows !== rows && rows.size) this.#show(rows);
      else if (this.#world.now() - rested < sliceMs) continue;
      await this.#world.rest();
      rested = this.#world.now();
    }
    this.#after = after;
    this.#whole = true;
    this.#show(rows);
  }

  /** @param {Map<string, Row>} rows */
  #show(rows) {
    this.rows = rows;
    this.ordered = [...rows.values()].sort(byDue);
    this.version.value++;
  }

  /**
   * Applies changes. After a change of nodes a row may come in a lower version than
   * before; the newer one follows, so such rows are left out.
   * @param {Changes} changes
   */
  apply({ changed, gone, after }) {
    const at = this.#world.now();
    const fresh = changed.filter((raw) => (this.rows.get(raw.order_id)?.version ?? 0) < raw.version).map((raw) => rowOf(raw, at));
    const removed = gone.filter((id) => this.rows.delete(id));
    this.#after = after;
    if (!fresh.length && !removed.length) return;
    for (const row of fresh) this.rows.set(row.order_id, row);
    this.ordered = merge(this.ordered, fresh, new Set([...removed, ...fresh.map((row) => row.order_id)]));
    this.version.value++;
  }

  /** Follows the board until stop. */
  start() {
    if (this.#running) return;
    this.#running = new AbortController();
    this.#follow(this.#running.signal);
  }

  /** Stops to follow the board; start goes on where it stopped. */
  stop() {
    this.#running?.abort();
    this.#running = null;
  }

  /** Tries again immediately. */
  retry() { this.#hurry(); }

  /** @param {AbortSignal} signal */
  async #follow(signal) {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#read(signal);
        failures = 0;
        if (this.state.value.kind !== "live") this.state.value = { kind: "live" };
      } catch (error) {
        if (signal.aborted) return;
        const refused = error instanceof Refused ? error : new Refused(0, "internal", String(error));
        if (refused.status === 401) return;
        const gone = refused.status === 410;
        if (gone) this.#after = "";
        if (!gone || failures > 0) await this.#fail(refused, failures, signal);
        failures++;
      }
    }
  }

  /** Reads the next changes, or a snapshot to begin with. @param {AbortSignal} signal */
  async #read(signal) {
    const { call } = this.#world;
    if (!this.#after) return this.replace(parts(await call("GET", "/orders/snapshot", { signal, timeout: 60000, streamed: true })));
    // While it reconnects the first answer comes immediately, and shows that the server is back.
    const wait = this.state.value.kind === "live" ? waitSeconds : 0;
    const query = new URLSearchParams({ after: this.#after, wait: String(wait) });
    this.apply(await call("GET", `/orders/changes?${query}`, { signal, timeout: (wait + 15) * 1000 }));
  }

  /**
   * Says what went wrong, and waits.
   * @param {Refused} refused
   * @param {number} failures how often it has failed before
   * @param {AbortSignal} signal
   */
  async #fail(refused, failures, signal) {
    if (!this.#whole || failures > 0 || this.state.value.kind !== "live") {
      this.state.value = { kind: this.#whole ? "reconnecting" : "error", refused };
    }
    const pause = new AbortController();
    this.#hurry = () => pause.abort();
    const ms = Math.max(pauses[Math.min(failures, pauses.length - 1)] ?? 0, (refused.details?.retry_after_seconds ?? 0) * 1000);
    await this.#world.pause(ms, AbortSignal.any([signal, pause.signal]));
    this.#hurry = () => {};
  }
}

/** @type {World["pause"]} */
const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms * (0.75 + Math.random() / 2)); // not all desks at the same moment
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); });
});

/** @type {World["rest"]} */
const rest = () => new Promise((resolve) => setTimeout(resolve));

/** The board of this page. */
export const store = new Store({ call: callServer, now: serverNow, pause, rest });

/**
 * Follows the board while the page is looked at. A page that is hidden for long stops,
 * and goes on when it is looked at again.
 * @param {Store} followed
 */
export const follow = (followed) => {
  let timer = 0;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => { followed.stop(); followed.state.value = { kind: "paused" }; }, hiddenMs);
    } else {
      followed.start();
      followed.retry();
    }
  });
  addEventListener("online", () => followed.retry());
  followed.start();
};
