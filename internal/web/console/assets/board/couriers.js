// Couriers side by side: a column for each with the stops in sequence, and one for orders
// without a courier. Stops are put in another place, and handed over, by dragging or by
// keys.

import { useEffect, useRef } from "preact/hooks";
import { computed, signal } from "@preact/signals-core";
import { say } from "./acts.js";
import { areas, pace, readAreas } from "./areas.js";
import { shown } from "./board.js";
import { tick } from "dropyard/clock.js";
import { busy, columns, couriers, drop, follow, handOver, load, nameOf, noCourier, propose, readCouriers, refusals, reorder, save } from "./columns.js";
import { ask, close } from "dropyard/dialog.js";
import { Badge, Icon, classes, html } from "dropyard/html.js";
import { Newest, askMessage } from "./messages.js";
import { filter, open, opened } from "./route.js";
import { lateOf } from "./rows.js";
import { follow as followWay, improves, inOrder, mayHandOver, standing, total } from "./sequence.js";
import { store } from "./store.js";
import { clock, full, moment, n, number, relative, span, t } from "dropyard/text.js";

/** @typedef {import("./rows.js").Row} Row */
/** @typedef {import("./sequence.js").Job} Job */
/** @typedef {import("./sequence.js").Visit} Visit */
/** @typedef {{id: string, order: string, place: string, detail: string, at: number, status: import("./rows.js").Status, what: string, standing: string, arrival?: number}} Stop */

/** How many columns are shown at first, and how many more at a time. */
const step = 8;
const many = signal(step);
/** How many orders without a courier are shown. */
const loose = 100;

/** Orders by courier. The column of those without one is always there. */
const loads = computed(() => {
  store.version.value;
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const row of store.rows.values()) counts.set(row.courier?.courier_id ?? noCourier, (counts.get(row.courier?.courier_id ?? noCourier) ?? 0) + 1);
  return counts;
});

/** Late orders by courier. */
const late = computed(() => {
  store.version.value;
  return lateOf(store.rows.values(), tick.value);
});

/** The couriers of the orders that the filter lets through, by name; and the one that it names. */
const chosen = computed(() => {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const { courier } of shown.value) if (courier) names.set(courier.courier_id, courier.name);
  const { courier: named, ...rest } = filter.value;
  if (named && named !== noCourier) names.set(named, nameOf(named));
  // Without a filter the couriers who have nothing to do can be given something.
  if (!named && Object.values(rest).every((part) => !part)) for (const { courier_id: id, name, active } of couriers.value.values()) if (active) names.set(id, name);
  const idle = (/** @type {string} */ id) => loads.value.get(id) ? 0 : 1;
  return [...names].sort((a, b) => idle(a[0]) - idle(b[0]) || a[1].localeCompare(b[1])).map(([id]) => id);
});
const visible = computed(() => chosen.value.slice(0, many.value));

/** What is dragged, and where it would be put. */
const dragged = signal(/** @type {{id: string, from: string} | null} */ (null));
const target = signal(/** @type {{column: string, before: number} | null} */ (null));

/** @param {Job} job @param {Visit | undefined} visit @param {number} now @returns {Stop} */
const stopOfJob = (job, visit, now) => ({
  id: job.order_id, order: job.partner_order_id, place: `${job.stop.address.city} ${job.stop.area}`, detail: `${job.stop.name}, ${job.stop.address.line1}`,
  at: Date.parse(job.stop.deadline), status: job.status, what: job.stop.kind === "pickup" ? t("views.pickup") : t("views.dropoff"), standing: standing(job, visit, now), arrival: visit?.arrival,
});

/** @param {Row} row @param {number} now @returns {Stop} */
const stopOfRow = (row, now) => ({
  id: row.order_id, order: row.partner_order_id, place: `${row.city} ${row.zone}`, detail: row.partner_name,
  at: row.pickupEnd, status: row.status, what: t("board.to"), standing: row.pickupEnd < now ? "overdue" : "",
});

/** How a stop stands, in words. @param {Stop} stop */
const standingOf = ({ standing: how, at, arrival }) => {
  if (how === "overdue") return t("views.overdue");
  if (how === "endangered" && arrival) return t("views.endangered", { t: span(arrival - at) });
  return how === "tight" ? t("views.tight") : "";
};

/** Puts the keyboard on a stop, which may be drawn again first. @param {string} id */
const focus = (id) => requestAnimationFrame(() => document.getElementById(`stop-${id}`)?.focus());

