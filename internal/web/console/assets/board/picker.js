// Choosing a courier by typing: a combobox with the couriers who work, and how many open
// orders each has.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { allCouriers } from "./api.js";
import { noCourier } from "./columns.js";
import { html } from "dropyard/html.js";
import { plain } from "dropyard/plain.js";
import { store } from "./store.js";
import { n, t } from "dropyard/text.js";
import { whyNot } from "./acts.js";

/** @typedef {import("./api.js").Courier} Courier */

/** Counts the open orders of each courier. @param {Iterable<{courier: {courier_id: string} | null}>} rows @returns {Map<string, number>} */
export const loads = (rows) => {
  const counted = new Map();
  for (const { courier } of rows) if (courier) counted.set(courier.courier_id, (counted.get(courier.courier_id) ?? 0) + 1);
  return counted;
};

/**
 * Returns the couriers whose names or vehicles have the words of a text, those with the
 * fewest open orders first.
 * @param {Courier[]} couriers
 * @param {string} text
 * @param {Map<string, number>} load
 */
export const match = (couriers, text, load) => {
  const words = plain(text).split(/\s+/).filter(Boolean);
  return couriers.filter((courier) => words.every((word) => plain(`${courier.name} ${courier.vehicle}`).includes(word)))
    .sort((a, b) => (load.get(a.courier_id) ?? 0) - (load.get(b.courier_id) ?? 0) || a.name.localeCompare(b.name));
};

/** How many couriers are listed. */
const most = 50;

/** Stands for no courier. @returns {Courier} */
const none = () => ({ courier_id: noCourier, name: t("views.no_courier"), phone: "", vehicle: "", active: true });

/**
 * Asks for a courier.
 * @param {{pick: (courier: Courier) => void, except?: string, orNone?: boolean}} props except is
 *   a courier who is not offered; with orNone it offers none as well
 */
export const Picker = ({ pick, except = "", orNone = false }) => {
  const couriers = useSignal(/** @type {Courier[] | null} */ (null)), failed = useSignal(""), text = useSignal(""), at = useSignal(0);
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    allCouriers().then((found) => { couriers.value = found.filter((courier) => courier.active && courier.courier_id !== except); }, (error) => { failed.value = whyNot(error); });
  }, []);
  const load = loads(store.ordered), shown = match(couriers.value ?? [], text.value, load).slice(0, most);
  if (orNone) shown.push(...match([none()], text.value, load));
  const current = Math.min(at.value, shown.length - 1);
  useLayoutEffect(() => { list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }); }, [current]);
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    const chosen = shown[current];
    if (event.key === "ArrowDown") at.value = Math.min(current + 1, shown.length - 1);
    else if (event.key === "ArrowUp") at.value = Math.max(current - 1, 0);
    else if (event.key === "Enter" && chosen) pick(chosen);
    else return;
    event.preventDefault();
  };
  return html`<div class="field">
    <label for="courier">${t("act.courier")}</label>
    <input id="courier" autofocus class="input" role="combobox" aria-expanded="true" aria-controls="courier-list" aria-autocomplete="list" autocomplete="off"
      aria-activedescendant=${shown.length ? `courier-${current}` : undefined} value=${text.value} placeholder=${t("act.courier.search")} onKeyDown=${key}
      onInput=${(/** @type {{currentTarget: HTMLInputElement}} */ event) => { text.value = event.currentTarget.value; at.value = 0; }} />
    ${failed.value && html`<p class="fault" role="alert">${failed.value}</p>`}
    <ul ref=${list} id="courier-list" class="options" role="listbox" aria-label=${t("act.courier")}>
      ${shown.map((courier, i) => html`<li key=${courier.courier_id} data-courier=${courier.courier_id} id=${`courier-${i}`} role="option" aria-selected=${i === current} onClick=${() => pick(courier)}>
        <span>${courier.name} <span class="soft">${courier.vehicle}</span></span> ${courier.courier_id !== noCourier && html`<span class="soft">${n("act.load", load.get(courier.courier_id) ?? 0)}</span>`}</li>`)}
    </ul>
    <p class="soft small" role="status">${couriers.value && !shown.length ? t("act.courier.none") : ""}</p>
  </div>`;
};
