// What is wrong with the order that is open: in words, with the acts that help.

import { inHands, mayMove, moves, transfer } from "./acts.js";
import { failureWords, labelOf } from "./history.js";
import { Badge, html } from "dropyard/html.js";
import { When } from "./notes.js";
import { dueOf, reasonsOf, rowOf } from "./rows.js";
import { language, n, span, t } from "dropyard/text.js";
import { timesIn, zoneOf, zoneOfArea } from "dropyard/zone.js";

/** @typedef {import("./notes.js").OrderRecord} OrderRecord */
/** @typedef {import("./rows.js").Reason} Reason */
/** What is wrong with an order, and what may help: statuses that it may be moved to, and the other acts below. @typedef {{isFailed: boolean, reasons: Reason[], acts: string[]}} Trouble */

/** Stands in the place of a status for the next attempt, which is one of two moves. */
export const again = "again";
/** Stands in the place of a status for confirming edits in the place of the courier. */
export const confirm = "confirm";

const dayMs = 86400000;

/** The act that helps an order which is late, or has no courier who can carry it; empty for none. @param {OrderRecord} record @param {Reason[]} reasons */
const helpOf = (record, reasons) => {
  if (!reasons.some((reason) => ["late", "window_missed", "no_courier", "courier_gone"].includes(reason))) return "";
  if (mayMove(record.status, "courier_assigned")) return "courier_assigned";
  if (record.status === "pending") return "accepted"; // which comes before a courier
  return reasons.includes("courier_gone") && inHands(record) ? transfer : "";
};

/** Returns what is wrong with an order; null if nothing is. @param {OrderRecord} record @param {number} now @returns {Trouble | null} */
export const troubleOf = (record, now) => {
  if (!moves[record.status]?.length) return null;
  const isFailed = record.status === "failed", reasons = reasonsOf(rowOf(/** @type {any} */ ({ ...record })), now);
  if (!isFailed && !reasons.length) return null;
  const acts = [...(isFailed ? [again] : []), helpOf(record, reasons), reasons.includes("edited_after_pickup") ? confirm : "", isFailed ? "cancelled" : ""];
  return { isFailed, reasons, acts: acts.filter(Boolean) };
};

/** Reports whether the box of the trouble has a move, which is not shown again below it. @param {Trouble | null} trouble @param {string} to */
export const isHelp = (trouble, to) => Boolean(trouble)
  && (trouble?.acts.includes(to) || trouble?.acts.includes(again) && (to === "in_transit" || to === "out_for_delivery"));

/** Reports whether an order has failed at its pickup, so that its parcels are with no courier. @param {OrderRecord} record */
export const isUnpicked = ({ status, custody }) => status === "failed" && custody.length < 2; // the first is the sender's

/** "1st attempt", "2nd attempt" and so on. @param {number} count */
const nthAttempt = (count) => {
  /** @type {Record<string, string>} */
  const forms = { one: t("act.attempt.one", { n: count }), two: t("act.attempt.two", { n: count }), few: t("act.attempt.few", { n: count }) };
  return forms[new Intl.PluralRules(language, { type: "ordinal" }).select(count)] ?? t("act.attempt.other", { n: count });
};

/** The edits that the courier has not confirmed. @param {OrderRecord} record @returns {any[]} */
const unconfirmed = (record) => (record.order.changes ?? []).filter((/** @type {any} */ edit) => edit.confirmed === false);

/** The version up to which edits are confirmed in the place of the courier. @param {OrderRecord} record @returns {number} */
export const lastUnconfirmed = (record) => Math.max(0, ...unconfirmed(record).map((edit) => edit.version));

/** Returns a time on the clocks of the pickup. @param {OrderRecord} record @param {number} at @param {number} now */
const atPickup = ({ order: { pickup: { address } } }, at, now) => timesIn(zoneOf(address.province, address.postal_code)).moment(at, now);

/** When the window of the pickup ended that was missed; empty if only the dropoff's was: then the order is late. @param {OrderRecord} record @param {number} now */
const missed = (record, now) => {
  const end = Date.parse(record.pickup_window.end);
  return ["pending", "accepted", "courier_assigned"].includes(record.status) && end < now ? t("act.trouble.pickup", { when: atPickup(record, end, now) }) : "";
};

/** Says since when an order is late, on the clocks of the dropoff as in the list. @param {OrderRecord} record @param {number} now */
const late = (record, now) => {
  const due = dueOf(/** @type {any} */ (record)), when = timesIn(zoneOfArea(/** @type {any} */ (record).zone)).moment(due, now);
  return now - due < dayMs ? t("act.trouble.late", { t: span(now - due), when }) : t("act.trouble.due", { when });
};

/** Says why an order needs attention; empty for what is said elsewhere in the box. @param {OrderRecord} record @param {Reason} reason @param {number} now */
const words = (record, reason, now) => {
  switch (reason) {
    case "late": return late(record, now);
    case "failed_twice": return record.status === "failed" ? "" : n("act.trouble.failures", record.failures);
    case "window_missed": return missed(record, now);
    case "no_courier": return t("act.trouble.no_courier", { when: atPickup(record, Date.parse(record.pickup_window.start), now) });
    case "courier_gone": return t("act.trouble.courier_gone", { courier: record.courier?.name ?? "" });
    case "edited_after_pickup": return t("act.trouble.edited", { fields: [...new Set(unconfirmed(record).flatMap((edit) => edit.fields.map(labelOf)))].join(", ") });
    case "short_pick": return t("act.trouble.short_pick");
    default: return "";
  }
};

/** Which attempt has failed and why, and when the next one is planned. @param {{record: OrderRecord}} props */
const Attempt = ({ record }) => {
  const failed = record.order.status_history.findLast((/** @type {any} */ entry) => entry.status === "failed"), known = record.failed_attempt;
  const note = failed?.notes ?? "", reason = failureWords()[known?.reason ?? note] ?? (note ? "" : t("failure.other"));
  return [html`<h3 class="line"><${Badge} status="failed" /> <span>${nthAttempt(record.failures)}${failed && html` · <${When} at=${failed.timestamp} />`}</span></h3>`,
    reason && html`<p><strong>${reason}</strong></p>`, note && !failureWords()[note] && html`<p class="long"><bdi>${note}</bdi></p>`,
    isUnpicked(record) && html`<p class="long">${t("act.unpicked")}</p>`,
    known && html`<p>${known.next_attempt ? html`${t("act.next")} <${When} at=${known.next_attempt} />` : t("act.trouble.no_next")}</p>`];
};

/**
 * The box with what is wrong.
 * @param {{record: OrderRecord, trouble: Trouble, now: number, children: any}} props children are the acts, and the request to cancel
 */
export const Trouble = ({ record, trouble: { isFailed, reasons }, now, children }) => {
  const lines = reasons.map((reason) => words(record, reason, now)).filter(Boolean);
  return html`<section class=${isFailed ? "notice danger trouble" : "notice warn trouble"} aria-label=${t("act.trouble")}>
    ${isFailed && html`<${Attempt} record=${record} />`}
    ${lines.map((line) => html`<p key=${line}><strong>${line}</strong></p>`)}
    ${children}
  </section>`;
};
