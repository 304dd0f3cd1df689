// Handing the parcels of a stop over to a colleague, or to a warehouse or hub. It is recorded like
// any other act, so that it works without a connection; the stop leaves the list immediately.

import { useSignal } from "@preact/signals";
import { ask, close } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";
import { labelOf, rested, said } from "./acts.js";
import { Camera } from "./scan.js";
import { Unstored, useStoring } from "./storing.js";

/** An order of which parcels are handed over. @typedef {{order_id: string, stop: {name: string}}} Job */
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

/** What the code of a courier begins with; the courier's id follows. */
const prefix = "courier:";

/** Returns the colleague whose code was read; undefined if it is of none. @param {string} code @param {Colleague[]} colleagues */
export const colleagueOf = (code, colleagues) => code.startsWith(prefix) ? colleagues.find(({ courier_id: id }) => id === code.slice(prefix.length)) : undefined;

/** Reads the code of a colleague with the camera, in the place of the form. @param {{colleagues: Colleague[], found: (id: string) => void, back: () => void}} props */
const Scan = ({ colleagues, found, back }) => {
  const unknown = useSignal(false);
  /** @param {string} code */
  const see = (code) => {
    const colleague = colleagueOf(code, colleagues);
    unknown.value = !colleague;
    if (!colleague) return;
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(60);
    found(colleague.courier_id);
  };
  return html`<div class="stack">
    <p class="soft">${t("courier.handover.scan.how")}</p>
    <button type="button" class="button" onClick=${back}>${t("courier.handover.scan.end")}</button>
    <${Camera} found=${see} />
    <div role="status">${unknown.value && html`<p class="fault">${t("courier.handover.scan.unknown")}</p>`}</div>
  </div>`;
};

/** @param {{jobs: Job[], colleagues: Colleague[], outbox: Outbox}} props */
const Handover = ({ jobs, colleagues, outbox }) => {
  const to = useSignal(""), scanning = useSignal(false), { store, storing, failed } = useStoring();
  const choose = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => { to.value = currentTarget.value; };
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const { body, name } = receiver(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)), colleagues);
    void store(() => rested(async () => {
      for (const job of jobs) {
        await outbox.record({ order_id: job.order_id, label: labelOf(job), deed: { kind: "transfer", body } });
        said.value = { text: t("courier.handover.recorded", { to: name, name: job.stop.name }), danger: false };
      }
    }));
  };
  const back = () => { scanning.value = false; };
  if (scanning.value) return html`<${Scan} colleagues=${colleagues} found=${(/** @type {string} */ id) => { to.value = id; back(); }} back=${back} />`;
  return html`<form class="stack" onSubmit=${submit}>
    ${colleagues.length > 0 && html`<button type="button" class="button" data-act="scan" translate=${false} onClick=${() => { scanning.value = true; }}>${t("courier.handover.scan")}</button>`}
    <fieldset class="reasons"><legend>${t("courier.handover.to")}</legend>
      ${colleagues.map(({ courier_id: id, name }) => html`<label class="choice" key=${id}><input type="radio" name="to" value=${id} required checked=${to.value === id} onChange=${choose} /><span><bdi>${name}</bdi></span></label>`)}
      <label class="choice"><input type="radio" name="to" value=${place} required checked=${to.value === place} onChange=${choose} /><span>${t("courier.handover.location")}</span></label></fieldset>
    ${to.value === place && html`<div class="field"><label for="handover-location">${t("courier.handover.code")}</label><p class="hint" id="handover-location-hint">${t("courier.handover.code.hint")}</p>
      <input class="input" id="handover-location" name="location" required maxlength="64" pattern=".*\\S.*" autocomplete="off" spellcheck=${false} aria-describedby="handover-location-hint" /></div>`}
    <${Unstored} failed=${failed} />
    <button class="button first act" aria-disabled=${storing.value ? "true" : null}>${t("courier.handover.do")}</button>
    <button type="button" class="button" onClick=${close}>${t("courier.back")}</button>
  </form>`;
};

/** Asks who gets the parcels of orders at one stop, and records that. @param {Job[]} jobs @param {Colleague[]} colleagues @param {Outbox} outbox */
export const askHandover = (jobs, colleagues, outbox) => ask(t("courier.handover.title", { name: jobs[0]?.stop.name ?? "" }),
  () => html`<${Handover} jobs=${jobs} colleagues=${colleagues} outbox=${outbox} />`);
