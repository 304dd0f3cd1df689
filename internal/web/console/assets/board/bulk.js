// The bar of acts on the orders that are selected, with how such an act stands and what
// it was refused for.

import { insist, mayAssign, mayMove, mayTransfer, say, transfer } from "./acts.js";
import { current, shown } from "./board.js";
import { inTurn, moveAll, progress } from "./done.js";
import { isEmpty } from "./filter.js";
import { typed } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { filter } from "./route.js";
import { add, changed, clear, selected } from "./selection.js";
import { store } from "./store.js";
import { n, number, t } from "dropyard/text.js";

/** @typedef {import("./rows.js").Row} Row */

/** The acts on many orders: what they are called, where they lead, and their keys. @returns {{to: string, label: string, key?: string, danger?: boolean, from?: string}[]} */
const acts = () => [
  { to: "accepted", label: t("act.to.accepted"), key: "a", from: "pending" },
  { to: "courier_assigned", label: t("act.to.courier_assigned"), key: "c" },
  { to: "accepted", label: t("act.unassign"), from: "courier_assigned" },
  { to: "out_for_delivery", label: t("act.to.out_for_delivery") },
  { to: transfer, label: t("act.transfer") },
  { to: "cancelled", label: t("act.to.cancelled"), danger: true },
];

/** Reports whether an act leads an order to a status, if it is accepted first where that is needed. @param {string} status @param {string} to */
const mayDo = (status, to) => {
  if (to === transfer) return mayTransfer(status);
  return to === "courier_assigned" ? mayAssign(status) : mayMove(status, to);
};

/** The orders that are selected, as they were seen then. */
const targets = () => [...selected.value].flatMap(([id, version]) => {
  const row = store.rows.get(id);
  return row ? [{ order_id: id, partner_order_id: row.partner_order_id, status: row.status, zone: row.zone, courier: row.courier, version, changed: row.version > version }] : [];
});

/** The module of the dialogs, once it is loaded: from then on they open within the event that asks for them. @type {typeof import("./asking.js") | undefined} */
let dialogs;
/** What has been typed into a dialog whose module is on its way; null while none is. @type {string | null} */
let ahead = null;

/** Reports whether a dialog has been asked for that is not open yet: its module is on its way. */
export const isAsking = () => ahead !== null;

/** Keeps a key for the dialog that is on its way. @param {string} key */
export const typeAhead = (key) => { ahead = (ahead ?? "") + key; };

/** Gives up the dialog that is on its way. */
export const giveUp = () => { ahead = null; };

/**
 * Moves all orders that are selected, or the one at which the keyboard is.
 * @param {string} to
 * @param {string} label
 * @param {string} [from] leaves out orders in other statuses, but not those that another desk has changed: they are refused, with who was faster
 */
export const act = (to, label, from) => {
  const row = current(), chosen = selected.value.size > 0, all = chosen ? targets() : row ? [{ ...row, changed: false }] : [];
  const fitting = from ? all.filter((one) => one.status === from || one.changed) : all;
  const [first] = all;
  if (!first) return;
  if (!fitting.some((one) => one.changed || mayDo(one.status, to))) return say(t("act.refused.order", { order: first.partner_order_id, why: t("act.impossible", { status: t(`status.${first.status}`) }) }), true);
  /** @param {typeof import("./asking.js")} dialogs */
  const ask = ({ decide, forget }) => decide(to, fitting, (move, receiver) => {
    if (chosen) clear();
    inTurn(async () => { if ((await moveAll(label.replace("…", ""), fitting, move, insist, receiver)).moved.length > 0) forget(to, fitting); });
  });
  if (dialogs) return ask(dialogs);
  ahead = "";
  import("./asking.js").then((loaded) => {
    dialogs = loaded;
    if (ahead === null) return;
    typed(ahead);
    ask(loaded);
  }, () => say(t("act.unreachable"), true)).finally(giveUp);
};

/** @param {{now: import("./done.js").Progress}} props */
const Outcome = ({ now }) => html`<div class="outcome" role="group" aria-label=${t("act.outcome")}>
  <div class="spread"><p><strong>${now.text}</strong> · <span class="danger">${n("act.not", now.refused.length)}</span></p>
    <button type="button" class="copy" aria-label=${t("act.close")} onClick=${() => { progress.value = null; }}><span aria-hidden="true">✕</span></button></div>
  <ul tabindex="0" aria-label=${t("act.outcome")}>${now.refused.map(({ order, why }) => html`<li key=${order}><span class="mono">${order}</span> ${why}</li>`)}</ul>
</div>`;

/** The most orders whose labels are in one file (internal/label). */
const maxLabelled = 100;

/** The address of the labels of the selected orders, as the list has them; those that the filter hides come last. */
const labels = () => {
  const listed = shown.value.flatMap(({ order_id: id }) => (selected.value.has(id) ? [id] : []));
  const ids = new Set([...listed, ...selected.value.keys()]);
  return `/console/orders/labels?${new URLSearchParams([...ids].map((id) => ["order_id", id]))}`;
};

/** How many of the selected orders another desk has changed since. */
const Changed = () => {
  const ids = changed.value;
  if (!ids.length) return null;
  const again = () => add(ids.flatMap((id) => store.rows.get(id) ?? []));
  return html`<span class="changed">${n("act.changed", ids.length)} <button type="button" class="copy" onClick=${again}>${t("act.changed.keep")}</button></span>`;
};

/** Reports for each act whether it fits a selected order. It looks at thousands only if an act fits none of the first ones. */
const fittingActs = () => {
  const all = acts(), fitting = all.map(() => false), seen = new Set();
  for (const id of selected.value.keys()) {
    const status = store.rows.get(id)?.status;
    if (!status || seen.has(status)) continue;
    seen.add(status);
    all.forEach(({ to, from }, i) => { fitting[i] ||= mayDo(status, to) && (!from || status === from); });
    if (fitting.every(Boolean)) break;
  }
  return fitting;
};

/** The bar; nothing while nothing is selected and nothing is under way. */
export const Bulk = () => {
  const count = selected.value.size, now = progress.value;
  if (now && !now.ended) {
    return html`<div class="bulk"><label>${now.text} <progress max=${now.total} value=${now.done + now.refused.length}></progress></label>
      <span class="soft">${number(now.done + now.refused.length)} / ${number(now.total)}</span></div>`;
  }
  const fitting = fittingActs();
  return [now && html`<${Outcome} now=${now} />`,
    count > 0 && html`<div class="bulk" role="group" translate=${false} aria-label=${t("act.selected")}>
      <strong>${n("act.count", count)}</strong>
      ${acts().filter((_, i) => fitting[i]).map(({ to, label, key, danger, from }) => html`<button type="button" key=${label} class=${danger ? "button danger" : to === "courier_assigned" ? "button first" : "button"}
        aria-keyshortcuts=${key} onClick=${() => act(to, label, from)}>${label}${key && html` <kbd aria-hidden="true">${key}</kbd>`}</button>`)}
      ${count <= maxLabelled && html`<a class="button" href=${labels()} target="_blank" rel="noopener">${t("act.labels")}</a>`}
      <${Changed} />
      <button type="button" class="copy last" onClick=${clear}>${t("act.clear")}</button>
    </div>`];
};

/** How many orders are selected, or else how many the filter lets through, to hear. */
export const Counted = () => {
  const count = selected.value.size, narrowed = isEmpty(filter.value) || store.state.value.kind === "loading" ? "" : n("views.orders", shown.value.length);
  return html`<p class="hidden" role="status">${count > 0 ? n("act.count", count) : narrowed}</p>`;
};
