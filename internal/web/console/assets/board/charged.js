// What the order that is open was charged, for those who read the books.

import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { call } from "./api.js";
import { html } from "dropyard/html.js";
import { dollars, t } from "dropyard/text.js";

/** Whether the reader of the board reads the books. */
export const readsBooks = globalThis.document?.getElementById("board")?.dataset.books === "true";

/** A page of the journal. @typedef {{entries: {lines: {account: string, amount_cents: number, currency: string}[]}[]}} Journal */

/** What entries have charged to the partner, in cents; null if there are none. @param {Journal} journal @returns {number | null} */
export const chargedIn = ({ entries }) => entries.length === 0 ? null : entries.flatMap(({ lines }) => lines)
  .filter(({ account, currency }) => account === "charges" && currency === "CAD").reduce((sum, { amount_cents: cents }) => sum + cents, 0);

/** The line with what was charged. It is left out if that cannot be read. @param {{record: import("./notes.js").OrderRecord}} props */
export const Charged = ({ record: { order_id: id, version } }) => {
  const cents = useSignal(/** @type {number | null} */ (null));
  useEffect(() => {
    const read = async () => { cents.value = chargedIn(await call("GET", `/journal?${new URLSearchParams({ order_id: id, limit: "500" })}`)); };
    read().catch(() => { cents.value = null; });
  }, [id, version]);
  return cents.value !== null && html`<p class="charged"><a href=${`/console/orders/${id}`}>${t("board.charged", { amount: dollars(cents.value) })}</a></p>`;
};
