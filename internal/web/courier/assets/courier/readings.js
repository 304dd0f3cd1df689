// What a scanner may have meant by what it typed. The service reads codes by the same rules
// (internal/foundation/barcode); the phone also needs them without a connection.

/** What the keys of a keyboard type, in the order of those of the first one, which scanners press. @typedef {{plain: string, shifted: string}} Layout */

/** @type {Record<string, Layout>} */
export const layouts = {
  "United States": { plain: "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./", shifted: "~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>?" },
  "Canadian French": { plain: "#1234567890-=qwertyuiop^¸<asdfghjkl;`zxcvbnm,.é", shifted: "|!\"/$%?&*()_+QWERTYUIOP^¨>ASDFGHJKL:`ZXCVBNM'.É" },
  "Canadian Multilingual Standard": { plain: "/1234567890-=qwertyuiop^çàasdfghjkl;èzxcvbnm,.é", shifted: "\\!@#$%?&*()_+QWERTYUIOP¨ÇÀASDFGHJKL:ÈZXCVBNM'\"É" },
};

/** The keys that type nothing until the next one, by the accents that they put on it. @type {Record<string, string>} */
const dead = { "\u0302": "^", "\u0308": "¨", "\u0327": "¸", "\u0300": "`" };

/**
 * Returns what a scanner meant, by what a layout types for it.
 * @param {Layout} layout
 * @param {boolean} caps
 */
const keysOf = ({ plain, shifted }, caps) => {
  const meant = /** @type {Map<string, string>} */ (new Map()), us = /** @type {Layout} */ (layouts["United States"]);
  const pairs = [...plain].map((key, i) => {
    const other = /** @type {string} */ (shifted[i]);
    return caps && key !== other && key.toUpperCase() === other ? [other, key] : [key, other];
  });
  const add = (/** @type {number} */ side, /** @type {string} */ keys) => pairs.forEach((pair, i) => {
    const typed = /** @type {string} */ (pair[side]);
    if (!meant.has(typed)) meant.set(typed, /** @type {string} */ (keys[i]));
  });
  add(0, us.plain);
  add(1, us.shifted);
  return meant;
};

const tables = Object.values(layouts).flatMap((layout) => [keysOf(layout, false), keysOf(layout, true)]);

/** Returns what a scanner meant if a text was typed with these keys. @param {string} text @param {Map<string, string>} keys */
const undo = (text, keys) => [...text].map((letter) => {
  const [base = "", accent = "", more] = [...letter.normalize("NFD")], first = more === undefined && keys.get(dead[accent] ?? "");
  if (keys.has(letter) || !first) return keys.get(letter) ?? letter;
  return first + (keys.get(base) ?? base);
}).join("");

/** Removes blanks and control characters around a text. @param {string} text */
const strip = (text) => text.replace(/^[\p{White_Space}\p{Cc}]+|[\p{White_Space}\p{Cc}]+$/gu, "");

/** @param {string} text */
const isDigits = (text) => /^[0-9]+$/.test(text);

/** Returns the check digit of GS1 for some digits. @param {string} digits */
const checkDigit = (digits) => {
  const sum = [...digits].reverse().reduce((all, digit, i) => all + Number(digit) * (i % 2 ? 1 : 3), 0);
  return String((10 - (sum % 10)) % 10);
};

/** Returns the digits of a GTIN without leading zeros; empty for other texts. @param {string} text */
export const gtin = (text) =>
  [8, 12, 13, 14].includes(text.length) && isDigits(text) && text.slice(-1) === checkDigit(text.slice(0, -1)) ? text.replace(/^0+/, "") : "";

/** Reports whether two codes are equal, or the same GTIN. @param {string} a @param {string} b */
export const same = (a, b) => a === b || (gtin(a) !== "" && gtin(a) === gtin(b));

/** Returns the number of a GS1 element that names a product or a parcel. @param {string} identifier @param {string} value */
const named = (identifier, value) => {
  if (identifier === "01" || identifier === "02") return value.length === 14 && gtin(value) ? [value] : [];
  return identifier === "00" && value.length === 18 && isDigits(value) && value.slice(-1) === checkDigit(value.slice(0, -1)) ? [value] : [];
};

/** How many characters elements have whose identifiers begin with two digits, these included. @type {Record<string, number>} */
const fixed = {
  "00": 20, "01": 16, "02": 16, "03": 16, "04": 18, 11: 8, 12: 8, 13: 8, 14: 8, 15: 8, 16: 8, 17: 8, 18: 8, 19: 8,
  20: 4, 31: 10, 32: 10, 33: 10, 34: 10, 35: 10, 36: 10, 41: 16,
};

/** Returns what a string of GS1 elements names. @param {string} text */
const elements = (text) => {
  if (!/^(?:\([0-9]{2,4}\)|[0-9]{2})/.test(text)) return [];
  const names = [...text.matchAll(/\(([0-9]{2,4})\)([^(]*)/g)].flatMap(([, identifier = "", value = ""]) => named(identifier, strip(value)));
  if (text.startsWith("(")) return names;
  for (let rest = text; rest.length > 2;) {
    const length = fixed[rest.slice(0, 2)];
    if (!length) {
      rest = rest.includes("\x1d") ? rest.slice(rest.indexOf("\x1d") + 1) : "";
      continue;
    }
    if (rest.length < length) return names;
    names.push(...named(rest.slice(0, 2), rest.slice(2, length)));
    rest = rest.slice(length).replace(/^\x1d/, "");
  }
  return names;
};

/** Returns the readings of a text in the layout of the scanner. @param {string} text */
const plainReadings = (text) => {
  const last = strip(text.replace(/^\][A-Za-z][0-9A-Za-z]/, "")), joined = last.replaceAll(" ", "");
  return [text, last, ...elements(last), ...(isDigits(joined) ? [joined] : [])];
};

/**
 * Returns the texts that may have been meant by what a scanner typed, the likeliest first. None
 * differs from an earlier one only in case.
 * @param {string} text
 * @returns {string[]}
 */
export const readings = (text) => {
  const stripped = strip(text), known = new Set([""]);
  return [stripped, ...tables.map((keys) => undo(stripped, keys))].flatMap(plainReadings).filter((reading) => {
    const key = reading.toLowerCase(), fresh = !known.has(key);
    known.add(key);
    return fresh;
  });
};
