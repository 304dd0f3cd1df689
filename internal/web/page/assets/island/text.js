// The phrases of the phrasebook, which the document carries, and numbers, amounts and
// times in the reader's language.

/** @typedef {Record<string, string | number>} Arguments What the names in braces stand for. */

const dayMs = 86400000;

/** The language of the page: en or fr. */
export let language = "en";
/** @type {Record<string, string>} */
let phrases = {};
/** @type {ReturnType<typeof formats>} */
let shown;
/** The formats of times of which the clocks are given: see walls. @type {ReturnType<typeof formats>} */
let shownWalls;

/**
 * Returns a function that makes something when it is first called, and returns it. A
 * format takes the browser some milliseconds.
 * @template T
 * @param {() => T} make
 * @returns {() => T}
 */
const once = (make) => {
  /** @type {T | undefined} */
  let made;
  return () => made ??= make();
};

/** @param {string} tag @param {string} [timeZone] the machine's own without it */
const formats = (tag, timeZone) => ({
  plural: once(() => new Intl.PluralRules(tag)),
  number: once(() => new Intl.NumberFormat(tag)),
  dollars: once(() => new Intl.NumberFormat(tag === "en" ? "en-CA" : tag, { style: "currency", currency: "CAD" })),
  clock: once(() => new Intl.DateTimeFormat(tag, { timeZone, hour: "numeric", minute: "2-digit" })),
  date: once(() => new Intl.DateTimeFormat(tag, { timeZone, month: "short", day: "numeric" })),
  dated: once(() => new Intl.DateTimeFormat(tag, { timeZone, month: "short", day: "numeric", hour: "numeric", minute: "2-digit" })),
  full: once(() => new Intl.DateTimeFormat(tag, { dateStyle: "full", timeStyle: "long" })),
  relative: once(() => new Intl.RelativeTimeFormat(tag, { numeric: "auto" })),
});

/**
 * Uses a language and its phrases. The page's own are used without it.
 * @param {string} tag
 * @param {Record<string, string>} book
 */
export const use = (tag, book) => {
  language = tag;
  phrases = book;
  const known = tag === "fr" ? "fr-CA" : tag;
  [shown, shownWalls] = [formats(known), formats(known, "UTC")];
  shown.clock(); // the first format takes the browser long: it is made while other modules are on their way
};

/**
 * @param {string} text
 * @param {Arguments} values
 */
const fill = (text, values) => text.replace(/\{([a-z]+)\}/g, (whole, name) => name in values ? String(values[name]) : whole);

/** @param {string} key */
const phrase = (key) => {
  const text = phrases[key];
  if (text === undefined) throw new Error(`there is no phrase "${key}"`);
  return text;
};

/**
 * Returns a phrase.
 * @param {string} key
 * @param {Arguments} [values]
 */
export const t = (key, values) => values ? fill(phrase(key), values) : phrase(key);

/**
 * Returns the form of a phrase that fits a number, which {n} stands for. One that says "one"
 * in a word fits only 1, although French counts 0 as a singular.
 * @param {string} key
 * @param {number} count
 * @param {Arguments} [values]
 */
export const n = (key, count, values = {}) => {
  const [one = "", many = one] = phrase(key).split("|");
  const single = count === 1 || one.includes("{n}") && shown.plural().select(count) === "one";
  return fill(single ? one : many, { ...values, n: number(count) });
};

/** @param {number} value */
export const number = (value) => shown.number().format(value);

/** Returns an amount of Canadian cents. @param {number} cents */
export const dollars = (cents) => (cents < 0 ? "−" : "") + shown.dollars().format(Math.abs(cents) / 100);

/** Returns a time span as "2 h 10" or "12 min". @param {number} ms */
export const span = (ms) => {
  const minutes = Math.round(ms / 60000), hours = Math.floor(minutes / 60);
  return hours ? `${hours} h ${String(minutes % 60).padStart(2, "0")}` : `${minutes} min`;
};

