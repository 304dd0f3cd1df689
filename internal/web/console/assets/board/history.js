// The history of the order that is open: its moves and its edits, newest first.

import { When, nameOf } from "./notes.js";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";

/** @typedef {import("./notes.js").OrderRecord} OrderRecord */
/** What happened to the order. @typedef {{version: number, title: any, at: string, by: string, recorded: string, fields: string, note: string}} Entry */

/** The reasons of failed attempts. @returns {Record<string, string>} */
export const failureWords = () => ({
  not_home: t("failure.not_home"), wrong_address: t("failure.wrong_address"), no_access: t("failure.no_access"), declined: t("failure.declined"), damaged: t("failure.damaged"),
  other: t("failure.other"),
});

/** The fields of an order, by their paths at an end of the delivery or in the order. @returns {Record<string, string>} */
const fieldWords = () => ({
  "name": t("neworder.name"), "phone": t("neworder.phone"), "email": t("neworder.email"), "address.line1": t("neworder.line1"), "address.line2": t("order.line2"),
  "address.city": t("neworder.city"), "address.province": t("neworder.province"), "address.postal_code": t("neworder.postal_code"), "address.country": t("order.country"),
  "address.notes": t("order.notes"), "time_window": t("neworder.window"), "service_level": t("order.level"), "reference": t("neworder.reference"),
  "instructions": t("neworder.instructions"), "parcels": t("neworder.parcels"), "items": t("order.items"), "cod": t("order.cod"), "insurance": t("neworder.insurance"),
  "metadata": t("order.metadata"), "pickup": t("order.pickup"), "dropoff": t("order.dropoff"),
});

/** The label of a field with what it belongs to. @param {string} path */
export const labelOf = (path) => {
  const words = fieldWords(), [, end = "", inside = path] = /^(pickup|dropoff)\.(.*)$/.exec(path) ?? [];
  return [words[end], words[inside] ?? inside].filter(Boolean).join(" · ");
};

/** @param {OrderRecord} record @returns {Entry[]} */
const entriesOf = (record) => {
  const moves = new Map(record.moves.map((/** @type {any} */ move) => [move.version, move]));
  /** @param {any} entry @returns {Entry} */
  const moved = (entry) => {
    const move = moves.get(entry.version), courier = entry.status === "courier_assigned" && record.couriers[move?.courier_id];
    return {
      version: entry.version, at: entry.timestamp, by: move ? nameOf(record, move.operator_id) : "", fields: "",
      title: courier ? t("act.assigned", { courier }) : t(`status.${entry.status}`), note: failureWords()[entry.notes] ?? entry.notes,
      recorded: Date.parse(entry.recorded_at) - Date.parse(entry.timestamp) > 60000 ? entry.recorded_at : "",
    };
  };
  /** @param {any} edit @returns {Entry} */
  const edited = (edit) => ({
    version: edit.version, at: edit.at, by: edit.operator_id ? nameOf(record, edit.operator_id) : record.partner_name, recorded: "",
    title: t("order.edited"), fields: edit.fields.map(labelOf).join(", "), note: edit.reason ?? "",
  });
  return [...record.order.status_history.map(moved), ...(record.order.changes ?? []).map(edited)].sort((a, b) => b.version - a.version);
};

/** What operators and the partner did. @param {{record: OrderRecord}} props */
export const History = ({ record }) => html`<section>
  <h3>${t("act.history")}</h3>
  <ol class="timeline">${entriesOf(record).map(({ version, title, at, by, recorded, fields, note }) => html`<li key=${version}>
    <strong><bdi>${title}</bdi></strong> <span class="soft"><${When} at=${at} />${by && html` · <bdi>${by}</bdi>`}</span>
    ${recorded && html`<p class="soft small">${t("act.recorded")} <${When} at=${recorded} /></p>`}
    ${fields && html`<p>${fields}</p>`}
    ${note && html`<p class="long"><bdi>${note}</bdi></p>`}
  </li>`)}</ol>
</section>`;
