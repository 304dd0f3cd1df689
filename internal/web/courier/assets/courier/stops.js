// The stops as cards, in sequence: one is large, with everything that is needed there.

import { useLayoutEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals-core";
import { Address, Ways, distinct, parcelsOf, useHeading, useTicks } from "./card.js";
import { Acts, askFailure, record, recordAll, recordSeen, resting, said, sayUnstored, zoneOfStop } from "./acts.js";
import { money } from "dropyard/amounts.js";
import { Changes } from "./changes.js";
import { CashWithYou } from "./collect.js";
import { askHandover } from "./handover.js";
import { Returns } from "./returns.js";
import { cards, loaded, nextOf } from "./round.js";
import { now, tick } from "dropyard/clock.js";
import { Badge, classes, html } from "dropyard/html.js";
import { clock, due, full, n, shorten, t } from "dropyard/text.js";
import { timesIn } from "dropyard/zone.js";

/** @typedef {import("./round.js").Shown} Job */
/** @typedef {import("./round.js").Round} Round */
/** @typedef {import("./acts.js").Outbox} Outbox */

/** The stop that the courier has opened, by its order; empty for the one that comes next. */
export const chosen = signal("");

/** From when on a deadline is shown as near, in milliseconds. */
const nearMs = 1800000;

/** Functions that write times on the clocks of a stop. @param {Job} job */
const timesOf = (job) => timesIn(zoneOfStop(job));

/** The status and the end of the window, and below them what waits and how long is left: red if it is late, amber if that is near. @param {{job: Job}} props */
const Top = ({ job }) => {
  const at = Date.parse(job.stop.deadline), today = tick.value, left = at - today, urgent = classes("due", left < 0 ? "late" : left < nearMs && "near"), times = timesOf(job);
  return html`<div class="top">
    <p><${Badge} status=${job.status} /> <b class=${urgent} title=${full(at)}>${t("courier.by", { t: times.time(at, today) })}</b></p>
    <p><${Waiting} job=${job} /> <span class=${urgent}>${times.isToday(at, today) && due(at, today)}</span></p></div>`;
};

/** Returns the window of a stop as a text. @param {Job} job @param {number} today */
const windowOf = (job, today) => timesOf(job).range(Date.parse(job.stop.time_window.start), Date.parse(job.stop.time_window.end), today);

/** The notes of the address, and the instructions of the order. @param {{job: Job}} props */
const Instructions = ({ job }) => [job.stop.address.notes, job.instructions].filter(Boolean).map((text, i) => html`<p key=${i} class="said">${text}</p>`);

/**
 * The notes and instructions of orders that are picked up together, each with the numbers of its orders unless it is for all.
 * @param {{jobs: Job[]}} props
 */
const AllInstructions = ({ jobs }) => {
  /** @param {Job} job */
  const textsOf = (job) => [job.stop.address.notes, job.instructions];
  return distinct(jobs.flatMap(textsOf)).map((text) => {
    const some = jobs.filter((job) => textsOf(job).includes(text));
    return html`<p key=${text} class="said">${some.length < jobs.length && html`<b translate=${false}>${some.map((job) => job.partner_order_id).join(", ")}</b> · `}${text}</p>`;
  });
};

/** When a failed attempt is repeated, and how often it has failed. @param {{job: Job}} props */
const Attempts = ({ job }) => {
  const next = job.status === "failed" && job.next_attempt;
  if (!job.failures && !next) return null;
  return html`<p class="soft">${n("courier.failures", job.failures)}${next && ` · ${t("courier.again", { t: timesOf(job).moment(Date.parse(next), tick.value) })}`}</p>`;
};

/** What is still to be sent of a stop. @param {{job: Job}} props */
const Waiting = ({ job }) => job.waiting > 0 && html`<span class="unsent"><span class="dot" aria-hidden="true"></span>${n("courier.waiting", job.waiting)}</span>`;

/** What the buttons of a card do. @typedef {{move: (jobs: Job[], to: string) => unknown, seen: (jobs: Job[]) => unknown, handOver: (job: Job) => unknown, scan: () => void}} Doing */

/** Reports whether something was changed of jobs that the courier has not seen: nothing else is done before that. @param {Job[]} jobs */
const changed = (jobs) => jobs.some((job) => job.changes);

/** Returns the job of which the window ends first. @param {Job[]} jobs */
const soonest = (jobs) => jobs.reduce((first, job) => Date.parse(job.stop.deadline) < Date.parse(first.stop.deadline) ? job : first);

/**
 * The large card of what is picked up at one address. An order that is not there is unticked.
 * @param {{jobs: Job[], doing: Doing}} props
 */
const Pickups = ({ jobs, doing }) => {
  const heading = useHeading(), first = /** @type {Job} */ (jobs[0]), { taken, ticks } = useTicks(n("courier.pickups", jobs.length), jobs);
  /** @param {string} to */
  const press = (to) => () => { if (!resting.value && taken.length) doing.move(taken, to); };
  const rests = resting.value || !taken.length ? "true" : null, all = { ...first, parcels: taken.flatMap(({ parcels }) => parcels) };
  return html`<article class="stop large" data-order=${first.order_id} data-orders=${jobs.map(({ order_id: id }) => id).join(" ")} data-status=${first.status} aria-labelledby=${`stop-${first.order_id}`}>
    <${Top} job=${soonest(jobs)} />
    <div><h2 id=${`stop-${first.order_id}`} ref=${heading} tabindex="-1" data-rest>${t("courier.pickup", { name: distinct(jobs.map(({ stop }) => stop.name)).join(", ") })}</h2>
      <${Address} job=${first} />
      <p class="soft">${windowOf(soonest(jobs), tick.value)} · <span class="solid">${parcelsOf(all)}</span></p></div>
    <${Changes} jobs=${jobs} seen=${doing.seen} />
    ${ticks}
    <${AllInstructions} jobs=${jobs} />
    <${Ways} job=${first} scan=${doing.scan} />
    ${!changed(jobs) && html`<div class="acts" translate=${false}>
      <button type="button" data-act="picked_up" aria-disabled=${rests} class="button first act" onClick=${press("picked_up")}>${n("courier.do.picked_up.all", taken.length)}</button>
      <button type="button" data-act="failed" aria-disabled=${rests} class="button quiet" onClick=${press("failed")}>${t("courier.fail.pickup")}</button></div>`}
  </article>`;
};

/**
 * The large card.
 * @param {{job: Job, doing: Doing}} props
 */
const Large = ({ job, doing }) => {
  const heading = useHeading(), pickup = job.stop.kind === "pickup";
  return html`<article class="stop large" data-order=${job.order_id} data-status=${job.status} aria-labelledby=${`stop-${job.order_id}`}>
    <${Top} job=${job} />
    <div><h2 id=${`stop-${job.order_id}`} ref=${heading} tabindex="-1" data-rest>${pickup ? t("courier.pickup", { name: job.stop.name }) : job.stop.name}</h2>
      <${Address} job=${job} />
      <p class="soft">${windowOf(job, tick.value)} · <span class="solid">${parcelsOf(job)}</span></p>
      <p class="soft">${job.return_of && html`<b>${t("courier.return")}</b> · `}<bdi>${job.partner_name}</bdi> · <bdi>${job.partner_order_id}</bdi></p>
      <${Attempts} job=${job} /></div>
    <${Changes} jobs=${[job]} seen=${doing.seen} />
    <${Instructions} job=${job} />
    ${job.cod && !pickup && html`<p class="cod"><span>${t("courier.collect")}</span> <b>${money(job.cod)}</b></p>`}
    <${Ways} job=${job} scan=${doing.scan} />
    ${!job.changes && html`<${Acts} job=${job} go=${(/** @type {string} */ to) => doing.move([job], to)} />
      ${!pickup && html`<button type="button" class="button" data-act="transfer" translate=${false} aria-disabled=${resting.value ? "true" : null} onClick=${() => { if (!resting.value) doing.handOver(job); }}>${t("courier.handover")}</button>`}`}
  </article>`;
};

/** The second line of a small card. @param {Job} job @param {number} today */
const briefly = (job, today) => {
  if (job.stop.kind === "pickup") return `${n("courier.parcels", job.parcels.length)} · ${t("courier.ready", { t: timesOf(job).time(Date.parse(job.stop.time_window.start), today) })}`;
  if (job.status === "failed" && job.next_attempt) return t("courier.again", { t: timesOf(job).moment(Date.parse(job.next_attempt), today) });
  return [job.stop.address.line1, job.stop.area, windowOf(job, today)].join("\u00a0· ");
};

/** A card that opens on a tap. @param {{jobs: Job[], place: number}} props */
const Small = ({ jobs, place }) => {
  const job = jobs.length === 1 ? /** @type {Job} */ (jobs[0]) : { ...soonest(jobs), parcels: jobs.flatMap(({ parcels }) => parcels), waiting: jobs.reduce((sum, { waiting }) => sum + waiting, 0) };
  const late = Date.parse(job.stop.deadline) - tick.value, names = distinct(jobs.map(({ stop }) => stop.name)).join(", ");
  return html`<h2><button type="button" class="stop small" data-order=${job.order_id} data-orders=${jobs.map(({ order_id: id }) => id).join(" ")} data-status=${job.status} onClick=${() => { chosen.value = job.order_id; }}>
    <span class="place" aria-hidden="true">${place}</span>
    <span class="brief"><span class="name">${job.stop.kind === "pickup" ? t("courier.pickup", { name: names }) : job.stop.name}</span>
      <span class="soft">${briefly(job, tick.value)}</span>
      ${changed(jobs) && html`<span class="changed">${t("courier.changed")}</span>`}
      ${job.status === "failed" && html`<${Badge} status=${job.status} />`}
      ${job.status !== "failed" && late < nearMs && html`<span class=${late < 0 ? "late" : "near"}>${due(Date.parse(job.stop.deadline), tick.value)}</span>`}
      <${Waiting} job=${job} /></span>
  </button></h2>`;
};

/** A place of the list, large or small. @param {{jobs: Job[], place: number, large: boolean, doing: Doing}} props */
const Place = ({ jobs, place, large, doing }) => {
  const element = useRef(/** @type {HTMLElement | null} */ (null)), [job] = /** @type {[Job]} */ (jobs);
  useLayoutEffect(() => { // what was tapped is seen from its beginning
    if (!large || !has(jobs, chosen.value)) return;
    element.current?.scrollIntoView({ block: "start" });
    /** @type {HTMLElement | null} */ (element.current?.querySelector("h2"))?.focus({ preventScroll: true });
  }, [large]);
  return html`<li ref=${element}>${large && jobs.length > 1 ? html`<${Pickups} jobs=${jobs} doing=${doing} />` : large ? html`<${Large} job=${job} doing=${doing} />` : html`<${Small} jobs=${jobs} place=${place} />`}</li>`;
};

/** Reports whether an order is among jobs. @param {Job[]} jobs @param {string} id */
const has = (jobs, id) => jobs.some((job) => job.order_id === id);

/** Starts the round: all that is loaded goes out for delivery. @param {{jobs: Job[], doing: Doing}} props */
const Start = ({ jobs, doing }) => {
  const all = loaded(jobs), picking = jobs.some(({ stop, actions }) => stop.kind === "pickup" && actions.includes("picked_up"));
  if (all.length < 2) return null;
  return html`<div class="acts" translate=${false}><button type="button" data-act="start" aria-disabled=${resting.value ? "true" : null} class=${classes("button act", !picking && "first")}
    onClick=${() => { if (!resting.value) doing.move(all, "out_for_delivery"); }}>${n("courier.start", all.length)}</button></div>`;
};

/** What the courier has delivered today. @param {{round: Round}} props */
const Done = ({ round }) => {
  const list = round.done.value, count = round.delivered.value;
  if (!count) return null;
  return html`<details class="done"><summary>${n("courier.done", count)}</summary>
    <ul>${list.map(({ order_id: id, number, at, waiting }) => html`<li key=${id}><span><bdi>${round.names.value[id] ?? (number || shorten(id))}</bdi></span>
      <span class=${waiting ? "unsent" : "soft"}>${waiting ? t("courier.unsent") : clock(at)}</span></li>`)}</ul>
    ${count > list.length && html`<p class="soft">${n("courier.done.more", count - list.length)}</p>`}</details>`;
};

/** What stands in the place of the stops: none, being read, or not read. @param {{round: Round}} props */
const Without = ({ round }) => {
  const state = round.state.value, fault = round.fault.value;
  if (state === "loading") return html`<p class="empty soft" role="status">${t("courier.loading")}</p>`;
  if (state === "ready") return html`<div class="empty"><p class="title">${t(round.delivered.value ? "courier.finished" : "courier.none")}</p><p class="soft">${t("courier.none.what")}</p></div>`;
  return html`<div class="empty" role="alert"><p class="title">${t(fault?.status ? "courier.error" : "courier.offline.empty")}</p>
    ${fault?.requestID && html`<p class="soft">${t("refused.request", { id: fault.requestID })}</p>`}
    <button type="button" class="button first act" onClick=${() => round.refresh()}>${t("courier.retry")}</button></div>`;
};

/**
 * All stops.
 * @param {{round: Round, outbox: Outbox, proofs: (job: any, go: import("./proofs.js").Go) => void, scan: () => void}} props
 */
export const Stops = ({ round, outbox, proofs, scan }) => {
  const jobs = round.jobs.value, large = has(jobs, chosen.value) ? chosen.value : nextOf(jobs, tick.value);
  /** Goes to the stop that comes next, also when the service's sequence is another one a moment later. */
  const toFirst = () => {
    chosen.value = "";
    requestAnimationFrame(() => document.querySelector(".stop.large")?.closest("li")?.scrollIntoView({ block: "start" }));
  };
  /** @type {Doing["move"]} */
  const move = (which, to) => {
    const [job] = /** @type {[Job]} */ (which);
    if (to === "delivered") return proofs(job, ({ pictures, collected }) => record(outbox, job, { status: to, collected }, pictures));
    if (to === "failed") {
      return askFailure(job, now(), (failed, pictures) => (which.length > 1 ? recordAll(outbox, which, failed) : record(outbox, job, failed, pictures)).then(() => { chosen.value = ""; }));
    }
    if (which.length === 1 && to !== "picked_up") chosen.value = job.order_id; // the stop at which something was done stays open
    const recorded = recordAll(outbox, which, { status: to });
    return (to === "picked_up" || which.length > 1 ? recorded.then(toFirst) : recorded).catch(sayUnstored);
  };
  const seen = (/** @type {Job[]} */ which) => recordSeen(outbox, which).catch(sayUnstored);
  const handOver = (/** @type {Job} */ job) => askHandover([job], round.colleagues.value, outbox);
  const doing = { move, seen, handOver, scan };
  return html`
    <${Start} jobs=${jobs} doing=${doing} />
    ${jobs.length === 0 ? !round.returns.value.length && html`<${Without} round=${round} />` : html`<ol class="stops">${cards(jobs).map((card, i) => html`<${Place} key=${card[0]?.order_id} jobs=${card} place=${i + 1} large=${has(card, large)} doing=${doing} />`)}</ol>`}
    ${round.more.value && html`<p class="soft">${t("courier.more")}</p>`}
    <${Returns} round=${round} outbox=${outbox} scan=${scan} />
    <${CashWithYou} round=${round} />
    <${Done} round=${round} />
    <p class="hidden" role="status">${said.value.text}</p>`;
};
