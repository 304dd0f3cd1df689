// Asking what was collected at the door, and the cash that the courier carries.

import { useSignal } from "@preact/signals";
import { tick } from "dropyard/clock.js";
import { html } from "dropyard/html.js";
import { moment, shorten, t } from "dropyard/text.js";
import { centsOf, inDollars, money } from "dropyard/amounts.js";
import { maxNotes } from "./cash.js";

/** @typedef {import("./cash.js").Cash} Cash */
/** @typedef {import("./cash.js").Collected} Collected */
/** @typedef {import("./round.js").Round} Round */

/** The ways to pay, as the service names them. @returns {[Collected["method"], string][]} */
const methods = () => [["cash", t("courier.collected.cash")], ["terminal", t("courier.collected.terminal")], ["none", t("courier.collected.none")]];

/** Selects what is in a field, so that what is typed replaces it. @param {{currentTarget: HTMLInputElement}} event */
const selectAll = ({ currentTarget }) => currentTarget.select();

/** What is wrong with what was entered, by field; empty if it can be recorded. @typedef {{method?: string, amount?: string, notes?: string}} Faults */

/**
 * Asks what was collected. It returns the fields; and read, which returns what was entered, or
 * undefined after saying what is wrong with it, beside the first field of which the focus is then.
 * @param {Cash} due the amount to collect
 * @param {Collected} [before] what was recorded, and not accepted
 * @param {boolean} [explained] the service wants the reason of that amount
 * @returns {{fields: import("dropyard/html.js").Element, read: () => Collected | undefined}}
 */
export const useCollecting = (due, before, explained = false) => {
  const method = useSignal(/** @type {Collected["method"] | ""} */ (before?.method ?? "")), notes = useSignal(before?.notes ?? "");
  const amount = useSignal(inDollars(before?.currency === due.currency && before.amount_cents || due.amount_cents)), tried = useSignal(false);
  const none = method.value === "none", cents = none ? 0 : centsOf(amount.value), off = cents - due.amount_cents;
  const differs = off !== 0 && (none || cents >= 0) || explained && cents === before?.amount_cents;
  /** @returns {Faults} */
  const faults = () => ({
    ...!method.value && { method: t("courier.collected.method.missing") },
    ...Number.isNaN(cents) ? { amount: t("courier.collected.amount.unfit", { amount: inDollars(4999) }) } : cents === 0 && !none && { amount: t("courier.collected.amount.none") },
    ...differs && !notes.value.trim() && { notes: t("courier.collected.notes.missing") },
  });
  const wrong = tried.value ? faults() : {};
  const read = () => {
    const [first] = Object.keys(faults());
    tried.value = true;
    if (first) return void document.getElementById(`collected-${first}`)?.focus();
    return { amount_cents: cents, currency: due.currency, method: /** @type {Collected["method"]} */ (method.value), ...(differs && { notes: notes.value.trim() }) };
  };
  /** @param {import("@preact/signals").Signal<any>} signal */
  const into = (signal) => (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => { signal.value = currentTarget.value; };
  /** @param {keyof Faults} field */
  const fault = (field) => html`<p class="fault" id=${`collected-${field}-fault`}>${wrong[field]}</p>`;
  /** @param {keyof Faults} field @param {string} [hint] the id of its hint */
  const about = (field, hint) => ({ "aria-invalid": wrong[field] ? "true" : null, "aria-describedby": [wrong[field] && `collected-${field}-fault`, hint].filter(Boolean).join(" ") || null });
  const fields = html`<div class="stack">
    <p class="cod"><span>${t("courier.collect")}</span> <b>${due.amount_cents ? money(due) : t("courier.changed.nothing")}</b></p>
    <fieldset class="reasons" role="radiogroup" aria-required="true" ...${about("method")}><legend>${t("courier.collected.method")}</legend>
      ${methods().map(([value, label], i) => html`<label class="choice" key=${value}><input type="radio" name="method" id=${i ? null : "collected-method"} value=${value} checked=${method.value === value} onChange=${into(method)} /><span>${label}</span></label>`)}
      ${wrong.method && fault("method")}</fieldset>
    ${!none && html`<div class="field" key="amount"><label for="collected-amount">${t("courier.collected.amount")}</label><p class="hint" id="collected-amount-hint">${t(due.currency === "USD" ? "courier.collected.usd" : "courier.collected.cad")}</p>
      <input class="input amount" id="collected-amount" inputmode="decimal" autocomplete="off" required value=${amount.value} onFocus=${selectAll} onInput=${into(amount)} ...${about("amount", "collected-amount-hint")} />
      ${wrong.amount && fault("amount")}</div>`}
    <div key="difference" role="status">${off !== 0 && differs && html`<p class="notice warn differs">${t(off < 0 ? "courier.collected.less" : "courier.collected.more", { amount: money({ ...due, amount_cents: Math.abs(off) }) })}</p>`}</div>
    ${differs && html`<div class="field" key="notes"><label for="collected-notes">${t("courier.collected.notes")}</label><p class="hint" id="collected-notes-hint">${t("courier.collected.notes.hint")}</p>
      <textarea class="input" id="collected-notes" required maxlength=${maxNotes} value=${notes.value} onInput=${into(notes)} ...${about("notes", "collected-notes-hint")}></textarea>
      ${wrong.notes && fault("notes")}</div>`}
  </div>`;
  return { fields, read };
};

/** @param {{order: import("./cash.js").CashOfOrder, name?: string, waits: boolean}} props */
const Carried = ({ order, name, waits }) => {
  const { order_id: id, partner_order_id: number, collected_at: at, unconfirmed } = order;
  return html`<li><span class="brief"><bdi>${id === null ? t("courier.carried.corrections") : name ?? number ?? shorten(id)}</bdi>
      ${at && html`<span class="soft">${moment(Date.parse(at), tick.value)}</span>`}
      ${waits && html`<span class="unsent">${t("courier.unsent")}</span>`}
      ${unconfirmed && html`<span class="unsent">${t("courier.carried.unconfirmed")}</span>`}</span>
    <b>${money(order)}</b></li>`;
};

/** The cash that the courier carries, with its orders behind it. @param {{round: Round}} props */
export const CashWithYou = ({ round }) => {
  const { balances, orders } = round.cash.value, waiting = new Set(round.world.waiting.value.map(({ order_id: id }) => id));
  const sums = balances.filter(({ amount_cents }) => amount_cents !== 0).map(money);
  if (!sums.length && !orders.length) return null;
  return html`<details class="done cash"><summary>${t("courier.carried", { amount: sums.join(" + ") || money({ amount_cents: 0, currency: "CAD" }) })}</summary>
    <ul>${orders.map((order, i) => html`<${Carried} key=${order.order_id ?? i} order=${order} name=${round.names.value[order.order_id ?? ""]} waits=${waiting.has(order.order_id ?? "")} />`)}</ul></details>`;
};
