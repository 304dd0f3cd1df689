// Whether the courier of an order knows what was edited of it.

import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";
import { When, nameOf } from "./notes.js";

/** @typedef {import("./notes.js").OrderRecord} OrderRecord */

/** The edits that the courier has to know, newest first; without those that wait if the box above says so. @param {{record: OrderRecord, isSaid: boolean}} props */
export const Confirmations = ({ record, isSaid }) => {
  const edits = (record.order.changes ?? []).filter((/** @type {any} */ edit) => edit.confirmed || edit.confirmed === false && !isSaid).reverse();
  if (!edits.length) return null;
  /** @param {any} edit */
  const who = (edit) => record.couriers[edit.courier_id] ?? nameOf(record, edit.confirmed_by);
  return html`<ul>${edits.map((/** @type {any} */ edit) => html`<li key=${edit.version}><span class="soft">${t("act.edited")} <${When} at=${edit.at} /></span>${" "}
    ${edit.confirmed ? html`<span class="soft">· ${t("act.confirmed", { who: who(edit) })} <${When} at=${edit.confirmed_at} /></span>` : html`<strong class="warn">${t("act.unconfirmed")}</strong>`}</li>`)}</ul>`;
};
