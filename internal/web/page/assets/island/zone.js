// Times on the clocks of the places of orders.

import { language, ownEast, walls } from "dropyard/text.js";

/**
 * The clocks of a place: the name of its time zone, as in "America/Toronto", and the times from which they are ahead of
 * UTC, both in seconds, with the abbreviation that holds then, such as EST. They come from the service, because the time
 * zones of a browser may be older than the law. Without shifts they are those of this machine.
 * @typedef {{name: string, shifts: [at: number, east: number, abbreviation: string][]}} Zone
 */

/**
 * The clocks that the document has: of time zones, and the names of those of provinces and of the beginnings of postal codes.
 * @returns {{zones: Record<string, Zone["shifts"]>, places: Record<string, string>}}
 */
const known = () => clocks ??= JSON.parse(/** @type {HTMLElement | null | undefined} */ (globalThis.document?.querySelector("[data-zones]"))?.dataset.zones ?? '{"zones":{},"places":{}}');

/** What known has read. @type {ReturnType<typeof known> | undefined} */
let clocks;

/** The names of the zones of places that were asked for. @type {Map<string, Zone>} */
const found = new Map();

/** @param {string} province @param {string} code @returns {Zone} */
const find = (province, code) => {
  const { zones, places } = known(), name = places[code] ?? places[code.slice(0, 3)] ?? places[province] ?? "";
  return { name: name || Intl.DateTimeFormat().resolvedOptions().timeZone, shifts: zones[name] ?? [] };
};

/**
 * Returns the clocks of a place; those of this machine if the document does not know it.
 * @param {string} province @param {string} [code] the postal code or its beginning @returns {Zone}
 */
export const zoneOf = (province, code = "") => {
  const begins = code.replaceAll(" ", "").toUpperCase().slice(0, 5), key = `${province} ${begins}`, zone = found.get(key) ?? find(province, begins);
  found.set(key, zone);
  return zone;
};

/** The provinces by the first letters of their postal codes (Canada Post). @type {Record<string, string>} */
const provinces = {
  A: "NL", B: "NS", C: "PE", E: "NB", G: "QC", H: "QC", J: "QC", K: "ON", L: "ON", M: "ON", N: "ON", P: "ON", R: "MB", S: "SK", T: "AB", V: "BC",
  X: "NT", Y: "YT",
};

/** The clocks of areas that were asked for. @type {Map<string, Zone>} */
const ofAreas = new Map();

/** Returns the clocks of a forward sortation area. @param {string} area @returns {Zone} */
export const zoneOfArea = (area) => {
  let zone = ofAreas.get(area);
  if (!zone) ofAreas.set(area, zone = zoneOf(provinces[area[0] ?? ""] ?? "", area));
  return zone;
};

/** Returns what people call a time zone. @param {Zone} zone */
export const zoneName = (zone) => new Intl.DateTimeFormat(language === "fr" ? "fr-CA" : "en-CA", { timeZone: zone.name, timeZoneName: "longGeneric" })
  .formatToParts().find(({ type }) => type === "timeZoneName")?.value ?? zone.name;

/** The shift that holds at a time. @param {Zone} zone @param {number} at */
const shiftAt = ({ shifts }, at) => shifts.findLast(([from]) => from * 1000 <= at) ?? shifts[0];

/** How far the clocks of a zone are ahead of UTC at a time, in milliseconds. @param {Zone} zone @param {number} at */
const east = (zone, at) => {
  const shift = shiftAt(zone, at);
  return shift ? 1000 * shift[1] : ownEast(at);
};

/** Returns what the clocks of a zone show at a time, as walls takes it. @param {number} at @param {Zone} zone */
const wallOf = (at, zone) => at + east(zone, at);

/** Returns the day that the clocks of a zone show, counted from the beginning of 1970. @param {number} at @param {Zone} zone */
export const dayOf = (at, zone) => Math.floor(wallOf(at, zone) / 86400000);

/** Returns when the clocks of a zone show a time. @param {number} wall @param {Zone} zone */
const instantOf = (wall, zone) => wall - east(zone, wall - east(zone, wall));

/** Returns when the clocks of a zone show a time. @param {string} local as fields for times have it: 2026-01-15T09:00 @param {Zone} zone */
export const instant = (local, zone) => new Date(instantOf(Date.parse(`${local}Z`), zone));

/** Returns what the clocks of a zone show at a time, as fields for times have it. @param {number} at @param {Zone} zone */
export const local = (at, zone) => new Date(wallOf(at, zone)).toISOString().slice(0, 16);

/**
 * Returns when the clocks of a zone show an hour.
 * @param {number} now
 * @param {number} days how many days the hour is after the day that the clocks show now
 * @param {number} hour
 * @param {Zone} zone
 */
export const hourOf = (now, days, hour, zone) => instantOf(new Date(wallOf(now, zone)).setUTCHours(hour + 24 * days, 0, 0, 0), zone);

/** Returns a window on the clocks of a zone, with its name. @param {{start: string, end: string}} window @param {Zone} zone */
export const windowIn = ({ start, end }, zone) => {
  const [from, to] = [start, end].map((at) => wallOf(Date.parse(at), zone));
  return `${walls.datedRange(from ?? 0, to ?? 0)} · ${zoneName(zone)}`;
};

/**
 * Returns functions that write times on the clocks of a zone. They append its abbreviation to a time of which the
 * reader's clocks show another one.
 * @param {Zone} zone
 */
export const timesIn = (zone) => {
  /** @param {string} text @param {number} at */
  const named = (text, at) => {
    const abbreviation = east(zone, at) === ownEast(at) ? "" : shiftAt(zone, at)?.[2];
    return abbreviation ? `${text}\u00a0${abbreviation}` : text;
  };
  /** @param {number} at */
  const wall = (at) => wallOf(at, zone);
  /** Returns the time of day, with the day if that is another one. @param {number} at @param {number} now */
  const bare = (at, now) => walls.sameDay(wall(at), wall(now)) ? walls.clock(wall(at)) : walls.moment(wall(at), wall(now));
  return {
    /** Returns the day and the time of day. @param {number} at @param {number} now */
    moment: (at, now) => named(walls.moment(wall(at), wall(now)), at),
    /** Returns the day: a word for yesterday, today and tomorrow. @param {number} at @param {number} now */
    day: (at, now) => walls.day(wall(at), wall(now)),
    /** Returns the time of day. @param {number} at */
    clock: (at) => named(walls.clock(wall(at)), at),
    /** Returns a span of time within a day. @param {number} from @param {number} to */
    hours: (from, to) => named(walls.range(wall(from), wall(to)), to),
    /** Reports whether two times are on one day. @param {number} a @param {number} b */
    sameDay: (a, b) => walls.sameDay(wall(a), wall(b)),
    /** Returns the time of day, with the day if that is another one. @param {number} at @param {number} now */
    time: (at, now) => named(bare(at, now), at),
    /** Returns a span of time, with its day or days unless that is today. @param {number} from @param {number} to @param {number} now */
    range: (from, to, now) => {
      const whole = walls.sameDay(wall(from), wall(to));
      if (whole && walls.sameDay(wall(from), wall(now))) return named(walls.range(wall(from), wall(to)), to);
      return named(`${bare(from, now)} – ${whole ? walls.clock(wall(to)) : bare(to, now)}`, to);
    },
    /** Reports whether a time is today. @param {number} at @param {number} now */
    isToday: (at, now) => walls.sameDay(wall(at), wall(now)),
  };
};
