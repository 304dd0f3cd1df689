// Choosing a courier by typing: a combobox with the couriers who work, the nearest first, with how many stops each has
// and how far away each is.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { allCouriers } from "./api.js";
import { noCourier } from "./columns.js";
import { html } from "dropyard/html.js";
import { distances } from "./places.js";
import { plain } from "dropyard/plain.js";
import { store } from "./store.js";
import { n, number, t } from "dropyard/text.js";
import { whyNot } from "./acts.js";

/** @typedef {import("./api.js").Courier} Courier */

/** Counts the open orders of each courier. @param {Iterable<{courier: {courier_id: string} | null}>} rows @returns {Map<string, number>} */
export const loads = (rows) => {
  const counted = new Map();
  for (const { courier } of rows) if (courier) counted.set(courier.courier_id, (counted.get(courier.courier_id) ?? 0) + 1);
  return counted;
};

/** Compares numbers, of which both may be infinite. @param {number} a @param {number} b */
const compare = (a, b) => a === b ? 0 : a - b;

/** Reports whether each word is at the beginning of one in a text. @param {string} text @param {string[]} words */
const begins = (text, words) => words.every((word) => ` ${plain(text)}`.includes(` ${word}`));

/**
 * Returns the couriers whose names or vehicles have the words of a text. Those whose names have words that begin with
 * them come first, because Enter takes the first. Then the nearest are first, by whole kilometres, and among those who
 * are equally far the ones with the fewest stops. Those whose distance is not known come last.
 * @param {Courier[]} couriers
 * @param {string} text
 * @param {Map<string, number>} load
 * @param {Map<string, number>} [far] kilometres
 */
export const match = (couriers, text, load, far = new Map()) => {
  const words = plain(text).split(/\s+/).filter(Boolean);
  /** @param {Courier} courier */
  const kilometres = ({ courier_id: id }) => Math.round(far.get(id) ?? Infinity);
  return couriers.filter((courier) => words.every((word) => plain(`${courier.name} ${courier.vehicle}`).includes(word)))
    .sort((a, b) => Number(begins(b.name, words)) - Number(begins(a.name, words)) || compare(kilometres(a), kilometres(b)) || (load.get(a.courier_id) ?? 0) - (load.get(b.courier_id) ?? 0) || a.name.localeCompare(b.name));
};

/** How many stops a courier has, and how far away the courier is. @param {number} stops @param {number | undefined} km */
const standingOf = (stops, km) => `${n("act.stops", stops)} · ${km === undefined ? "–" : t("act.km", { km: number(Math.round(km * 10) / 10) })}`;

/** How many couriers are listed. */
const most = 50;

/** Stands for no courier. @returns {Courier} */
const none = () => ({ courier_id: noCourier, name: t("views.no_courier"), phone: "", vehicle: "", active: true });

/** Names the cities that orders go to, with how many go to each; empty if it is one. @param {{city?: string}[]} orders */
export const citiesOf = (orders) => {
  /** @type {Map<string, number>} */
  const counted = new Map();
  for (const { city } of orders) if (city) counted.set(city, (counted.get(city) ?? 0) + 1);
  return counted.size < 2 ? "" : [...counted].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([city, count]) => `${city} (${number(count)})`).join(", ");
};

/**
 * Asks for a courier.
 * @param {{pick: (courier: Courier) => void, orders: import("./places.js").Wanted[], except?: string, orNone?: boolean}} props orders
 *   are those that get the courier; except is a courier who is not offered; with orNone it offers none as well
 */
export const Picker = ({ pick, orders, except = "", orNone = false }) => {
  const far = useRef(/** @type {Map<string, number>} */ (new Map()));
  const couriers = useSignal(/** @type {Courier[] | null} */ (null)), failed = useSignal(""), text = useSignal(""), at = useSignal(0);
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    allCouriers().then(async (found) => {
      const offered = found.filter((courier) => courier.active && courier.courier_id !== except);
      far.current = await distances(offered.map((courier) => courier.courier_id), orders); // the list does not change under the keyboard
      couriers.value = offered;
    }).catch((error) => { failed.value = whyNot(error); });
  }, []);
  const load = loads(store.ordered), shown = match(couriers.value ?? [], text.value, load, far.current).slice(0, most);
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
  const cities = citiesOf(orders.map((order) => store.rows.get(order.order_id) ?? order));
  return html`<div class="field">
    ${cities && html`<p class="soft" data-cities>${t("act.cities", { cities })}</p>`}
    <label for="courier">${t("act.courier")}</label>
    <input id="courier" autofocus class="input" role="combobox" aria-expanded="true" aria-controls="courier-list" aria-autocomplete="list" autocomplete="off"
      aria-activedescendant=${shown.length ? `courier-${current}` : undefined} value=${text.value} placeholder=${t("act.courier.search")} onKeyDown=${key}
      onInput=${(/** @type {{currentTarget: HTMLInputElement}} */ event) => { text.value = event.currentTarget.value; at.value = 0; }} />
    ${failed.value && html`<p class="fault" role="alert">${failed.value}</p>`}
    <ul ref=${list} id="courier-list" class="options" role="listbox" aria-label=${t("act.courier")}>
      ${shown.map((courier, i) => html`<li key=${courier.courier_id} data-courier=${courier.courier_id} id=${`courier-${i}`} role="option" aria-selected=${i === current} onClick=${() => pick(courier)}>
        <span>${courier.name} <span class="soft">${courier.vehicle}</span></span> ${courier.courier_id !== noCourier && html`<span class="soft far">${standingOf(load.get(courier.courier_id) ?? 0, far.current.get(courier.courier_id))}</span>`}</li>`)}
    </ul>
    <p class="soft small" role="status">${couriers.value && !shown.length ? t("act.courier.none") : ""}</p>
  </div>`;
};
