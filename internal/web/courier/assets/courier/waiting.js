// The header, what waits to be sent, and what the service has refused.

import { tick } from "dropyard/clock.js";
import { html, statusName } from "dropyard/html.js";
import { clock, moment, n, t } from "dropyard/text.js";
import { useReady } from "./acts.js";
import { cards, places } from "./round.js";

/** @typedef {import("./round.js").Round} Round */
/** @typedef {import("./outbox.js").Refusal} Refusal */
/**
 * The outbox, as far as it is shown.
 * @typedef {object} Outbox
 * @property {import("@preact/signals-core").ReadonlySignal<import("./round.js").Act[]>} waiting
 * @property {import("@preact/signals-core").ReadonlySignal<Refusal[]>} refused
 * @property {import("@preact/signals-core").ReadonlySignal<"idle" | "sending" | "offline" | "signed-out">} state
 * @property {import("@preact/signals-core").ReadonlySignal<number>} [others]
 * @property {import("@preact/signals-core").ReadonlySignal<unknown>} [fault]
 * @property {(id: number) => Promise<unknown>} read
 */

/** Where the courier signs in again, and comes back from. */
const signInPath = "/courier/login?next=%2Fcourier";

/** Reports whether the last response was that the courier is signed out. @param {Round} round @param {Outbox} outbox */
export const signedOut = (round, outbox) => outbox.state.value === "signed-out" || round.fault.value?.status === 401;

/** After what time the stops are shown with the time of their reading, in milliseconds. */
const oldMs = 90000;

/** Returns the state of the connection, and how old the stops are. @param {Round} round @param {Outbox} outbox @param {boolean} locked */
const connection = (round, outbox, locked) => {
  if (locked) return t("courier.signed_out");
  const fault = round.fault.value, at = round.readAt.value, old = at > 0 && tick.value - at > oldMs;
  if (!at || !fault && !old) return outbox.state.value === "offline" ? t("courier.offline") : "";
  return t(fault?.status === 0 ? "courier.offline.as_of" : "courier.as_of", { t: clock(at) });
};

/** Returns what waits, in few words if more stands beside it. @param {Outbox} outbox @param {boolean} short */
const waiting = (outbox, short) => {
  const count = outbox.waiting.value.length;
  if (count === 0) return "";
  return n(outbox.state.value === "sending" ? "courier.sending" : short ? "courier.to_send" : "courier.waiting", count);
};

/** The header: how many stops there are, and what waits to be sent. @param {{round: Round, outbox: Outbox, locked: boolean, menu?: any}} props */
export const Header = ({ round, outbox, locked, menu }) => {
  const linked = connection(round, outbox, locked), parts = [waiting(outbox, linked !== ""), linked].filter(Boolean), count = cards(round.jobs.value).length + places(round.returns.value).length;
  const ready = round.state.value === "ready" && !locked;
  return html`<header class="bar">
    <div><h1 class="count">${ready ? html`<span class="today">${t("time.today")} · </span>${n("courier.stops", count)}` : t("courier.title")}</h1>
      <p class="sends">${parts.length > 0 && html`<span class="dot" aria-hidden="true"></span>`}<span>${parts.length ? parts.join(" · ") : ready ? t("courier.all_sent") : ""}</span></p></div>
    <div class="line">${menu}</div>
  </header>`;
};

/** What stands in the place of the stops while they are locked. */
export const Locked = () => html`<div class="empty" role="alert"><p class="title">${t("courier.locked")}</p>
  <p class="soft">${t("courier.sign_in.why")}</p><a class="button first act" href=${signInPath}>${t("courier.sign_in")}</a></div>`;

/** What keeps acts from being sent. @param {{outbox: Outbox}} props */
export const Notices = ({ outbox }) => outbox.fault?.value && html`<p class="notice danger" role="alert">${t("courier.storage_fails")}</p>`;

/** What another courier has left on this phone. @param {{outbox: Outbox}} props */
export const Others = ({ outbox }) => {
  const others = outbox.others?.value ?? 0;
  return others > 0 && html`<p class="notice others">${n("courier.others_waiting", others)}</p>`;
};

/** Names what was tapped. @param {import("./round.js").Act} act */
const tapped = (act) => {
  if (act.kind === "photo") return t("courier.tapped.photo");
  if (act.kind === "transfer") return t("courier.tapped.transfer");
  if (act.kind === "receive") return t("courier.tapped.receive");
  if (act.kind === "confirm") return t("courier.tapped.confirm");
  if (act.kind === "read") return t("courier.tapped.read");
  return act.kind === "signature" ? t("courier.tapped.signature") : statusName(act.status ?? "");
};

/** Says why something was refused. @param {Pick<Refusal, "status" | "code" | "message" | "details"> & {act?: {status?: string}}} refusal @param {number} now */
export const whyNot = ({ status, code, message, details, act }, now) => {
  if (status === 413) return t("courier.refused.too_large");
  if (status === 404) return t("courier.refused.gone");
  if (status === 403) return t("courier.refused.forbidden");
  if (code === "too_old") return t("courier.refused.too_old");
  if (code === "too_early") return t("courier.refused.too_early");
  if (!details?.status) return t("courier.refused.other", { text: message || code });
  const by = details.changed_by, courier = details.courier?.name;
  const what = details.status === "cancelled" ? t(act?.status === "delivered" ? "courier.refused.cancelled.delivered" : "courier.refused.cancelled")
    : details.status === "courier_assigned" && courier ? t("courier.refused.given", { name: courier })
      : t("courier.refused.is", { status: statusName(details.status) });
  return by ? `${what} ${t("courier.refused.by", { who: by.email ?? by.operator_id, t: moment(Date.parse(by.at), now) })}` : what;
};

/**
 * A refusal, which stays until it is read. It lies above the stops, so that they do not move.
 * @param {{refusal: Refusal, more: number, outbox: Outbox}} props
 */
const Card = ({ refusal, more, outbox }) => {
  const shown = useReady();
  return html`<article class="stop refusal" data-refusal=${refusal.id} aria-labelledby=${`refusal-${refusal.id}`}>
    <h2 id=${`refusal-${refusal.id}`}>${t("courier.refused", { act: tapped(refusal.act), name: refusal.act.label })}</h2>
    <p>${whyNot(refusal, tick.value)}</p>
    <p class="soft">${t("courier.refused.tapped", { t: moment(Date.parse(refusal.act.at), tick.value) })}${more > 0 && ` · ${n("courier.refused.more", more)}`}</p>
    <button type="button" class="button first act" aria-disabled=${shown.value ? null : "true"} onClick=${() => { if (shown.value) outbox.read(refusal.id); }}>${t("courier.refused.read")}</button>
  </article>`;
};

/** What was refused, one after the other. It is read out as soon as it is there. @param {{outbox: Outbox}} props */
export const Refusals = ({ outbox }) => {
  const [first, ...rest] = outbox.refused.value;
  return html`<div class="refusals" role="alert">${first && html`<${Card} key=${first.id} refusal=${first} more=${rest.length} outbox=${outbox} />`}</div>`;
};
