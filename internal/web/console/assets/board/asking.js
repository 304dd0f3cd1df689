// The dialogs of acts that need more than a press: a courier, a reason, or a second look.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { reader, say, transfer } from "./acts.js";
import { centsOf, inDollars, money } from "dropyard/amounts.js";
import { ask, close } from "dropyard/dialog.js";
import { draft, drafted } from "dropyard/draft.js";
import { html } from "dropyard/html.js";
import { Picker } from "./picker.js";
import { n, t } from "dropyard/text.js";
import { instant, local, zoneName, zoneOf } from "dropyard/zone.js";

/** @typedef {import("./acts.js").Move} Move */
/** An order that a dialog is about; its province, and its zone as the board has it, are where it goes, next is when the next attempt is planned, due what is paid at the door, and unpicked whether its pickup has failed. @typedef {{order_id: string, partner_order_id: string, status: string, courier?: {courier_id: string} | null, province?: string, zone?: string, next?: string, due?: import("dropyard/amounts.js").Amount | null, unpicked?: boolean}} Asked */
/** @typedef {(move: Move, receiver?: string) => void} Go what happens when it is decided; receiver is the name of the courier or location that gets the orders */

/** The number of an order, or how many there are. @param {{partner_order_id: string}[]} orders */
const what = (orders) => orders.length === 1 ? orders[0]?.partner_order_id ?? "" : n("act.orders", orders.length);

/** Asks for a courier. @param {Asked[]} orders @param {boolean} again some of them have one @param {Go} go */
export const askCourier = (orders, again, go) => ask(t(again ? "act.reassign.title" : "act.to.courier_assigned.title", { order: what(orders) }),
  () => html`<${Picker} orders=${orders} pick=${(/** @type {import("./api.js").Courier} */ courier) => { close(); go({ status: "courier_assigned", courier_id: courier.courier_id }, courier.name); }} />`);

/** The courier who has all of the orders; empty if there is none. @param {Asked[]} orders */
const onlyCourier = (orders) => {
  const [id = "", ...others] = new Set(orders.map(({ courier }) => courier?.courier_id ?? ""));
  return others.length ? "" : id;
};

/** Asks who gets the parcels of orders. @param {Asked[]} orders @param {Go} go */
const askReceiver = (orders, go) => import("./goods.js").then(({ Receivers }) => {
  ask(t("act.transfer.title", { order: what(orders) }),
    () => html`<${Receivers} orders=${orders} except=${onlyCourier(orders)} go=${(/** @type {import("./goods.js").Receiver} */ to, /** @type {string} */ name) => go({ status: transfer, ...to }, name)} />`);
}, () => say(t("act.unreachable"), true));

/** The name of what is typed for a move of orders. @param {string} to @param {{order_id: string}[]} orders */
const draftName = (to, orders) => `act:${reader}:${to}:${orders.length === 1 ? orders[0]?.order_id : "many"}`;

/** Forgets what was typed for a move: it is done. @param {string} to @param {{order_id: string}[]} orders */
export const forget = (to, orders) => draft(draftName(to, orders), "");

/**
 * Returns the fields of a dialog, a function that keeps them with each input, and one that ends the dialog. What is typed
 * stays until forget, so that the end of the session does not lose it; without the function the dialog was given up.
 * @param {string} to @param {Asked[]} orders
 */
const useFields = (to, orders) => {
  const name = draftName(to, orders), sent = useRef(false);
  const fields = useSignal(/** @type {Record<string, string>} */ (JSON.parse(drafted(name) || "{}")));
  useLayoutEffect(() => () => { if (!sent.current) draft(name, ""); }, []);
  /** @param {{currentTarget: HTMLFormElement}} event */
  const keep = ({ currentTarget: form }) => {
    fields.value = Object.fromEntries([...new FormData(form)].map(([field, value]) => [field, String(value)]));
    draft(name, JSON.stringify(fields.value));
  };
  /** @param {Event} event */
  const end = (event) => {
    event.preventDefault();
    sent.current = true;
    close();
  };
  return { fields: fields.value, keep, end };
};

