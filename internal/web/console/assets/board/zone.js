// Times on the clocks of the places to which orders go.

import { language } from "dropyard/text.js";

/** The time zones of provinces, which the document names. @returns {Record<string, string>} */
const zones = () => JSON.parse(globalThis.document?.getElementById("board")?.dataset.zones ?? "{}");

/** Returns the time zone of a province, as in "America/Toronto". @param {string} province */
export const zoneOf = (province) => zones()[province] ?? "UTC";

/** Returns what people call a time zone. @param {string} zone */
export const zoneName = (zone) => new Intl.DateTimeFormat(language === "fr" ? "fr-CA" : "en-CA", { timeZone: zone, timeZoneName: "longGeneric" })
  .formatToParts().find(({ type }) => type === "timeZoneName")?.value ?? zone;

/** How far the clock of a zone is before UTC at a time, in milliseconds. @param {string} zone @param {number} at */
const offset = (zone, at) => {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" });
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = /** @type {Record<string, number>} */ (
    Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)])));
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / 60000) * 60000;
};

/** Returns when the clock of a zone shows a time. @param {string} local as fields for times have it: 2026-01-15T09:00 @param {string} zone */
export const instant = (local, zone) => {
  const wall = Date.parse(`${local}Z`);
  return new Date(wall - offset(zone, wall - offset(zone, wall)));
};
