// Times on the clocks of the places to which orders go.

import { language } from "dropyard/text.js";

/**
 * The clocks of a province: the name of its time zone, as in "America/Toronto", and the times from which they are ahead of
 * UTC, both in seconds. They come from the service, because the time zones of a browser may be older than the law.
 * @typedef {{name: string, shifts: [at: number, east: number][]}} Zone
 */

/** The clocks of provinces, and of areas that have others, which the document has. @returns {Record<string, Zone>} */
const zones = () => JSON.parse(globalThis.document?.getElementById("board")?.dataset.zones ?? "{}");

/**
 * Returns the clocks of a destination.
 * @param {string} province @param {string} [area] the first half of the postal code @returns {Zone}
 */
export const zoneOf = (province, area = "") => zones()[area] ?? zones()[province] ?? { name: "UTC", shifts: [] };

/** Returns what people call a time zone. @param {Zone} zone */
export const zoneName = (zone) => new Intl.DateTimeFormat(language === "fr" ? "fr-CA" : "en-CA", { timeZone: zone.name, timeZoneName: "longGeneric" })
  .formatToParts().find(({ type }) => type === "timeZoneName")?.value ?? zone.name;

/** How far the clocks of a zone are ahead of UTC at a time, in milliseconds. @param {Zone} zone @param {number} at */
const east = (zone, at) => 1000 * (zone.shifts.findLast(([from]) => from * 1000 <= at) ?? zone.shifts[0] ?? [0, 0])[1];

/** Returns when the clocks of a zone show a time. @param {string} local as fields for times have it: 2026-01-15T09:00 @param {Zone} zone */
export const instant = (local, zone) => {
  const wall = Date.parse(`${local}Z`);
  return new Date(wall - east(zone, wall - east(zone, wall)));
};