/** @param {{orders: Asked[], go: Go}} props */
const Cancellation = ({ orders, go }) => {
  const { fields, keep, end } = useFields("cancelled", orders);
  return html`<form class="stack" onInput=${keep} onSubmit=${(/** @type {Event} */ event) => { end(event); go({ status: "cancelled", reason: (fields.reason ?? "").trim() }); }}>
    <p>${n("act.cancel.what", orders.length)}</p>
    <div class="field"><label for="act-reason">${t("act.reason")}</label><p class="hint" id="act-reason-hint">${t("act.reason.hint")}</p>
      <textarea class="input" id="act-reason" name="reason" autofocus aria-describedby="act-reason-hint" maxlength="500" value=${fields.reason ?? ""}></textarea></div>
    <div class="line"><button class="button danger">${n("act.cancel.yes", orders.length)}</button><button type="button" class="button" onClick=${close}>${t("act.back")}</button></div>
  </form>`;
};

/** Asks before a cancellation. @param {Asked[]} orders @param {Go} go */
export const askCancel = (orders, go) => ask(t("act.to.cancelled.title", { order: what(orders) }), () => html`<${Cancellation} orders=${orders} go=${go} />`);

const reasons = () => [["not_home", t("failure.not_home")], ["wrong_address", t("failure.wrong_address")], ["no_access", t("failure.no_access")],
  ["declined", t("failure.declined")], ["damaged", t("failure.damaged")], ["other", t("failure.other")]];

/** @param {{order: Asked, zone: import("dropyard/zone.js").Zone, go: Go}} props */
const Failure = ({ order, zone, go }) => {
  const { fields, keep, end } = useFields("failed", [order]);
  /** @param {{currentTarget: HTMLFormElement} & Event} event */
  const submit = (event) => {
    const values = new FormData(event.currentTarget), next = String(values.get("next")), notes = String(values.get("notes")).trim();
    end(event);
    go({ status: "failed", failure_reason: String(values.get("reason")), ...(next && { next_attempt: instant(next, zone).toISOString() }), ...(notes && { notes }) });
  };
  return html`<form class="stack" onInput=${keep} onSubmit=${submit}>
  <div class="field"><label for="act-failure">${t("act.reason")}</label>
    <select class="input" id="act-failure" autofocus name="reason" value=${fields.reason ?? "not_home"}>${reasons().map(([value, label]) => html`<option key=${value} value=${value}>${label}</option>`)}</select></div>
  <div class="field"><label for="act-next">${t("act.next")}</label><p class="hint" id="act-next-hint">${t("act.next.hint", { zone: zoneName(zone) })}</p>
    <input class="input" id="act-next" name="next" type="datetime-local" aria-describedby="act-next-hint" value=${fields.next ?? ""} /></div>
  <div class="field"><label for="act-remark">${t("act.remark")}</label><p class="hint" id="act-remark-hint">${t("act.remark.hint")}</p>
    <textarea class="input" id="act-remark" name="notes" maxlength="1000" aria-describedby="act-remark-hint" value=${fields.notes ?? ""}></textarea></div>
  <div class="line"><button class="button danger">${t("act.to.failed.do")}</button><button type="button" class="button" onClick=${close}>${t("act.back")}</button></div>
</form>`;
};

/** Asks why an attempt has failed. @param {Asked} order @param {Go} go */
export const askFailure = (order, go) => ask(t("act.to.failed.title", { order: order.partner_order_id }), () => html`<${Failure} order=${order} zone=${zoneOf(order.province ?? "", order.zone ?? "")} go=${go} />`);

/** @param {{order: Asked, zone: import("dropyard/zone.js").Zone, go: Go}} props */
const NextAttempt = ({ order, zone, go }) => {
  const { fields, keep, end } = useFields("again", [order]);
  /** @param {{currentTarget: HTMLFormElement} & Event} event */
  const submit = (event) => {
    const values = new FormData(event.currentTarget), at = String(values.get("at"));
    end(event);
    go({ status: String(values.get("start")), ...(at && { eta: instant(at, zone).toISOString() }) });
  };
  return html`<form class="stack" onInput=${keep} onSubmit=${submit}>
    <div class="field"><label for="act-start">${t("act.next")}</label>
      <select class="input" id="act-start" autofocus name="start" value=${fields.start ?? (order.next ? "in_transit" : "out_for_delivery")}>
        <option value="out_for_delivery">${t(order.unpicked ? "act.again.got.now" : "act.again.now")}</option><option value="in_transit">${t(order.unpicked ? "act.again.got" : "act.again.later")}</option></select></div>
    <div class="field"><label for="act-at">${t("act.again.at")}</label><p class="hint" id="act-at-hint">${t("act.again.hint", { zone: zoneName(zone) })}</p>
      <input class="input" id="act-at" name="at" type="datetime-local" aria-describedby="act-at-hint" value=${fields.at ?? (order.next ? local(Date.parse(order.next), zone) : "")} /></div>
    <div class="line"><button class="button first">${t("act.again.do")}</button><button type="button" class="button" onClick=${close}>${t("act.back")}</button></div>
  </form>`;
};

