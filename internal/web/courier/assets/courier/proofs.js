// What is asked before a delivery is recorded: what was collected, a photo and a signature.

import { useEffect, useRef } from "preact/hooks";
import { useComputed, useSignal } from "@preact/signals";
import { ask } from "dropyard/dialog.js";
import { classes, html } from "dropyard/html.js";
import { number, t } from "dropyard/text.js";
import { isHEIC, shrink } from "dropyard/photo.js";
import { useCollecting } from "./collect.js";
import { Signature } from "./signature.js";
import { Unstored, useStoring } from "./storing.js";

/** @typedef {import("./cash.js").Cash} Cash */
/** @typedef {{stop: {name: string}, cod: Cash | null}} Job an order of GET /ops/v1/jobs */
/** @typedef {import("./outbox.js").Picture} Picture */
/** @typedef {(decided: {pictures: Picture[], collected?: import("./cash.js").Collected}) => unknown} Go what happens then; the dialog stays open if it throws */

/** @param {Blob | null} photo @returns {string} the address of the photo on this page; it ends with the component */
const useAddress = (photo) => {
  const address = useSignal("");
  useEffect(() => {
    if (!photo) return;
    const made = address.value = URL.createObjectURL(photo);
    return () => { address.value = ""; URL.revokeObjectURL(made); };
  }, [photo]);
  return address.value;
};

/**
 * A photo: taken, shown, and removed. Removed, the focus returns to where it is taken.
 * @param {{photo: import("@preact/signals").Signal<Blob | null>, busy: import("@preact/signals").Signal<boolean>}} props
 */
export const Photo = ({ photo, busy }) => {
  const fault = useSignal(""), field = useRef(/** @type {HTMLInputElement | null} */ (null)), address = useAddress(photo.value);
  /** @param {{currentTarget: HTMLInputElement}} event */
  const take = async ({ currentTarget: input }) => {
    const file = input.files?.[0];
    if (!file) return;
    [busy.value, fault.value] = [true, ""];
    try {
      photo.value = await shrink(file);
    } catch {
      fault.value = t(await isHEIC(file) ? "courier.proofs.photo.heic" : "courier.proofs.photo.unfit");
    }
    input.value = ""; // so that the same file can be chosen again
    busy.value = false;
  };
  const remove = () => { photo.value = null; field.current?.focus(); };
  const status = () => {
    if (busy.value) return t("courier.proofs.photo.busy");
    return fault.value || (photo.value ? t("courier.proofs.photo.size", { n: number(Math.ceil(photo.value.size / 1000)) }) : "");
  };
  // The picture and what is said about it have places of their own, so that nothing moves when they appear.
  return html`<div class="stack tight">
    <div class="taking">
      <div class="photo">${photo.value && address && html`<img src=${address} width="112" height="112" alt=${t("courier.proofs.photo.alt")} />`}</div>
      <div class="stack tight">
        <label class="button taker"><input class="hidden" type="file" accept="image/*" capture="environment" ref=${field} onChange=${take} disabled=${busy.value} />
          <span>${t(photo.value ? "courier.proofs.photo.again" : "courier.proofs.photo.take")}</span></label>
        ${photo.value && html`<button type="button" class="button danger" onClick=${remove}>${t("courier.proofs.photo.remove")}</button>`}
      </div>
    </div>
    <p class=${classes("state small", fault.value && !busy.value ? "fault" : "soft")} role="status">${status()}</p>
  </div>`;
};

/** What is asked for: the amount to collect, and whether a picture must be there; and what the dialog is called and its button says. @typedef {{cash: Cash | null, needed: boolean, title: string, button: string}} Asked */

/** @type {Cash} */
const nothing = { amount_cents: 0, currency: "CAD" };

/** @param {{asked: Asked, go: Go}} props */
const Proofs = ({ asked: { cash, needed, button }, go }) => {
  const pad = useRef(/** @type {import("./signature.js").Drawn | null} */ (null)), photo = useSignal(/** @type {Blob | null} */ (null));
  const { store, storing, failed } = useStoring(), signed = useSignal(false);
  const missing = useSignal(false), shrinking = useSignal(false), waits = useComputed(() => shrinking.value || storing.value);
  const collecting = useCollecting(cash ?? nothing);
  const pictures = async () => {
    /** @type {Picture[]} */
    const all = photo.value ? [{ kind: "photo", data: photo.value }] : [];
    if (pad.current && !pad.current.isEmpty()) all.push({ kind: "signature", data: await pad.current.picture() });
    return all;
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    missing.value = needed && !photo.value && !signed.value;
    const collected = cash ? collecting.read() : undefined;
    if (!waits.value && !missing.value && !cash === !collected) void store(async () => go({ pictures: await pictures(), collected }));
  };
  const optional = html`<span class="soft">${t(needed ? "courier.proofs.either" : "courier.proofs.optional")}</span>`;
  return html`<form class="stack proofs" noValidate onSubmit=${submit}>
    ${cash && collecting.fields}
    <section class="stack tight"><h3>${t("courier.proofs.photo")} ${optional}</h3>
      <${Photo} photo=${photo} busy=${shrinking} /></section>
    <section class="stack tight"><h3>${t("courier.proofs.signature")} ${optional}</h3>
      <${Signature} drawn=${(/** @type {any} */ drawn) => { pad.current = drawn; }} changed=${(/** @type {boolean} */ empty) => { signed.value = !empty; }} />
      <button type="button" class="button" disabled=${!signed.value} onClick=${() => pad.current?.clear()}>${t("courier.proofs.signature.clear")}</button></section>
    <${Unstored} failed=${failed} />
    ${needed && html`<div role="alert">${missing.value && !photo.value && !signed.value && html`<p class="fault">${t("courier.proofs.missing")}</p>`}</div>`}
    <button class="button first large" aria-disabled=${waits.value}>${button}</button>
  </form>`;
};

/**
 * Asks for what belongs to a delivery before it is recorded.
 * @param {Job} job
 * @param {Go} go
 */
export const askProofs = (job, go) =>
  askFor({ cash: job.cod, needed: false, title: t("courier.proofs.title", { name: job.stop.name }), button: t("courier.do.delivered") }, go);

/** Asks for a photo or a signature of the sender who gets parcels back. @param {string} name the sender's @param {Go} go */
export const askGivenBack = (name, go) =>
  askFor({ cash: null, needed: true, title: t("courier.bring.title", { name }), button: t("courier.bring.do.sender") }, go);

/** @param {Asked} asked @param {Go} go */
const askFor = (asked, go) => ask(asked.title, () => html`<${Proofs} asked=${asked} go=${go} />`);
