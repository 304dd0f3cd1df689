// What stands above the views: chips with counts, the lists that narrow the board, the
// search, and how the connection is.

import { say } from "./acts.js";
import { ask } from "dropyard/dialog.js";
import { classes, html, Icon } from "dropyard/html.js";
import { choices, counts, moveTo, refreshChoices, shown } from "./board.js";
import { isEmpty, several } from "./filter.js";
import { filter, narrow, show, view, widen } from "./route.js";
import { store } from "./store.js";
import { n, number, t } from "dropyard/text.js";

/** @typedef {import("./filter.js").Filter} Filter */
/** @typedef {import("./filter.js").Choice} Choice */

/** The names of the stages. @returns {[import("./filter.js").Stage, string][]} */
export const stageNames = () => [
  ["pending", t("statuses.pending")], ["accepted", t("statuses.accepted")], ["assigned", t("statuses.courier_assigned")],
  ["on_the_way", t("board.on_the_way")], ["failed", t("statuses.failed")],
];

/** The names of the reasons for which orders need attention. @returns {[import("./rows.js").Reason, string][]} */
export const reasonNames = () => [
  ["late", t("board.reason.late")], ["failed_twice", t("board.reason.failed_twice")], ["window_missed", t("board.reason.window_missed")],
  ["no_courier", t("board.reason.no_courier")], ["courier_gone", t("board.reason.courier_gone")],
  ["cancellation_requested", t("board.reason.cancellation_requested")], ["edited_after_pickup", t("board.reason.edited_after_pickup")],
  ["short_pick", t("board.reason.short_pick")],
];

/** The names of the days on which orders are due. @returns {[import("./filter.js").Day, string][]} */
const dayNames = () => [["today", t("board.today")], ["tomorrow", t("board.tomorrow")], ["later", t("board.later")]];

/** The names of the columns. @returns {[import("./sorting.js").Column, string][]} */
export const columnNames = () => [
  ["due", t("board.due")], ["recipient", t("board.recipient")], ["order", t("board.order")], ["partner", t("board.partner")], ["status", t("board.status")],
  ["courier", t("board.courier")], ["level", t("board.level")], ["cod", t("board.to_collect")],
];

/** The chips that are pressed. @returns {{part: "stage" | "attention" | "day", label: string}[]} */
export const pressed = () => {
  const { stage, attention, day } = filter.value;
  return [
    ...stageNames().flatMap(([name, label]) => name === stage ? [{ part: /** @type {const} */ ("stage"), label }] : []),
    ...dayNames().flatMap(([name, label]) => name === day ? [{ part: /** @type {const} */ ("day"), label }] : []),
    ...reasonNames().flatMap(([name, label]) => name === attention ? [{ part: /** @type {const} */ ("attention"), label }] : []),
  ];
};

/** A chip. @param {{label: string, count: number | undefined, pressed: boolean, danger?: boolean, press: () => void}} props */
const Chip = ({ label, count, pressed, danger = false, press }) => {
  /** @param {MouseEvent} event */
  const click = (event) => {
    press();
    // With the pointer, keys go on in the list. With the keyboard, the focus stays on the chip.
    if (event.detail) document.getElementById("orders")?.focus({ preventScroll: true });
  };
  /** Shows the whole chip to the keyboard: browsers leave one that is partly visible where it is. @param {{currentTarget: HTMLElement}} event */
  const focus = ({ currentTarget: chip }) => { if (chip.matches(":focus-visible")) chip.scrollIntoView({ block: "nearest", inline: "nearest" }); };
  return html`<button type="button" class=${danger ? "chip danger" : "chip"} aria-pressed=${pressed} onClick=${click} onFocus=${focus}>${label} <b>${count === undefined ? "…" : number(count)}</b></button>`;
};

const Chips = () => {
  const known = counts.value, { stage, attention, day } = filter.value;
  return html`<div class="chips" role="group" aria-label=${t("board.narrow")}>
    <${Chip} label=${t("board.open")} count=${known?.open} pressed=${!stage && !attention && !day} press=${() => narrow({ stage: "", attention: "", day: "" })} />
    ${stageNames().map(([name, label]) => html`<${Chip} key=${name} label=${label} count=${known?.stages[name]} pressed=${stage === name}
      press=${() => narrow({ stage: stage === name ? "" : name })} />`)}
    <span class="gap" aria-hidden="true"></span>
    ${dayNames().map(([name, label]) => html`<${Chip} key=${name} label=${label} count=${known?.days?.[name]} pressed=${day === name}
      press=${() => narrow({ day: day === name ? "" : name })} />`)}
    <span class="rule" aria-hidden="true"></span>
    ${reasonNames().filter(([name]) => known?.present.includes(name) || attention === name).map(([name, label]) => html`<${Chip} key=${name} danger
      label=${label} count=${known?.reasons[name]} pressed=${attention === name} press=${() => narrow({ attention: attention === name ? "" : name })} />`)}
  </div>`;
};

/** @param {{name: "partner" | "courier" | "level", label: string, all: Choice[]}} props */
const List = ({ name, label, all }) => {
  const value = filter.value[name], isUnknown = value && !all.some((choice) => choice.value === value);
  return html`<select class=${value ? "narrower chosen" : "narrower"} aria-label=${label} value=${value} onPointerDown=${refreshChoices} onFocus=${refreshChoices}
    onChange=${(/** @type {{currentTarget: HTMLSelectElement}} */ event) => narrow({ [name]: event.currentTarget.value })}>
    <option value="">${label}</option>
    ${isUnknown && html`<option key=${value} value=${value}>${value}</option>`}
    ${all.map((choice) => html`<option key=${choice.value} value=${choice.value}>${choice.label}${choice.count ? ` (${number(choice.count)})` : ""}</option>`)}
  </select>`;
};