/** Writes the first day of a month as an ordinal in French, 1er. @param {string} date */
const ordinal = (date) => language === "fr" ? date.replace(/(?:^|\s)1(?=\s)/, "$&er") : date;

/** How far the clocks of this machine are ahead of UTC at a time, in milliseconds. @param {number} at */
export const ownEast = (at) => -60000 * new Date(at).getTimezoneOffset();

/**
 * Returns functions that write times.
 * @param {() => ReturnType<typeof formats>} by
 * @param {(at: number) => number} east how far the clocks of the formats are ahead of UTC, in milliseconds
 */
const writing = (by, east) => {
  /** @param {number} at */
  const dayOf = (at) => Math.floor((at + east(at)) / dayMs);
  /** Returns the time of day. @param {number} at */
  const clock = (at) => by().clock().format(at);
  /** Returns the day: a word for yesterday, today and tomorrow. @param {number} at @param {number} now */
  const day = (at, now) => {
    const days = dayOf(at) - dayOf(now);
    return Math.abs(days) <= 1 ? by().relative().format(days, "day") : ordinal(by().date().format(at));
  };
  return {
    clock,
    /** Reports whether two times are on one day. @param {number} a @param {number} b */
    sameDay: (a, b) => dayOf(a) === dayOf(b),
    /** Returns a span of time within a day, as one word that no line breaks. @param {number} from @param {number} to */
    range: (from, to) => by().clock().formatRange(from, to).replace(/\s/g, "\u00a0"),
    /** Returns a span of time with its day or days. @param {number} from @param {number} to */
    datedRange: (from, to) => by().dated().formatRange(from, to),
    /**
     * Returns the day and the time of day: a word for yesterday, today and tomorrow.
     * @param {number} at
     * @param {number} now
     */
    moment: (at, now) => `${day(at, now)}${t("time.comma")} ${clock(at)}`,
    day,
  };
};

/** Times on the clocks of this machine. */
export const { clock, moment } = writing(() => shown, ownEast);

/** The same of clocks that are given: a time is what they show, in milliseconds since they showed the beginning of 1970. */
export const walls = writing(() => shownWalls, () => 0);

/** Returns a time with its day, its seconds and its zone. @param {number} at */
export const full = (at) => shown.full().format(at);

/**
 * Returns how far a time is from now: "in 20 min", "12 min ago", or the day and the time if
 * that is a day away or more.
 * @param {number} at
 * @param {number} now
 */
export const relative = (at, now) => {
  const ms = at - now;
  if (Math.abs(ms) >= dayMs) return moment(at, now);
  return t(ms < 0 ? "time.ago" : "time.in", { t: span(Math.abs(ms)) });
};

/**
 * Returns when an order is due: "in 20 min", "12 min late", or the day and the time if
 * that is a day away or more.
 * @param {number} at
 * @param {number} now
 */
export const due = (at, now) => {
  const ms = at - now;
  if (Math.abs(ms) >= dayMs) return moment(at, now);
  return ms < 0 ? t("board.late", { t: span(-ms) }) : t("time.in", { t: span(ms) });
};

/** Returns a phone number as people in Canada read it; those of other countries stay as they are. @param {string} number */
export const phone = (number) => number.replace(/^\+1([2-9]\d\d)([2-9]\d\d)(\d{4})$/, "$1 $2-$3");

/** Returns a Canadian postal code as Canada Post writes it, whatever was typed. @param {string} code */
export const postal = (code) => code.replace(/ /g, "").toUpperCase().replace(/^(...)(...)$/, "$1 $2");

/** Cuts a long id in the middle: ord_qggv…edhr5. @param {string} id */
export const shorten = (id) => id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-5)}`;

if (globalThis.document) {
  use(document.documentElement.lang, JSON.parse(document.getElementById("phrases")?.textContent ?? "{}"));
}
