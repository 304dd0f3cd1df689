// The stops as cards, in sequence: one is large, with everything that is needed there.

import { useLayoutEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals-core";
import { Acts, askFailure, record, said, sayUnstored } from "./acts.js";
import { isOnIOS } from "./install.js";
import { mapOf } from "./maps.js";
import { money } from "./proofs.js";
import { nextOf } from "./round.js";
import { now, tick } from "dropyard/clock.js";
import { Badge, classes, html } from "dropyard/html.js";
import { clock, due, full, moment, n, range, shorten, t } from "dropyard/text.js";

/** @typedef {import("./round.js").Shown} Job */
/** @typedef {import("./round.js").Round} Round */
/** @typedef {import("./acts.js").Outbox} Outbox */

/** The stop that the courier has opened, by its order; empty for the one that comes next. */
export const chosen = signal("");

/** From when on a deadline is shown as near, in milliseconds. */
const nearMs = 1800000;

/** Reports whether two times are on one day. @param {number} a @param {number} b */
const sameDay = (a, b) => new Date(a).toDateString() === new Date(b).toDateString();

/** Returns the time of day, with the day if that is another one. @param {number} at @param {number} today */
const time = (at, today) => sameDay(at, today) ? clock(at) : moment(at, today);

/** The status and the end of the window, and below them what waits and how long is left: red if it is late, amber if that is near. @param {{job: Job}} props */
const Top = ({ job }) => {
  const at = Date.parse(job.stop.deadline), today = tick.value, left = at - today, urgent = classes("due", left < 0 ? "late" : left < nearMs && "near");
  return html`<div class="top">
    <p><${Badge} status=${job.status} /> <b class=${urgent} title=${full(at)}>${t("courier.by", { t: time(at, today) })}</b></p>
    <p><${Waiting} job=${job} /> <span class=${urgent}>${sameDay(at, today) && due(at, today)}</span></p></div>`;
};

/** Returns "2 parcels, 1 fragile". @param {Job} job */
const parcelsOf = ({ parcels }) => {
  const fragile = parcels.filter((parcel) => parcel.fragile).length, all = n("courier.parcels", parcels.length);
  return fragile ? `${all}${t("time.comma")} ${n("courier.fragile", fragile)}` : all;
};

/** Returns the window of a stop as a text. @param {Job} job @param {number} today */
const windowOf = ({ stop }, today) => {
  const from = Date.parse(stop.time_window.start), to = Date.parse(stop.time_window.end);
  if (sameDay(from, to) && sameDay(from, today)) return range(from, to);
  return sameDay(from, to) ? `${time(from, today)} – ${clock(to)}` : `${time(from, today)} – ${time(to, today)}`;
};

/** @param {{job: Job}} props */
const Address = ({ job: { stop: { address } } }) => html`<p class="address">
  <span>${[address.line1, address.line2].filter(Boolean).join(", ")}</span> <span>${address.city} ${address.postal_code}</span></p>`;

/** The notes of the address, and the instructions of the order. @param {{job: Job}} props */
const Instructions = ({ job }) => [job.stop.address.notes, job.instructions].filter(Boolean).map((text, i) => html`<p key=${i} class="said">${text}</p>`);

/** When a failed attempt is repeated, and how often it has failed. @param {{job: Job}} props */
const Attempts = ({ job }) => {
  const next = job.status === "failed" && job.next_attempt;
  if (!job.failures && !next) return null;
  return html`<p class="soft">${n("courier.failures", job.failures)}${next && ` · ${t("courier.again", { t: moment(Date.parse(next), tick.value) })}`}</p>`;
};

/** What is still to be sent of a stop. @param {{job: Job}} props */
const Waiting = ({ job }) => job.waiting > 0 && html`<span class="unsent"><span class="dot" aria-hidden="true"></span>${n("courier.waiting", job.waiting)}</span>`;

/** Calling, finding the way, and reading labels. @param {{job: Job, scan: () => void}} props */
const Ways = ({ job, scan }) => html`<div class="reach">
  <a class="button" href=${`tel:${job.stop.phone}`} aria-label=${t("courier.call.name", { name: job.stop.name })}>${t("courier.call")}</a>
  <a class="button" ...${mapOf(job.stop.address, isOnIOS())}>${t("courier.navigate")}</a>
  <button type="button" class="button" onClick=${() => scan()}>${t("courier.scan")}</button>
</div>`;

/** What the buttons of a card do. @typedef {{move: (job: Job, to: string) => unknown, scan: () => void}} Doing */

/**
 * The large card.
 * @param {{job: Job, doing: Doing}} props
 */
const Large = ({ job, doing }) => {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => { // the stop that was here before had the focus
    if (document.activeElement === document.body || !document.activeElement) heading.current?.focus({ preventScroll: true });
  }, []);
  const pickup = job.stop.kind === "pickup";
  return html`<article class="stop large" data-order=${job.order_id} data-status=${job.status} aria-labelledby=${`stop-${job.order_id}`}>
    <${Top} job=${job} />
    <div><h2 id=${`stop-${job.order_id}`} ref=${heading} tabindex="-1" data-rest>${pickup ? t("courier.pickup", { name: job.stop.name }) : job.stop.name}</h2>
      <${Address} job=${job} />
      <p class="soft">${windowOf(job, tick.value)} · <span class="solid">${parcelsOf(job)}</span></p>
      <p class="soft"><bdi>${job.partner_name}</bdi> · <bdi>${job.partner_order_id}</bdi></p>
      <${Attempts} job=${job} /></div>
    <${Instructions} job=${job} />
    ${job.cod && !pickup && html`<p class="cod"><span>${t("courier.collect")}</span> <b>${t("courier.cash", { t: money(job.cod) })}</b></p>`}
    <${Ways} job=${job} scan=${doing.scan} />
    <${Acts} job=${job} go=${(/** @type {string} */ to) => doing.move(job, to)} />
  </article>`;
};