/** Asks to which courier orders go. @param {string[]} orders @param {string} from */
const hand = (orders, from) => import("./picker.js").then(({ Picker }) => ask(n("views.hand_to", orders.length), () => html`<${Picker} orders=${orders.flatMap((id) => store.rows.get(id) ?? [])} except=${from} orNone=${from !== noCourier}
  pick=${async (/** @type {{courier_id: string}} */ to) => {
    close();
    await handOver(orders, from, to.courier_id);
    if (orders[0]) focus(orders[0]);
  }} />`), () => say(t("act.unreachable"), true));

/** Moves the keyboard within a column, or to the next one. @param {HTMLElement} from @param {string} key */
const walk = (from, key) => {
  const item = from.closest("li"), column = from.closest(".lane");
  if (key === "ArrowDown") return /** @type {HTMLElement | undefined} */ (item?.nextElementSibling?.querySelector(".stop"))?.focus();
  if (key === "ArrowUp") return /** @type {HTMLElement | undefined} */ (item?.previousElementSibling?.querySelector(".stop"))?.focus();
  let next = key === "ArrowRight" ? column?.nextElementSibling : column?.previousElementSibling;
  while (next && !next.querySelector(".stop")) next = key === "ArrowRight" ? next.nextElementSibling : next.previousElementSibling;
  /** @type {HTMLElement | undefined} */ (next?.querySelector(".stop"))?.focus();
};