const levels = () => /** @type {[string, string][]} */ ([["standard", t("level.standard")], ["express", t("level.express")], ["same_day", t("level.same_day")]])
  .map(([value, label]) => ({ value, label, count: 0 }));

/** Opens a dialog of a module that comes when it is asked for. @param {"Places" | "Columns"} name @param {string} title */
const choose = (name, title) => import("./choosing.js").then((dialogs) => ask(title, () => html`<${dialogs[name]} />`), () => say(t("act.unreachable"), true));

/** Opens the choice of zones and cities, and says which are chosen. */
const Where = () => {
  const chosen = [...several(filter.value.city, "|"), ...several(filter.value.zone.toUpperCase(), ",")];
  const label = !chosen.length ? t("board.where") : chosen.length === 1 ? chosen[0] : n("board.places", chosen.length);
  return html`<button type="button" class=${classes("narrower", "of-places", chosen.length > 0 && "chosen")} aria-haspopup="dialog" title=${chosen.join(", ") || undefined}
    onClick=${() => { refreshChoices(); choose("Places", t("board.where")); }}>${label}</button>`;
};

const Lists = () => {
  const { partners, couriers } = choices.value;
  const none = { value: "none", label: t("board.reason.no_courier"), count: 0 };
  return html`<div class="lists">
    <${List} name="partner" label=${t("board.partner")} all=${partners} />
    <${Where} />
    <${List} name="courier" label=${t("board.courier")} all=${[none, ...couriers]} />
    <${List} name="level" label=${t("board.level")} all=${levels()} />
    ${view.value === "list" && html`<button type="button" class="narrower of-list" aria-haspopup="dialog" onClick=${() => choose("Columns", t("board.columns"))}>${t("board.columns")}</button>`}
    ${!isEmpty(filter.value) && html`<button type="button" class="copy" onClick=${widen}>${t("board.widen")}</button>`}
  </div>`;
};

/** Where the words of the search find orders that have ended, too, and open the only one; empty without words. */
export const everywhere = () => {
  const q = filter.value.text.trim();
  return q && `/console/orders?${new URLSearchParams({ open: "1", q })}`;
};

/** What Enter does in the search: it goes to the first order that was found, or searches all orders. @param {KeyboardEvent} event */
const toFound = (event) => {
  if (event.key !== "Enter") return;
  if (!shown.value.length) {
    if (everywhere()) location.assign(everywhere());
    return;
  }
  moveTo(0);
  document.getElementById("orders")?.focus();
};

const Everywhere = () => {
  const isLoading = store.state.value.kind === "loading"; // on wide screens words take its place
  return everywhere() && html`<a class=${isLoading ? "small waits" : "small"} href=${everywhere()}>${t("board.everywhere")}</a>`;
};

const Search = () => html`<input id="search" class="input seek" type="search" aria-label=${t("board.search")} placeholder=${t("board.search")}
  value=${filter.value.text} maxlength="255" autocomplete="off" spellcheck=${false} onKeyDown=${toFound}
  onInput=${(/** @type {{currentTarget: HTMLInputElement}} */ event) => narrow({ text: event.currentTarget.value }, { replace: true })} />`;

/** The views of the board. @returns {[import("./route.js").View, string][]} */
const viewNames = () => [["list", t("board.list")], ["map", t("board.map")], ["couriers", t("board.couriers")]];

/** @param {{views: import("./route.js").View[]}} props the views that exist */
const Views = ({ views }) => views.length > 1 && html`<div class="toggle" role="group" aria-label=${t("board.view")}>
  ${viewNames().filter(([name]) => views.includes(name)).map(([name, label]) => html`<button type="button" key=${name} aria-pressed=${view.value === name}
    onClick=${() => show(name)}>${label}</button>`)}
</div>`;

/** How the connection is. It says nothing of its own while everything is well. */
const Connection = () => {
  const { kind, refused } = store.state.value;
  const words = { loading: t("board.loading"), live: t("board.live"), paused: t("board.paused"), reconnecting: t("board.reconnecting"), error: t("board.error") };
  return html`<p class=${`connection ${kind}`} role="status" title=${refused?.requestID ? t("refused.request", { id: refused.requestID }) : undefined}>
    <span class="dot" aria-hidden="true"></span>${words[kind]}
    ${kind === "reconnecting" && html` <button type="button" class="copy" onClick=${() => store.retry()}>${t("refused.again")}</button>`}
  </p>`;
};

/** What stands above the views. @param {{views: import("./route.js").View[]}} props the views that exist */
export const Bar = ({ views }) => html`<div class="bar">
  <${Chips} />
  <div class="spread"><div class="line"><${Search} /><${Everywhere} /><${Lists} /></div><div class="line"><${Connection} /><a class="small new" href="/console/orders/new">${t("board.new")}</a><${Views} views=${views} /></div></div>
</div>`;

/** What is shown instead of rows that could not be read. */
export const Failure = () => {
  const { refused } = store.state.value;
  return html`<div class="empty" role="alert">
    <${Icon} name="warn" />
    <p><strong>${t("board.error")}</strong></p>
    ${refused?.requestID && html`<p class="soft small">${t("refused.request", { id: refused.requestID })}</p>`}
    <button type="button" class="button first" onClick=${() => store.retry()}>${t("refused.again")}</button>
  </div>`;
};
