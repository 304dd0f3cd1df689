// The panel of the order that is open, but for its notes: all that operators see of it, and
// what may be done with it now.

import { useLayoutEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { inHands, insist, moveKey, moves, press, pressMove, pressTransfer, reader, say, transfer, whyNot } from "./acts.js";
import { decide, forget } from "./asking.js";
import { Charged, readsBooks } from "./charged.js";
import { Confirmations } from "./confirmed.js";
import { tick } from "dropyard/clock.js";
import { doneText, undoOf } from "./done.js";
import { Badge, html } from "dropyard/html.js";
import { History } from "./history.js";
import { When, nameOf } from "./notes.js";
import { later } from "./later.js";
import { entered, noteField, open, panelTitle } from "./route.js";
import { dueOf } from "./rows.js";
import { dollars, due, full, moment, n, number, phone, postal, shorten, t } from "dropyard/text.js";
import { Proofs } from "./proofs.js";
import { Trouble, again, confirm, isHelp, isUnpicked, lastUnconfirmed, troubleOf } from "./trouble.js";
import { windowIn, zoneOf } from "dropyard/zone.js";

/** @typedef {import("./notes.js").OrderRecord} OrderRecord */

/** Who had the parcels. */
const Goods = later(async () => (await import("./goods.js")).Goods);

/** The names of the moves. @type {() => Record<string, string>} */
const labels = () => ({
  "act.to.accepted": t("act.to.accepted"), "act.to.courier_assigned": t("act.to.courier_assigned"), "act.to.picked_up": t("act.to.picked_up"),
  "act.to.in_transit": t("act.to.in_transit"), "act.to.out_for_delivery": t("act.to.out_for_delivery"), "act.to.delivered": t("act.to.delivered"),
  "act.to.failed": t("act.to.failed"), "act.to.cancelled": t("act.to.cancelled"), "act.unassign": t("act.unassign"), "act.reassign": t("act.reassign"),
});

/** A window on the clocks of the reader. @param {{start: string, end: string}} window */
const fullWindow = ({ start, end }) => `${full(Date.parse(start))} – ${full(Date.parse(end))}`;

/** One end of the delivery. @param {{title: string, stop: any}} props */
const Stop = ({ title, stop }) => html`<section>
  <h3>${title}</h3>
  <p><bdi>${stop.name}</bdi></p>
  <p><bdi>${stop.address.line1}${stop.address.line2 ? `, ${stop.address.line2}` : ""}</bdi>, <bdi>${stop.address.city}</bdi> ${postal(stop.address.postal_code)}</p>
  <p class="soft"><span title=${fullWindow(stop.time_window)}>${windowIn(stop.time_window, zoneOf(stop.address.province, stop.address.postal_code))}</span> · <a href=${`tel:${stop.phone}`}>${phone(stop.phone)}</a></p>
  ${stop.address.notes && html`<p><bdi>${stop.address.notes}</bdi></p>`}
</section>`;

/** @param {{order: any}} props */
const Parcels = ({ order }) => {
  const weight = order.parcels.reduce((/** @type {number} */ sum, /** @type {any} */ parcel) => sum + parcel.weight_kg, 0);
  return html`<section>
    <h3>${n("track.parcels", order.parcels.length)} · ${number(weight)} kg${order.cod ? ` · ${t("order.cod")} ${dollars(order.cod.amount_cents)}` : ""}</h3>
    <ul>${order.parcels.map((/** @type {any} */ parcel) => html`<li key=${parcel.parcel_id}><bdi>${parcel.description}</bdi>${" · "}
      ${[parcel.dimensions.length_cm, parcel.dimensions.width_cm, parcel.dimensions.height_cm].map(number).join("×")} cm · ${number(parcel.weight_kg)} kg${parcel.fragile && html` · <strong>${t("order.fragile")}</strong>`}</li>`)}</ul>
    ${order.items && html`<ul>${order.items.map((/** @type {any} */ item) => html`<li key=${item.product_id}>${number(item.quantity)} × <bdi>${item.name}</bdi></li>`)}</ul>`}
    ${order.instructions && html`<p><strong>${t("order.instructions")}</strong> <bdi>${order.instructions}</bdi></p>`}
  </section>`;
};

/** What an act on an order is called. @param {OrderRecord} record @param {string} to */
const labelOf = (record, to) => {
  if (to === transfer) return t("act.transfer");
  if (to === again) return t("act.again");
  if (to === confirm) return t("act.confirm");
  return to === "cancelled" && inHands(record) ? t("act.cancel.return") : labels()[moveKey(record.status, to)];
};

/**
 * Buttons for acts on an order. The first one is what is usually done.
 * @param {{record: OrderRecord, acts: string[], busy: boolean, usual: boolean, act: (to: string) => void}} props
 */
const Acts = ({ record, acts, busy, usual, act }) => acts.map((to, i) => html`<button type="button" key=${to} data-to=${to} disabled=${busy}
  class=${to === "failed" || to === "cancelled" ? "button danger" : usual && i === 0 ? "button first" : "button"} onClick=${() => act(to)}>${labelOf(record, to)}</button>`);

/** The acts that are possible now, without those in the box of the trouble. @param {{record: OrderRecord, trouble: import("./trouble.js").Trouble | null, busy: boolean, act: (to: string) => void}} props */
const Moves = ({ record, trouble, busy, act }) => {
  const acts = [...moves[record.status] ?? [], ...(inHands(record) ? [transfer] : [])].filter((to) => !isHelp(trouble, to));
  return html`<div class="line" role="group" translate=${false} aria-label=${t("act.moves")}>
    <${Acts} record=${record} acts=${acts} busy=${busy} usual=${!trouble?.acts.length} act=${act} />
    <a class="button" href=${`/console/orders/${record.order_id}/edit`}>${t("edit.open")}</a></div>`;
};

/** What is wrong with the order, at the top of the panel. @param {{record: OrderRecord, trouble: import("./trouble.js").Trouble | null, busy: boolean, act: (to: string) => void, answer: (grant: boolean, text: string) => void}} props */
const Wrong = ({ record, trouble, busy, act, answer }) => trouble && html`<${Trouble} record=${record} trouble=${trouble} now=${tick.value}>
  ${trouble.acts.length > 0 && html`<div class="line" role="group" translate=${false} aria-label=${t("act.trouble.acts")}><${Acts} record=${record} acts=${trouble.acts} busy=${busy} usual act=${act} /></div>`}
  <${Request} record=${record} busy=${busy} answer=${answer} />
<//>`;

/** The partner's request to cancel the order, and its answer. @param {{record: OrderRecord, busy: boolean, answer: (grant: boolean, text: string) => void}} props */
const Request = ({ record, busy, answer }) => {
  const text = useSignal(""), request = record.order.cancellation_request;
  if (request?.state !== "requested" || !moves[record.status]?.length) return null;
  return html`<div class="stack">
    <h3 id="request-title">${t("act.request")}</h3>
    <p class="long"><span class="soft"><${When} at=${request.at} /></span> <bdi>${request.reason}</bdi></p>
    <label for="request-answer">${t("act.request.answer")}</label>
    <p class="hint" id="request-answer-hint">${t("act.request.answer.hint")}</p>
    <textarea class="input" id="request-answer" aria-describedby="request-answer-hint" maxlength="500" value=${text.value} onInput=${(/** @type {any} */ event) => { text.value = event.currentTarget.value; }}></textarea>
    <div class="line" role="group" aria-labelledby="request-title">
      <button type="button" class="button danger" disabled=${busy} onClick=${() => answer(true, text.value.trim())}>${t("act.request.grant")}</button>
      <button type="button" class="button" disabled=${busy} onClick=${() => answer(false, text.value.trim())}>${t("act.request.decline")}</button>
    </div>
  </div>`;
};

/** What stands above the notes: what the order is, and what may be done with it. @param {{id: string, found: import("./notes.js").Found}} props */
export const Top = ({ found: { record, failed, own, read, isStale } }) => {
  const busy = useSignal(false), fault = useSignal(""), seen = useSignal(0);
  const pending = useSignal(/** @type {{pressed: import("./acts.js").Press, done: (version: number) => void} | null} */ (null));
  const now = record.value, isRead = now !== null;
  useLayoutEffect(() => {
    if (!isRead) return;
    const isTyping = document.activeElement?.id === noteField;
    if (entered(panelTitle) || matchMedia("(width <= 900px)").matches && !isTyping) document.getElementById(panelTitle)?.focus();
  }, [isRead]);
  if (!now) return html`<div class="panel-body" key="waiting">${failed.value ? html`<p role="alert" class="fault">${whyNot(failed.value)}</p>
    <button type="button" class="button" onClick=${read}>${t("refused.again")}</button>` : html`<p class="soft">${t("board.loading")}</p>`}
    <button type="button" class="button" onClick=${() => open("")}>${t("act.close")}</button></div>`;
  if (!seen.value) seen.value = now.version;
  /** @param {import("./acts.js").Press} pressed @param {(version: number) => void} done says it @param {string} [asked] the act whose dialog it came from */
  const send = async (pressed, done, asked = "") => {
    [busy.value, pending.value, fault.value] = [true, { pressed, done }, ""];
    try {
      own.value = (await insist(pressed)).version ?? now.version + 1;
      done(own.value);
      pending.value = null;
      if (asked) forget(asked, [/** @type {any} */ (now)]);
    } catch (error) {
      fault.value = whyNot(error, now.version);
      if (/** @type {any} */ (error).status !== 0) pending.value = null; // an answer came
    }
    await read();
    busy.value = false;
    setTimeout(() => { if (document.activeElement === document.body) document.getElementById(panelTitle)?.focus(); }); // the button is gone
  };
  /** Returns a function that shows the message after a move, with its undo. @param {import("./acts.js").Move} move @param {string} [receiver] */
  const told = (move, receiver) => (/** @type {number} */ version) => {
    const { order_id, partner_order_id, status, courier, custody } = /** @type {any} */ (now);
    const moved = [{ order_id, partner_order_id, courier, holder: custody.at(-1)?.holder, version, status: move.status === transfer ? status : move.status }];
    say(doneText(moved, move, receiver), false, undoOf(moved, move));
  };
  /** @param {string} to */
  const act = (to) => {
    if (to === transfer) handOver();
    else if (to === confirm) send(press("POST", `/orders/${now.order_id}/confirm`, { version: lastUnconfirmed(now) }), () => say(t("act.confirm.done", { order: now.partner_order_id })));
    else decideOn(to);
  };
  /** Asks for what a move needs, and moves the order. @param {string} to */
  const decideOn = (to) => {
    const seen = /** @type {any} */ (now), next = seen.failed_attempt?.next_attempt;
    const { dropoff, cod, return_of: back } = seen.order;
    decide(to, [{ ...seen, province: dropoff.address.province, next: Date.parse(next) > tick.value ? next : "", due: cod?.amount_cents && !back ? cod : null, unpicked: isUnpicked(seen) }],
      (move, receiver) => send(pressMove(seen, move), told(move, receiver), to));
  };
  const handOver = () => import("./goods.js").then(({ askTransfer }) => askTransfer(now, (to, name) => {
    send(pressTransfer(/** @type {any} */ (now), to), told({ status: transfer, ...to }, name));
  }), () => say(t("act.unreachable"), true));
  /** Answers the partner's request. @param {boolean} grant @param {string} text */
  const answer = async (grant, text) => {
    if (!grant && !text) { // the partner cannot ask again
      fault.value = t("act.request.why");
      document.getElementById("request-answer")?.focus();
      return;
    }
    [busy.value, fault.value] = [true, ""];
    try {
      await insist(press("POST", `/orders/${now.order_id}/cancellation-request/answer`, { grant, answer: text }));
      own.value = now.version + 1;
      say(t(grant ? "act.request.granted" : "act.request.declined"));
    } catch (error) { fault.value = whyNot(error, now.version); }
    await read();
    busy.value = false;
    setTimeout(() => { if (document.activeElement === document.body) document.getElementById(panelTitle)?.focus(); }); // the button is gone
  };
  const trouble = troubleOf(now, tick.value), isOpen = Boolean(moves[now.status]?.length), isLate = Boolean(trouble?.reasons.includes("late"));
  const last = now.moves[0], foreign = now.version > seen.value && now.version !== own.value && !(last?.version === now.version && last.operator_id === reader);
  const courierID = now.courier?.courier_id ?? "", receiving = `/console/returns/${now.order_id}`;
  return html`<div class="panel-body" key="order">
    <div class="spread"><h2 id=${panelTitle} tabindex="-1"><bdi>${now.partner_order_id}</bdi></h2>
      <button type="button" class="copy" aria-label=${t("act.close")} onClick=${() => { open(""); document.getElementById("orders")?.focus(); }}><span aria-hidden="true">✕</span></button></div>
    <p class="soft"><bdi>${now.partner_name}</bdi> · <span class="mono" title=${now.order_id}>${shorten(now.order_id)}</span></p>
    <${Wrong} record=${now} trouble=${trouble} busy=${busy.value || isStale} act=${act} answer=${answer} />
    ${!(trouble?.isFailed && isLate) && html`<p class="line">${!trouble?.isFailed && html`<${Badge} status=${now.status} />`}${isOpen && !isLate && html`<strong><span class=${trouble?.isFailed ? "" : "hidden"}>${t("board.due")} </span>${due(dueOf(/** @type {any} */ (now)), tick.value)}</strong>`}</p>`}
    <div role="status">${foreign && html`<p class="notice warn">${last?.version === now.version
      ? t("act.changed.by", { who: nameOf(now, last.operator_id), when: moment(Date.parse(last.at), tick.value) }) : t("act.changed.other", { when: moment(Date.parse(now.updated_at), tick.value) })}</p>`}</div>
    ${fault.value && html`<p class="notice danger" role="alert">${fault.value} ${pending.value && html`<button type="button" class="button" onClick=${() => pending.value && send(pending.value.pressed, pending.value.done)}>${t("refused.again")}</button>`}</p>`}
    ${now.order.return?.state === "due" && html`<p class="notice warn" data-back><strong>${t("return.due")}</strong> <bdi>${/** @type {any} */ (now).custody.at(-1)?.holder.name ?? ""}</bdi> <a href=${receiving}>${t("returns.receive")}</a></p>`}
    <${Moves} record=${now} trouble=${trouble} busy=${busy.value || isStale} act=${act} />
    ${now.order.courier && html`<section><h3>${t("order.courier")}</h3><p><a href=${`/console/couriers/${courierID}`}><bdi>${now.order.courier.name}</bdi></a> <span class="soft"><bdi>${now.order.courier.vehicle}</bdi> · <a href=${`tel:${now.order.courier.phone}`}>${phone(now.order.courier.phone)}</a></span></p>
      <${Confirmations} record=${now} isSaid=${Boolean(trouble?.reasons.includes("edited_after_pickup"))} /></section>`}
    <${Stop} title=${t("order.pickup")} stop=${now.order.pickup} />
    <${Stop} title=${t("order.dropoff")} stop=${now.order.dropoff} />
    <${Parcels} order=${now.order} />
    ${readsBooks && html`<${Charged} record=${now} />`}
  </div>`;
};

/** What stands below the notes. @param {{found: import("./notes.js").Found}} props */
export const Rest = ({ found: { record, read } }) => {
  const now = /** @type {OrderRecord} */ (record.value);
  return html`<div class="panel-body">
    <${Proofs} record=${now} added=${read} />
    ${(now.custody.length > 1 || now.scans.length > 0) && html`<${Goods} record=${now} />`}
    <${History} record=${now} />
    <p class="line"><a href=${`/console/orders/${now.order_id}`}>${t("act.page")}</a> <a href=${`/console/orders/${now.order_id}/label?format=pdf`}>${t("act.label")}</a></p>
  </div>`;
};
