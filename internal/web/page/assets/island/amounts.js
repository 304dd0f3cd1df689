// Amounts of money in any currency, and as they are typed.

import { language } from "dropyard/text.js";

/** @typedef {{amount_cents: number, currency: string}} Amount */

/** Returns an amount in its currency: $49.99, or US$49.99. @param {Amount} amount */
export const money = ({ amount_cents, currency }) =>
  new Intl.NumberFormat(language === "fr" ? "fr-CA" : "en-CA", { style: "currency", currency }).format(amount_cents / 100);

/** Returns an amount as it is typed: 49.99, or 49,99 in French. @param {number} cents */
export const inDollars = (cents) => (cents / 100).toFixed(2).replace(".", language === "fr" ? "," : ".");

/** Returns the cents of an amount that was typed in dollars, with a point or a comma; NaN for another text, and for a fraction of a cent. @param {string} text */
export const centsOf = (text) => {
  const [, whole = "", part = ""] = /^(\d{0,9})(?:[.,](\d{1,2}))?$/.exec(text.replace(/[\s$]/g, "")) ?? [];
  return whole + part ? Number(whole) * 100 + Number(part.padEnd(2, "0")) : NaN;
};