/** What keys do on a stop. @param {KeyboardEvent} event @param {Stop} stop @param {string} column @param {number} index */
const press = async (event, stop, column, index) => {
  if (event.ctrlKey || event.metaKey) return;
  const { key, altKey } = event, reordering = altKey && (key === "ArrowUp" || key === "ArrowDown");
  if (!reordering && (altKey || !["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "m"].includes(key))) return;
  event.preventDefault();
  event.stopPropagation();
  if (reordering) {
    if (column === noCourier || busy.value.has(column)) return;
    const saving = reorder(column, stop.id, key === "ArrowUp" ? index - 1 : index + 2);
    focus(stop.id);
    return saving;
  }
  if (key === "m") return column !== noCourier || mayHandOver(stop.status) ? hand([stop.id], column) : undefined;
  walk(/** @type {HTMLElement} */ (event.currentTarget), key);
};

/** Where something would be put: before which stop of a column. @param {DragEvent} event @param {string} column @param {number} count */
const over = (event, column, count) => {
  if (!dragged.value) return;
  event.preventDefault();
  const item = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-index]"));
  let before = count;
  if (item) {
    const { top, height } = item.getBoundingClientRect();
    before = Number(item.dataset.index) + (event.clientY > top + height / 2 ? 1 : 0);
  }
  if (target.value?.column !== column || target.value.before !== before) target.value = { column, before };
};

/** @param {DragEvent} event */
const put = async (event) => {
  event.preventDefault();
  const from = dragged.value, to = target.value;
  dragged.value = target.value = null;
  if (!from || !to) return;
  if (from.from !== to.column) return handOver([from.id], from.from, to.column, columns.value.get(to.column)?.jobs[to.before]?.order_id ?? "");
  if (to.column !== noCourier) return reorder(to.column, from.id, to.before);
};

/** @param {{stop: Stop, column: string, index: number, outside: boolean, fixed: boolean}} props */
const Item = ({ stop, column, index, outside, fixed }) => {
  const now = tick.value, words = standingOf(stop), movable = !fixed && (column !== noCourier || mayHandOver(stop.status));
  const landing = target.value?.column === column && target.value.before === index;
  return html`<li data-index=${index} class=${classes(landing && "landing")}>
    <button type="button" id=${`stop-${stop.id}`} data-stop=${stop.id} class=${classes("stop", stop.standing, outside && "outside", stop.id === opened.value && "open")}
      draggable=${movable} aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown m Enter"
      onDragStart=${(/** @type {DragEvent} */ event) => { dragged.value = { id: stop.id, from: column }; event.dataTransfer?.setData("text/plain", stop.order); }}
      onDragEnd=${() => { dragged.value = target.value = null; }}
      onClick=${() => open(stop.id)} onKeyDown=${fixed ? undefined : (/** @type {KeyboardEvent} */ event) => press(event, stop, column, index)}>
      <span class="line"><span class="soft">${number(index + 1)}</span> <span class="mono clip">${stop.order}</span> <span class="when" title=${full(stop.at)}>${relative(stop.at, now)}</span></span>
      <span class="clip">${stop.what} · ${stop.place}</span>
      <span class="clip soft small">${stop.detail}</span>
      <span class="line"><${Badge} status=${stop.status} />${words && html`<span class="how"><${Icon} name="warn" /> ${words}</span>`}</span>
    </button>
  </li>`;
};

/** What a proposal is better at. @param {{before: Visit[], after: Visit[]}} props */
const Reasons = ({ before, after }) => {
  const old = total(before), next = total(after), km = (/** @type {number} */ way) => number(Math.round(way * 10) / 10);
  return html`<dl class="reasons">
    <dt>${t("views.way")}</dt><dd>${t("views.from_to", { from: km(old.way), to: km(next.way) })}</dd>
    <dt>${t("views.late_stops")}</dt><dd>${t("views.from_to", { from: number(old.stops), to: number(next.stops) })}</dd>
    <dt>${t("views.late_in_all")}</dt><dd>${t("views.from_to", { from: span(old.late), to: span(next.late) })}</dd>
  </dl>`;
};

/** The sequence that is proposed, to be accepted or dropped. @param {{id: string, ids: string[], jobs: Job[], visits: Visit[]}} props */
const Proposal = ({ id, ids, jobs, visits }) => {
  const wanted = inOrder(jobs, ids), after = followWay(wanted, areas.value ?? {}, pace(), tick.value), first = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useEffect(() => first.current?.focus(), []);
  const same = wanted.every((job, i) => job.order_id === jobs[i]?.order_id);
  return html`<div class="proposal" role="group" aria-label=${t("views.proposal")}>
    <p><strong>${same ? t("views.proposal.same") : t("views.proposal")}</strong></p>
    ${!same && (improves(visits, after) ? html`<${Reasons} before=${visits} after=${after} />` : html`<p>${t("views.proposal.equal")}</p>`)}
    <p class="line">
      ${!same && html`<button type="button" class="button first" ref=${first} onClick=${() => save(id, ids, t("views.sorted", { courier: nameOf(id) }))}>${t("views.accept")}</button>`}
      <button type="button" class="button" ref=${same ? first : undefined} onClick=${() => drop(id)}>${t("views.drop")}</button>
    </p>
    ${!same && html`<ol class="stops">${wanted.map((job, i) => html`<${Item} key=${job.order_id} stop=${stopOfJob(job, after[i], tick.value)} column=${id} index=${i} outside=${false} fixed />`)}</ol>`}
  </div>`;
};

/** All orders of a courier: those of the column in sequence, then those beyond it. @param {string} id */
const allOf = (id) => [...new Set([
  ...(columns.value.get(id)?.jobs ?? []).map((job) => job.order_id),
  ...store.ordered.filter((row) => row.courier?.courier_id === id).map((row) => row.order_id),
])];

/** The time of day, with the day unless that is today. @param {number} at */
const soon = (at) => new Date(at).toDateString() === new Date(tick.value).toDateString() ? clock(at) : moment(at, tick.value);

/** Who a column is of, and what can be done with all of it. @param {{id: string, count: number, visits: Visit[]}} props */
const Head = ({ id, count, visits }) => {
  const courier = couriers.value.get(id), last = visits.at(-1), working = busy.value.has(id);
  return html`<header>
    <h2 id=${`lane-${id}`}>${courier ? html`<a href=${`/console/couriers/${id}`}>${courier.name}</a>` : nameOf(id)}</h2>
    <p class="soft small">${n("views.orders", loads.value.get(id) ?? 0)}${late.value.has(id) && html` · <strong class="urgent">${n("views.late", late.value.get(id) ?? 0)}</strong>`}${courier && ` · ${courier.vehicle}`}${courier && !courier.active && html` · <strong class="urgent">${t("board.reason.courier_gone")}</strong>`}</p>
    ${last && html`<p class="soft small">${t("views.done_by", { at: soon(last.arrival), km: number(Math.round(total(visits).way * 10) / 10) })}</p>`}
    ${id !== noCourier && count > 0 && html`<p class="line">
      <button type="button" class="button row-act" disabled=${working || count < 2} onClick=${() => propose(id)}>${t("views.sort")}</button>
      <button type="button" class="button row-act" disabled=${working} onClick=${() => hand(allOf(id), id)}>${t("views.hand_all")}</button>
    </p>`}
    ${id !== noCourier && html`<p class="line small"><button type="button" class="button row-act" data-act="message" onClick=${() => askMessage(id, nameOf(id))}>${t("views.message")}</button>
      <${Newest} id=${id} unread=${columns.value.get(id)?.unread ?? 0} /></p>`}
  </header>`;
};

/** @param {{id: string, children: any, count: number, visits?: Visit[], extra?: any}} props */
const Lane = ({ id, children, count, visits = [], extra }) => html`
  <div role="group" class=${classes("lane", target.value?.column === id && "target")} aria-labelledby=${`lane-${id}`} aria-busy=${busy.value.has(id)}
    onDragOver=${(/** @type {DragEvent} */ event) => over(event, id, count)} onDrop=${put}>
    <${Head} id=${id} count=${count} visits=${visits} />
    ${extra ?? html`<ol class="stops">${children}${target.value?.column === id && target.value.before >= count && html`<li class="landing end"></li>`}</ol>`}
  </div>`;

/** The column of a courier. @param {{id: string, inside: Set<string>}} props */
const CourierLane = ({ id, inside }) => {
  const column = columns.value.get(id), now = tick.value;
  if (!column || column.kind === "loading") return html`<${Lane} id=${id} count=${0}><li class="soft small">${t("board.loading")}</li><//>`;
  if (column.kind === "error") return html`<${Lane} id=${id} count=${0}><li>
    <p class="fault">${t("views.unread")}</p>${column.refused?.requestID && html`<p class="soft small">${t("refused.request", { id: column.refused.requestID })}</p>`}
    <button type="button" class="button" onClick=${() => load(id)}>${t("refused.again")}</button></li><//>`;
  const { jobs, proposal, more } = column, visits = areas.value ? followWay(jobs, areas.value, pace(), now) : [];
  return html`<${Lane} id=${id} count=${jobs.length} visits=${visits} extra=${proposal && html`<${Proposal} id=${id} ids=${proposal} jobs=${jobs} visits=${visits} />`}>
    ${jobs.map((job, i) => html`<${Item} key=${job.order_id} stop=${stopOfJob(job, visits[i], now)} column=${id} index=${i} outside=${!inside.has(job.order_id)} fixed=${false} />`)}
    ${!jobs.length && html`<li class="soft small">${t("views.nothing")}</li>`}
    ${more && html`<li class="soft small">${t("views.more_jobs")}</li>`}
  <//>`;
};

/** The column of orders without a courier. */
const LooseLane = () => {
  const rows = shown.value.filter((row) => !row.courier), now = tick.value;
  return html`<${Lane} id=${noCourier} count=${Math.min(rows.length, loose)}>
    ${rows.slice(0, loose).map((row, i) => html`<${Item} key=${row.order_id} stop=${stopOfRow(row, now)} column=${noCourier} index=${i} outside=${false} fixed=${false} />`)}
    ${rows.length > loose && html`<li class="soft small">${n("views.more", rows.length - loose)}</li>`}
    ${!rows.length && html`<li class="soft small">${t("views.all_assigned")}</li>`}
  <//>`;
};

/** What was last refused, and why. */
const Refusals = () => {
  const { text, lines } = refusals.value;
  return html`<div class="said danger" role="status">${text && html`<p>${text} <button type="button" class="copy" aria-label=${t("act.close")} onClick=${() => { refusals.value = { text: "", lines: [] }; }}><span aria-hidden="true">✕</span></button></p>`}
    ${lines.length > 0 && html`<ul>${lines.map((line) => html`<li key=${line}>${line}</li>`)}</ul>`}</div>`;
};

/** Couriers side by side. */
export const CouriersView = () => {
  useEffect(() => {
    readAreas();
    readCouriers().catch(() => {}); // the names of those with orders are in the rows
    return follow(() => visible.value);
  }, []);
  const inside = new Set(shown.value.map((row) => row.order_id)), rest = chosen.value.length - visible.value.length;
  return html`<div class="lanes-view">
    <div class="spread lanes-head"><${Refusals} /><p class="soft small keys-hint">${t("views.keys")}</p></div>
    <div class="lanes" role="group" aria-label=${t("board.couriers")} tabindex="0">
      ${filter.value.courier === "" || filter.value.courier === noCourier ? html`<${LooseLane} />` : null}
      ${visible.value.map((id) => html`<${CourierLane} key=${id} id=${id} inside=${inside} />`)}
      ${rest > 0 && html`<p class="lane-more"><button type="button" class="button" onClick=${() => { many.value += step; }}>${n("views.more_couriers", rest)}</button></p>`}
    </div>
  </div>`;
};
