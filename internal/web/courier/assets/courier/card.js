// What the cards of stops and of parcels to bring back have in common.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { html } from "dropyard/html.js";
import { n, postal, t } from "dropyard/text.js";
import { isOnIOS } from "./install.js";
import { mapOf } from "./maps.js";

/** Where a courier goes. @typedef {Pick<import("./round.js").Stop, "name" | "phone" | "address">} Place */

/** Returns "2 parcels, 1 fragile". @param {{parcels: {fragile: boolean}[]}} job */
export const parcelsOf = ({ parcels }) => {
  const fragile = parcels.filter((parcel) => parcel.fragile).length, all = n("courier.parcels", parcels.length);
  return fragile ? `${all}${t("time.comma")} ${n("courier.fragile", fragile)}` : all;
};

/** @param {{job: {stop: Place}}} props */
export const Address = ({ job: { stop: { address } } }) => html`<p class="address">
  <span>${[address.line1, address.line2].filter(Boolean).join(", ")}</span> <span>${address.city} ${postal(address.postal_code)}</span></p>`;

/** Calling, finding the way, and reading labels. @param {{job: {stop: Place}, scan: () => void}} props */
export const Ways = ({ job, scan }) => html`<div class="reach">
  <a class="button" href=${`tel:${job.stop.phone}`} aria-label=${t("courier.call.name", { name: job.stop.name })}>${t("courier.call")}</a>
  <a class="button" ...${mapOf(job.stop.address, isOnIOS())}>${t("courier.navigate")}</a>
  <button type="button" class="button" onClick=${() => scan()}>${t("courier.scan")}</button>
</div>`;

/** Gives the focus to the heading of a card if nothing has it: the stop that was there before had it. */
export const useHeading = () => {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (document.activeElement === document.body || !document.activeElement) heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
};

/** Returns texts without those that are there already. @param {(string | undefined)[]} texts */
export const distinct = (texts) => [...new Set(texts.filter(Boolean))];

/**
 * Returns the orders of a card that are ticked, and the list in which one that is not there is unticked.
 * @template {{order_id: string, partner_order_id: string, partner_name: string, parcels: unknown[]}} J
 * @param {string} legend
 * @param {J[]} jobs
 */
export const useTicks = (legend, jobs) => {
  const absent = useSignal(/** @type {ReadonlySet<string>} */ (new Set())), taken = jobs.filter(({ order_id: id }) => !absent.value.has(id));
  /** @param {string} id */
  const toggle = (id) => {
    const next = new Set(absent.value);
    if (!next.delete(id)) next.add(id);
    absent.value = next;
  };
  const ticks = html`<fieldset class="reasons"><legend>${legend}</legend>
    ${jobs.map((job) => html`<label class="choice" key=${job.order_id}><input type="checkbox" checked=${!absent.value.has(job.order_id)} onChange=${() => toggle(job.order_id)} />
      <span><b translate=${false}>${job.partner_order_id}</b> <span class="soft"><bdi>${job.partner_name}</bdi> · ${n("courier.parcels", job.parcels.length)}</span></span></label>`)}</fieldset>`;
  return { taken, ticks };
};
