// The proofs of an order in its panel: pictures, and adding one.

import { useSignal } from "@preact/signals";
import { say, whyNot } from "./acts.js";
import { call, newKey } from "./api.js";
import { tick } from "dropyard/clock.js";
import { html } from "dropyard/html.js";
import { accepted, isHEIC } from "dropyard/photo.js";
import { moment, t } from "dropyard/text.js";

/** The statuses in which the desk may add proofs. */
const provable = ["picked_up", "in_transit", "out_for_delivery", "delivered", "failed"];
/** How many proofs an order may have. */
const most = 10;

/** The address of a picture on this server. @param {string} url */
const pathOf = (url) => new URL(url, location.href).pathname;

/** How long a picture may take over a bad connection, in milliseconds. */
const patience = 300000;

/**
 * Sends a picture. The same file is one proof, however often it is sent.
 * @param {string} id
 * @param {string} kind
 * @param {Blob} file
 */
const upload = (id, kind, file) => call("POST", `/orders/${id}/proofs?kind=${kind}`, { body: file, key: newKey(), timeout: patience });

/** @param {{record: Record<string, any>, added: () => void}} props */
export const Proofs = ({ record, added }) => {
  const busy = useSignal(false), fault = useSignal(""), kind = useSignal("photo");
  const mayAdd = provable.includes(record.status) && record.proofs.length < most;
  if (!mayAdd && !record.proofs.length) return null;
  /** @param {{currentTarget: HTMLInputElement}} event */
  const choose = async ({ currentTarget: input }) => {
    const file = input.files?.[0];
    if (!file) return;
    fault.value = await isHEIC(file) ? t("act.proof.heic") : "";
    input.value = "";
    if (fault.value) return;
    busy.value = true;
    const sent = await accepted(file).catch(() => file); // the service says what is wrong with it
    try {
      await upload(record.order_id, kind.value, sent);
      say(t("act.proof.added"));
      added();
    } catch (error) {
      fault.value = /** @type {any} */ (error).code === "validation_error" || /** @type {any} */ (error).status === 413 ? t("act.proof.unfit") : whyNot(error);
    }
    busy.value = false;
  };
  return html`<section>
    <h3>${t("order.proofs")}</h3>
    <div class="proofs">${record.proofs.map((/** @type {any} */ proof) => html`<figure key=${proof.proof_id}>
      <a href=${pathOf(proof.url)}><img src=${pathOf(proof.url)} width="140" height="105" loading="lazy" alt=${proof.kind === "signature" ? t("act.proof.signature") : t("act.proof.photo")} /></a>
      <figcaption class="soft small">${moment(Date.parse(proof.at), tick.value)}</figcaption></figure>`)}</div>
    ${mayAdd && html`<div class="line">
      <select class="input kind" aria-label=${t("act.proof.kind")} value=${kind.value} onChange=${(/** @type {{currentTarget: HTMLSelectElement}} */ event) => { kind.value = event.currentTarget.value; }}>
        <option value="photo">${t("act.proof.photo")}</option><option value="signature">${t("act.proof.signature")}</option></select>
      <input class="input file" type="file" accept="image/png,image/jpeg,image/webp" aria-label=${t("act.proof.file")} disabled=${busy.value} onChange=${choose} />
    </div>
    ${fault.value && html`<p class="fault" role="alert">${fault.value}</p>`}`}
  </section>`;
};
