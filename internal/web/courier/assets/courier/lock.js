// Hides what the phone keeps once the service has said that the courier's session has ended,
// until the same operator has signed in. A phone without a connection is not asked to sign in:
// what it keeps stays visible. This module needs no page.

import { signal } from "@preact/signals-core";

/**
 * What a lock needs.
 * @typedef {object} World
 * @property {string} owner the operator whose stops the phone keeps
 * @property {() => Promise<{status: number, owner: string}>} who whose session requests have
 * @property {() => Promise<boolean | undefined>} kept what keep has kept: a start without a connection hides the stops, too
 * @property {(locked: boolean) => Promise<unknown>} keep
 */

/** The lock of a courier's stops. */
export class Lock {
  /** The stops are hidden. @type {import("@preact/signals-core").Signal<boolean>} */
  locked = signal(false);
  #world;
  #shuts = 0; // how often it has been shut: what was asked before does not open it

  /** @param {World} world */
  constructor(world) { this.#world = world; }

  /**
   * Locks the stops if they were locked when the app was last open.
   * @param {boolean} [signedIn] whether the service has just sent the owner the document: then they are not
   */
  async open(signedIn = false) {
    this.locked.value = await this.#world.kept() ?? false;
    if (signedIn) this.#put(false);
  }

  /** Hides the stops: a response was 401. */
  shut() {
    this.#shuts++;
    this.#put(true);
  }

  /** Shows the stops again if the session is the owner's, and reports whether it did. */
  async release() {
    const shuts = this.#shuts;
    if (!this.locked.value) return false;
    const { status, owner } = await this.#world.who();
    if (status !== 200 || owner !== this.#world.owner || shuts !== this.#shuts) return false;
    this.#put(false);
    return true;
  }

  /** @param {boolean} locked */
  #put(locked) {
    if (this.locked.value === locked) return;
    this.locked.value = locked;
    this.#world.keep(locked).catch(() => {}); // the next response locks it again
  }
}
