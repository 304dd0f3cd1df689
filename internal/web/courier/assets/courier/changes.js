// What was edited of a stop since the courier last knew it, and the button that says that it was
// seen. Until then the card has no other acts, so that nothing is done by what was there before.

import { tick } from "dropyard/clock.js";
import { html } from "dropyard/html.js";
import { moment, number, phone, postal, t } from "dropyard/text.js";
import { timesIn, zoneOf } from "dropyard/zone.js";
import { resting, useReady } from "./acts.js";
import { money } from "dropyard/amounts.js";

/** @typedef {import("./round.js").Shown} Job */

/** What the parts of an order are called, by the last part of their paths. @returns {Record<string, string>} */
const names = () => ({
  name: t("courier.field.name"), phone: t("courier.field.phone"), line1: t("courier.field.line1"), line2: t("courier.field.line2"),
  city: t("courier.field.city"), province: t("courier.field.province"), postal_code: t("courier.field.postal_code"), country: t("courier.field.country"),
  notes: t("courier.field.notes"), time_window: t("courier.field.time_window"), parcels: t("courier.field.parcels"), cod: t("courier.field.cod"),
  instructions: t("courier.field.instructions"),
});

/** Splits a path into the end of the delivery, if it is of one, and the part. @param {string} field */
const partOf = (field) => ({ end: /^(pickup|dropoff)\./.exec(field)?.[1], part: field.slice(field.lastIndexOf(".") + 1) });

/** Names a field, with its end if that is not where the courier goes next. @param {Job} job @param {string} field */
export const nameOf = (job, field) => {
  const { end, part } = partOf(field), name = names()[part] ?? part;
  if (!end || end === job.stop.kind) return name;
  return t(end === "pickup" ? "courier.changed.pickup" : "courier.changed.dropoff", { field: name });
};

/** Returns a value of a field as a text; empty for nothing. @param {Job} job @param {string} field @param {any} value @param {number} today */
export const textOf = (job, field, value, today) => {
  const { end, part } = partOf(field);
  if (value === null || value === undefined) return "";
  if (part === "time_window") {
    const { address } = end === job.stop.kind ? job.stop : job.dropoff ?? job.stop;
    return timesIn(zoneOf(address.province, address.postal_code)).range(Date.parse(value.start), Date.parse(value.end), today);
  }
  if (part === "cod") return value.amount_cents ? money(value) : "";
  if (part === "parcels") return value.map((/** @type {any} */ parcel) => `${parcel.description} (${number(parcel.weight_kg)} kg)`).join(", ");
  if (part === "phone") return phone(value);
  return part === "postal_code" ? postal(value) : String(value);
};

/** @param {{job: Job, field: import("./round.js").ChangedField}} props */
const Field = ({ job, field: { field, was, now } }) => html`<div><dt>${nameOf(job, field)}</dt>
  <dd><b class="said"><bdi>${textOf(job, field, now, tick.value) || t("courier.changed.nothing")}</bdi></b>
    ${was !== undefined && html`<span class="soft said">${t("courier.changed.was", { value: textOf(job, field, was, tick.value) || t("courier.changed.nothing") })}</span>`}</dd></div>`;

/** What was edited of one order. @param {{job: Job, named: boolean}} props */
const Edited = ({ job, named }) => {
  const { fields, at } = /** @type {import("./round.js").Changes} */ (job.changes);
  return html`<div class="stack tight">
    <h3>${t("courier.changed.at", { t: moment(Date.parse(at), tick.value) })}${named && html` · <bdi translate=${false}>${job.partner_order_id}</bdi>`}</h3>
    ${fields.length ? html`<dl class="edited">${fields.map((field) => html`<${Field} key=${field.field} job=${job} field=${field} />`)}</dl>` : html`<p>${t("courier.changed.back")}</p>`}
  </div>`;
};

/** @param {{press: () => void}} props */
const Seen = ({ press }) => {
  const ready = useReady();
  return html`<button type="button" class="button first act" data-act="confirm" translate=${false} aria-disabled=${ready.value && !resting.value ? null : "true"}
    onClick=${() => { if (ready.value && !resting.value) press(); }}>${t("courier.changed.seen")}</button>`;
};

/**
 * What was edited of the orders of a card; nothing if the courier knows them.
 * @param {{jobs: Job[], seen: (jobs: Job[]) => unknown}} props
 */
export const Changes = ({ jobs, seen }) => {
  const edited = jobs.filter((job) => job.changes), [first] = edited;
  if (!first) return null;
  const versions = edited.map(({ order_id: id, changes }) => `${id} ${changes?.version}`).join(" ");
  return html`<section class="changes stack" aria-label=${t("courier.changed")}>
    <div class="stack" role="status">${edited.map((job) => html`<${Edited} key=${job.order_id} job=${job} named=${jobs.length > 1} />`)}</div>
    <${Seen} key=${versions} press=${() => seen(edited)} />
  </section>`;
};