/** Asks when an order is tried again whose attempt has failed. @param {Asked} order @param {Go} go */
const askAgain = (order, go) => ask(t("act.again.title", { order: order.partner_order_id }), () => html`<${NextAttempt} order=${order} zone=${zoneOf(order.province ?? "", order.zone ?? "")} go=${go} />`);

const methods = () => [["cash", t("cash.method.cash")], ["terminal", t("cash.method.terminal")], ["none", t("cash.method.none")]];

/** @param {{order: Asked, due: import("dropyard/amounts.js").Amount, go: Go}} props */
const Collection = ({ order, due, go }) => {
  const { fields, keep, end } = useFields("delivered", [order]), tried = useSignal(false);
  const { amount = inDollars(due.amount_cents), method = "cash", notes = "" } = fields;
  const none = method === "none", cents = none ? 0 : centsOf(amount), differs = cents !== due.amount_cents;
  const wrong = { amount: !none && !(cents > 0), notes: differs && !notes.trim() };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    tried.value = true;
    if (wrong.amount || wrong.notes) return document.getElementById(wrong.amount ? "act-amount" : "act-why")?.focus();
    end(event);
    go({ status: "delivered", collected: { amount_cents: cents, currency: due.currency, method, ...(notes.trim() && { notes: notes.trim() }) } });
  };
  /** @param {boolean} isWrong @param {string} id */
  const about = (isWrong, id) => ({ "aria-invalid": tried.value && isWrong ? "true" : null, "aria-describedby": tried.value && isWrong ? `${id}-fault ${id}-hint` : `${id}-hint` });
  return html`<form class="stack" novalidate onInput=${keep} onSubmit=${submit}>
    <div class="field"><label for="act-method">${t("cash.method")}</label>
      <select class="input" id="act-method" name="method" autofocus value=${method}>${methods().map(([value, label]) => html`<option key=${value} value=${value}>${label}</option>`)}</select></div>
    <div class="field" hidden=${none}><label for="act-amount">${t("cash.collected")}</label><p class="hint" id="act-amount-hint">${t("cash.to_collect", { amount: money(due) })}</p>
      <input class="input" id="act-amount" name="amount" inputmode="decimal" autocomplete="off" value=${amount} ...${about(wrong.amount, "act-amount")} />
      ${tried.value && wrong.amount && html`<p class="fault" id="act-amount-fault">${t("neworder.fault.amount")}</p>`}</div>
    <div class="field"><label for="act-why">${t("cash.why")}</label><p class="hint" id="act-why-hint">${t("cash.why.hint")}</p>
      <input class="input" id="act-why" name="notes" maxlength="500" value=${notes} ...${about(wrong.notes, "act-why")} />
      ${tried.value && wrong.notes && html`<p class="fault" id="act-why-fault">${t("fault.required")}</p>`}</div>
    <div class="line"><button class="button first">${t("act.to.delivered.do")}</button><button type="button" class="button" onClick=${close}>${t("act.back")}</button></div>
  </form>`;
};

/** Asks what was collected at the door. @param {Asked} order @param {import("dropyard/amounts.js").Amount} due @param {Go} go */
const askCollected = (order, due, go) => ask(t("act.to.delivered.title", { order: order.partner_order_id }), () => html`<${Collection} order=${order} due=${due} go=${go} />`);

/**
 * Asks for what a move needs, and goes on at once with one that needs nothing.
 * @param {string} to
 * @param {Asked[]} orders one if the attempt has failed, or is made again
 * @param {Go} go
 */
export const decide = (to, orders, go) => {
  if (to === "courier_assigned") return askCourier(orders, orders.some((one) => one.status === to), go);
  if (to === transfer) return askReceiver(orders, go);
  if (to === "failed" && orders[0]) return askFailure(orders[0], go);
  if (to === "again" && orders[0]) return askAgain(orders[0], go);
  if (to === "delivered" && orders[0]?.due) return askCollected(orders[0], orders[0].due, go);
  return to === "cancelled" ? askCancel(orders, go) : go({ status: to });
};