/** The second line of a small card. @param {Job} job @param {number} today */
const briefly = (job, today) => {
  if (job.stop.kind === "pickup") return `${n("courier.parcels", job.parcels.length)} · ${t("courier.ready", { t: time(Date.parse(job.stop.time_window.start), today) })}`;
  if (job.status === "failed" && job.next_attempt) return t("courier.again", { t: moment(Date.parse(job.next_attempt), today) });
  return [job.stop.address.line1, job.stop.area, windowOf(job, today)].join("\u00a0· ");
};

/** A card that opens on a tap. @param {{job: Job, place: number}} props */
const Small = ({ job, place }) => {
  const late = Date.parse(job.stop.deadline) - tick.value;
  return html`<h2><button type="button" class="stop small" data-order=${job.order_id} data-status=${job.status} onClick=${() => { chosen.value = job.order_id; }}>
    <span class="place" aria-hidden="true">${place}</span>
    <span class="brief"><span class="name">${job.stop.kind === "pickup" ? t("courier.pickup", { name: job.stop.name }) : job.stop.name}</span>
      <span class="soft">${briefly(job, tick.value)}</span>
      ${job.status === "failed" && html`<${Badge} status=${job.status} />`}
      ${job.status !== "failed" && late < nearMs && html`<span class=${late < 0 ? "late" : "near"}>${due(Date.parse(job.stop.deadline), tick.value)}</span>`}
      <${Waiting} job=${job} /></span>
  </button></h2>`;
};

/** A place of the list, large or small. @param {{job: Job, place: number, large: boolean, doing: Doing}} props */
const Place = ({ job, place, large, doing }) => {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => { // what was tapped is seen from its beginning
    if (!large || chosen.value !== job.order_id) return;
    element.current?.scrollIntoView({ block: "start" });
    /** @type {HTMLElement | null} */ (element.current?.querySelector("h2"))?.focus({ preventScroll: true });
  }, [large]);
  return html`<li ref=${element}>${large ? html`<${Large} job=${job} doing=${doing} />` : html`<${Small} job=${job} place=${place} />`}</li>`;
};

/** What the courier has delivered today. @param {{round: Round}} props */
const Done = ({ round }) => {
  const list = round.done.value, count = round.delivered.value;
  if (!count) return null;
  return html`<details class="done"><summary>${n("courier.done", count)}</summary>
    <ul>${list.map(({ order_id: id, at, waiting }) => html`<li key=${id}><span><bdi>${round.names.value[id] ?? shorten(id)}</bdi></span>
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
 * @param {{round: Round, outbox: Outbox, proofs: (job: any, go: (what: {pictures: import("./acts.js").Picture[]}) => unknown) => void, scan: () => void}} props
 */
export const Stops = ({ round, outbox, proofs, scan }) => {
  const jobs = round.jobs.value, large = jobs.some((job) => job.order_id === chosen.value) ? chosen.value : nextOf(jobs, tick.value);
  /** @type {Doing["move"]} */
  const move = (job, to) => {
    if (to === "delivered") return proofs(job, ({ pictures }) => record(outbox, job, { status: to }, pictures));
    if (to === "failed") {
      return askFailure(job, now(), (failed, pictures) => record(outbox, job, failed, pictures).then(() => { chosen.value = ""; }));
    }
    chosen.value = job.order_id; // the stop at which something was done stays open
    return record(outbox, job, { status: to }).catch(sayUnstored);
  };
  const doing = { move, scan };
  return html`
    ${jobs.length === 0 ? html`<${Without} round=${round} />` : html`<ol class="stops">${jobs.map((job, i) => html`<${Place} key=${job.order_id} job=${job} place=${i + 1} large=${job.order_id === large} doing=${doing} />`)}</ol>`}
    ${round.more.value && html`<p class="soft">${t("courier.more")}</p>`}
    <${Done} round=${round} />
    <p class="hidden" role="status">${said.value.text}</p>`;
};
