// Where forward sortation areas are: the first halves of postal codes. The document names
// the file, which is read when a view first needs it.

import { signal } from "@preact/signals-core";

/** The middle of each area: latitude and longitude in degrees, by code. @typedef {Record<string, [number, number]>} Areas */
/** How fast couriers are: km/h along straight lines, and milliseconds at each stop. @typedef {{speed: number, atStop: number}} Pace */

/** @type {import("@preact/signals-core").Signal<Areas | undefined>} */
export const areas = signal(undefined);
/** Whether the file could not be read. */
export const missing = signal(false);

/** The part of the document that names the file, while it is there. */
const data = () => globalThis.document?.getElementById("board")?.dataset ?? {};

/** How fast couriers are, as the service estimates it. @returns {Pace} */
export const pace = () => ({ speed: Number(data().speed) || 30, atStop: (Number(data().atStop) || 0) * 1000 });

/** @type {Promise<void> | undefined} */
let reading;

const read = async () => {
  missing.value = false;
  try {
    const response = await fetch(data().areas ?? "");
    if (!response.ok) throw new Error(`status ${response.status}`);
    areas.value = await response.json();
  } catch {
    missing.value = true;
  } finally {
    reading = undefined;
  }
};

/** Reads the areas, once. */
export const readAreas = async () => areas.value ? undefined : reading ??= read();
