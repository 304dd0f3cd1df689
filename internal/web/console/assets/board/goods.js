// The parcels of the order that is open: who had them, what was read from their labels, and the
// dialog that hands them over.

import { useSignal } from "@preact/signals";
import { ask, close } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { When, nameOf } from "./notes.js";
import { Picker } from "./picker.js";
import { t } from "dropyard/text.js";

/** @typedef {import("./notes.js").OrderRecord} OrderRecord */
/** Who has parcels. @typedef {{kind: string, id?: string, name?: string}} Holder */
/** Who gets parcels. @typedef {{courier_id: string} | {location: string}} Receiver */

/** The locations at which an order's parcels have been, each once. @param {OrderRecord} record @returns {string[]} */
export const locations = ({ custody }) => [...new Set(custody.slice(0, -1).filter((/** @type {any} */ held) => held.holder.kind === "location")
  .flatMap((/** @type {any} */ held) => held.holder.id.split(", ")))].sort();

/** The name of who has parcels. @param {Holder} holder */
const holderName = ({ kind, id, name }) => {
  if (kind === "sender") return t("holder.sender");
  if (kind === "recipient") return t("holder.recipient");
  return name || (kind === "location" && id) || t("holder.courier");
};

/**
 * Couriers and locations, one of which gets parcels.
 * @param {{orders: import("./places.js").Wanted[], except?: string, hubs?: string[], go: (to: Receiver, name: string) => void}} props except is the courier who has them; hubs are suggested
 */
export const Receivers = ({ orders, except = "", hubs = [], go }) => {
  const location = useSignal("");
  /** @param {Receiver} to @param {string} name */
  const done = (to, name) => { close(); go(to, name); };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (location.value.trim()) done({ location: location.value.trim() }, location.value.trim());
  };
  return html`<${Picker} orders=${orders} except=${except} pick=${(/** @type {import("./api.js").Courier} */ { courier_id, name }) => done({ courier_id }, name)} />
    <form class="field" onSubmit=${submit}>
      <label for="hub">${t("act.transfer.location")}</label>
      <div class="line"><input class="input" id="hub" list="hubs" required maxlength="64" autocomplete="off" value=${location.value}
        onInput=${(/** @type {{currentTarget: HTMLInputElement}} */ event) => { location.value = event.currentTarget.value; }} />
        <button class="button">${t("act.transfer.do")}</button></div>
      <datalist id="hubs">${hubs.map((code) => html`<option key=${code} value=${code}></option>`)}</datalist>
    </form>`;
};

/** @param {{record: OrderRecord, go: (to: Receiver, name: string) => void}} props */
const Transfer = ({ record, go }) => {
  const { holder } = record.custody.at(-1);
  return html`<div class="stack">
    <p>${t("act.transfer.from")} <strong><bdi>${holderName(holder)}</bdi></strong></p>
    <${Receivers} orders=${[record]} except=${holder.id ?? ""} hubs=${locations(record)} go=${go} />
  </div>`;
};

/** Asks to receiver parcels are handed over. @param {OrderRecord} record @param {(to: Receiver, name: string) => void} go */
export const askTransfer = (record, go) => ask(t("act.transfer.title", { order: record.partner_order_id }), () => html`<${Transfer} record=${record} go=${go} />`);

/** Who had the parcels and what was read from their labels, newest first; nothing until they are picked up. @param {{record: OrderRecord}} props */
export const Goods = ({ record }) => [
  record.custody.length > 1 && html`<section key="custody">
    <h3>${t("console.order.custody")}</h3>
    <ol class="timeline">${record.custody.map((/** @type {any} */ held, /** @type {number} */ i) => html`<li key=${i}>
      <strong><bdi>${holderName(held.holder)}</bdi></strong> <span class="soft"><${When} at=${held.from} /> – ${held.until ? html`<${When} at=${held.until} />` : t("console.order.custody.now")}</span></li>`).reverse()}</ol>
  </section>`,
  record.scans.length > 0 && html`<section key="scans">
    <h3>${t("console.order.scans")}</h3>
    <ul>${record.scans.map((/** @type {any} */ scan) => html`<li key=${scan.scan_id}><bdi class="mono">${scan.code}</bdi> <span class="soft"><${When} at=${scan.at} /> · ${nameOf(record, scan.operator_id)}</span></li>`)}</ul>
  </section>`,
];
