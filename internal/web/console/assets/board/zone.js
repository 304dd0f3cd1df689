// Times on the clocks of the places to which orders go.

import { language } from "dropyard/text.js";

/**
 * The clocks of a place: the name of its time zone, as in "America/Toronto", and the times from which they are ahead of
 * UTC, both in seconds. They come from the service, because the time zones of a browser may be older than the law.
 * @typedef {{name: string, shifts: [at: number, east: number][]}} Zone
 */

/**
 * The clocks that the document has: of time zones, and the names of those of provinces and of the beginnings of postal codes.
 * @returns {{zones: Record<string, Zone["shifts"]>, places: Record<string, string>}}
 */
const known = () => JSON.parse(globalThis.document?.getElementById("board")?.dataset.zones ?? '{"zones":{},"places":{}}');

/**
 * Returns the clocks of a place.
 * @param {string} province @param {string} [code] the postal code or its beginning @returns {Zone}
 */
export const zoneOf = (province, code = "") => {
  const { zones, places } = known(), begins = code.replaceAll(" ", "").toUpperCase();
  const name = places[begins.slice(0, 5)] ?? places[begins.slice(0, 3)] ?? places[province] ?? "UTC";
  return { name, shifts: zones[name] ?? [] };
};

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

/** Returns a window on the clocks of a zone, with its name. @param {{start: string, end: string}} window @param {Zone} zone */
export const windowIn = ({ start, end }, zone) => {
  const tag = language === "fr" ? "fr-CA" : "en-CA", walls = [start, end].map((at) => Date.parse(at) + east(zone, Date.parse(at)));
  const show = new Intl.DateTimeFormat(tag, { timeZone: "UTC", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
  return `${show.formatRange(walls[0] ?? 0, walls[1] ?? 0)} · ${zoneName(zone)}`;
};
