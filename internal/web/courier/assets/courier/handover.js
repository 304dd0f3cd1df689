// Handing the parcels of a stop over to a colleague, or to a warehouse or hub. It is recorded like
// any other act, so that it works without a connection; the stop leaves the list immediately.

import { useSignal } from "@preact/signals";
import { ask, close } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";
import { restMs, resting, said } from "./acts.js";
import { Unstored, useStoring } from "./storing.js";

/** @typedef {import("./round.js").Shown} Job */
/** @typedef {import("./round.js").Colleague} Colleague */
/** @typedef {import("./acts.js").Outbox} Outbox */

/** The choice of a place instead of a colleague. */
const place = "place";

/**
 * Returns what the request says, and who gets the parcels.
 * @param {FormData} values
 * @param {Colleague[]} colleagues
 */
export const receiver = (values, colleagues) => {
  const to = String(values.get("to"));
  if (to === place) {
    const location = String(values.get("location")).trim();
    return { body: { location }, name: location };
  }
  return { body: { courier_id: to }, name: colleagues.find(({ courier_id: id }) => id === to)?.name ?? to };
};

/** @param {{job: Job, colleagues: Colleague[], outbox: Outbox}} props */
const Handover = ({ job, colleagues, outbox }) => {
  const to = useSignal(""), { store, storing, failed } = useStoring();
  const choose = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => { to.value = currentTarget.value; };
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const { body, name } = receiver(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)), colleagues);
    void store(async () => {
      await outbox.record({ order_id: job.order_id, label: job.stop.name, deed: { kind: "transfer", body } });
      resting.value = true; // another stop is now where this one was
      setTimeout(() => { resting.value = false; }, restMs);
      said.value = { text: t("courier.handover.recorded", { to: name, name: job.stop.name }), danger: false };
    });
  };
  return html`<form class="stack" onSubmit=${submit}>
    <fieldset class="reasons"><legend>${t("courier.handover.to")}</legend>
      ${colleagues.map(({ courier_id: id, name }) => html`<label class="choice" key=${id}><input type="radio" name="to" value=${id} required onChange=${choose} /><span><bdi>${name}</bdi></span></label>`)}
      <label class="choice"><input type="radio" name="to" value=${place} required onChange=${choose} /><span>${t("courier.handover.location")}</span></label></fieldset>
    ${to.value === place && html`<div class="field"><label for="handover-location">${t("courier.handover.code")}</label><p class="hint" id="handover-location-hint">${t("courier.handover.code.hint")}</p>
      <input class="input" id="handover-location" name="location" required maxlength="64" pattern=".*\\S.*" autocomplete="off" spellcheck=${false} aria-describedby="handover-location-hint" /></div>`}
    <${Unstored} failed=${failed} />
    <button class="button first act" aria-disabled=${storing.value ? "true" : null}>${t("courier.handover.do")}</button>
    <button type="button" class="button" onClick=${close}>${t("courier.back")}</button>
  </form>`;
};

/** Asks who gets the parcels of a stop, and records that. @param {Job} job @param {Colleague[]} colleagues @param {Outbox} outbox */
export const askHandover = (job, colleagues, outbox) => ask(t("courier.handover.title", { name: job.stop.name }),
  () => html`<${Handover} job=${job} colleagues=${colleagues} outbox=${outbox} />`);
