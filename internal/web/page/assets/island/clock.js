// The time by the server's clock.

import { signal } from "@preact/signals-core";

let offset = 0;

/**
 * Learns how far this machine's clock is from the server's. Differences of 2 s and less
 * are those of the way.
 * @param {number} server the server's time in milliseconds
 */
export const correct = (server) => {
  const difference = server - Date.now();
  offset = Math.abs(difference) > 2000 ? difference : 0;
};

/** Returns the time in milliseconds. */
export const now = () => Date.now() + offset;

/** The time as pages show it: it moves every 10 s, and what depends on it is shown again. */
export const tick = signal(now());

/** Starts the clock of the page. Returns a function that stops it. */
export const run = () => {
  tick.value = now();
  const timer = setInterval(() => { tick.value = now(); }, 10000);
  return () => clearInterval(timer);
};
