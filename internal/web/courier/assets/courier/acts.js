// Moving an order on: the acts of a stop, and the dialogs of those that need more than a
// tap. What is tapped goes into the outbox, and from there to the service.

import { useEffect } from "preact/hooks";
import { signal, useComputed, useSignal } from "@preact/signals";
import { close, ask } from "dropyard/dialog.js";
import { classes, html, statusName } from "dropyard/html.js";
import { n, t } from "dropyard/text.js";
import { hourOf, instant, timesIn, zoneName, zoneOf } from "dropyard/zone.js";
import { Photo } from "./proofs.js";
import { Unstored, useStoring } from "./storing.js";

/** @typedef {import("./round.js").Shown} Job */
/** @typedef {import("./outbox.js").Move} Move */
/** @typedef {import("dropyard/zone.js").Zone} Zone */
/** @typedef {import("./outbox.js").Picture} Picture */
/** @typedef {Pick<import("./outbox.js").Outbox, "record">} Outbox */

/** What was just recorded, or why it could not be: it is read out. @type {import("@preact/signals-core").Signal<{text: string, danger: boolean}>} */
export const said = signal({ text: "", danger: false });

/** What could not be done. It lies above the stops, where it is seen, until it is put away. */
export const Undone = () => said.value.danger && html`<div class="notice danger"><p>${said.value.text}</p>
  <button type="button" class="button" onClick=${() => { said.value = { text: "", danger: false }; }}>${t("act.close")}</button></div>`;

/** How long what has just appeared under a finger cannot be tapped, in milliseconds: the finger may be on its way to what was there before. */
export const restMs = 600;

/** Set while an act is recorded, and for a moment after it. */
export const resting = signal(false);

/** Runs what records acts, while nothing can be tapped, and for a moment after it: other stops may be where these were. @param {() => Promise<unknown>} run */
export const rested = async (run) => {
  resting.value = true;
  try {
    await run();
  } finally {
    setTimeout(() => { resting.value = false; }, restMs);
  }
};

/** Returns whether a button that has just appeared can be pressed: not as long as a finger may be on its way to what was there before. */
export const useReady = () => {
  const ready = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => { ready.value = true; }, restMs);
    return () => clearTimeout(timer);
  }, []);
  return ready;
};

/**
 * Names an order to its courier, for when its act was refused: two orders may go to the same person.
 * @param {{stop: {name: string}, partner_order_id: string}} job
 */
export const labelOf = ({ stop: { name }, partner_order_id: number }) => [name, number].filter(Boolean).join(" · ");

/**
 * Records an act of a stop. It throws if the phone cannot store it; then nothing is
 * recorded.
 * @param {Outbox} outbox
 * @param {Job} job
 * @param {Move | null} move
 * @param {Picture[]} [pictures]
 */
export const record = (outbox, job, move, pictures = []) => rested(async () => {
  await outbox.record({ order_id: job.order_id, label: labelOf(job), move, pictures });
  said.value = { text: t("courier.recorded", { act: statusName(move?.status ?? job.status), name: job.stop.name }), danger: false };
});

/**
 * Records one move of several orders, one after the other. It throws at the first that the
 * phone cannot store.
 * @param {Outbox} outbox
 * @param {Job[]} jobs
 * @param {Move} move
 */
export const recordAll = async (outbox, jobs, move) => {
  for (const job of jobs) await record(outbox, job, move);
  if (jobs.length > 1) said.value = { text: n("courier.recorded.all", jobs.length, { act: statusName(move.status) }), danger: false };
};

/** Records that the courier has seen what was changed of stops. It throws if the phone cannot store it. @param {Outbox} outbox @param {Job[]} jobs */
export const recordSeen = (outbox, jobs) => rested(async () => {
  for (const job of jobs) {
    if (job.changes) await outbox.record({ order_id: job.order_id, label: labelOf(job), deed: { kind: "confirm", body: { version: job.changes.version } } });
  }
  said.value = { text: t("courier.changed.recorded"), danger: false };
});

/** Says that the phone could not store an act. */
export const sayUnstored = () => { said.value = { text: t("courier.not_stored"), danger: true }; };

/** What the button of a move says. @param {Job} job @param {string} to */
export const moveName = (job, to) => {
  if (job.status === "failed" && job.stop.kind === "pickup") return t("courier.do.picked_up");
  /** @type {Record<string, () => string>} */
  const names = {
    picked_up: () => t("courier.do.picked_up"), in_transit: () => t("courier.do.in_transit"),
    out_for_delivery: () => t(job.status === "failed" ? "courier.do.again" : "courier.do.out_for_delivery"), delivered: () => t("courier.do.delivered"),
  };
  return names[to]?.() ?? statusName(to);
};

/**
 * Returns the moves of a stop besides a failed attempt, the usual one first. Parcels that
 * have just been picked up usually go to the recipient right away.
 * @param {Job} job
 */
export const movesOf = (job) => {
  const moves = job.actions.filter((to) => to !== "failed");
  if (job.status === "failed" && job.stop.kind === "pickup") return moves.filter((to) => to === "in_transit");
  return moves.sort((a, b) => Number(b === "out_for_delivery") - Number(a === "out_for_delivery"));
};

/** The clocks of the place of a stop. @param {Job} job */
export const zoneOfStop = ({ stop: { address } }) => zoneOf(address.province, address.postal_code);

const reasons = () => [
  ["not_home", t("courier.why.not_home")], ["wrong_address", t("courier.why.wrong_address")], ["no_access", t("courier.why.no_access")],
  ["declined", t("courier.why.declined")], ["damaged", t("courier.why.damaged")], ["other", t("courier.why.other")],
];

/** The next attempts that are usually planned: this evening, tomorrow morning, tomorrow evening. @param {number} now @param {Zone} zone */
const attempts = (now, zone) => [hourOf(now, 0, 18, zone), hourOf(now, 1, 9, zone), hourOf(now, 1, 18, zone)].filter((time) => time > now);

/** What was chosen in the form of a failed attempt. @param {FormData} values @param {Zone} zone @returns {Move} */
const failure = (values, zone) => {
  const next = String(values.get("next")), other = String(values.get("other") ?? ""), notes = String(values.get("notes")).trim();
  const planned = next === "other" ? other && instant(other, zone).toISOString() : next;
  return { status: "failed", failure_reason: String(values.get("reason")), ...(planned && { next_attempt: planned }), ...(notes && { notes }) };
};

/** @param {{job: Job, now: number, go: (move: Move, pictures: Picture[]) => unknown}} props */
const Failure = ({ job, now, go }) => {
  const next = useSignal(""), reason = useSignal(""), photo = useSignal(/** @type {Blob | null} */ (null)), { store, storing, failed } = useStoring();
  const shrinking = useSignal(false), waits = useComputed(() => shrinking.value || storing.value), zone = zoneOfStop(job), times = timesIn(zone);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const move = failure(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)), zone);
    if (!waits.value) void store(() => go(move, photo.value ? [{ kind: "photo", data: photo.value }] : []));
  };
  return html`<form class="stack" onSubmit=${submit}>
    <fieldset class="reasons"><legend>${t("courier.why")}</legend>
      ${reasons().map(([value, label]) => html`<label class="choice" key=${value}><input type="radio" name="reason" value=${value} required onChange=${() => { reason.value = value ?? ""; }} /><span>${label}</span></label>`)}</fieldset>
    <div class="field"><label for="fail-next">${t("courier.next")}</label>
      <select class="input" id="fail-next" name="next" value=${next.value} onChange=${(/** @type {{currentTarget: HTMLSelectElement}} */ event) => { next.value = event.currentTarget.value; }}>
        <option value="">${t("courier.next.none")}</option>
        ${attempts(now, zone).map((time) => html`<option key=${time} value=${new Date(time).toISOString()}>${times.moment(time, now)}</option>`)}
        <option value="other">${t("courier.next.other")}</option></select></div>
    ${next.value === "other" && html`<div class="field"><label for="fail-other">${t("courier.next.time")}</label><p class="hint" id="fail-other-hint">${t("courier.next.zone", { zone: zoneName(zone) })}</p>
      <input class="input" id="fail-other" name="other" type="datetime-local" required aria-describedby="fail-other-hint" /></div>`}
    <div class="field"><label for="fail-notes">${t("courier.note")}</label><p class="hint" id="fail-notes-hint">${t(reason.value === "other" ? "courier.note.needed" : "courier.note.hint")}</p>
      <textarea class="input" id="fail-notes" name="notes" maxlength="1000" required=${reason.value === "other"} aria-describedby="fail-notes-hint"></textarea></div>
    ${job.status !== "courier_assigned" && html`<section class="stack tight proofs"><h3>${t("courier.proofs.photo")} <span class="soft">${t("courier.proofs.optional")}</span></h3>
      <${Photo} photo=${photo} busy=${shrinking} /></section>`}
    <${Unstored} failed=${failed} />
    <button class="button act fail" aria-disabled=${waits.value}>${t("courier.fail.do")}</button>
    <button type="button" class="button" onClick=${close}>${t("courier.back")}</button>
  </form>`;
};

/** Asks why an attempt has failed. @param {Job} job @param {number} now @param {(move: Move, pictures: Picture[]) => unknown} go what happens then; the dialog stays open if it throws */
export const askFailure = (job, now, go) => ask(t("courier.fail.title", { name: job.stop.name }), () => html`<${Failure} job=${job} now=${now} go=${go} />`);

/**
 * The acts of a stop. The usual one is a large button.
 * @param {{job: Job, go: (to: string) => void}} props
 */
export const Acts = ({ job, go }) => {
  const rests = resting.value;
  /** @param {string} to */
  const press = (to) => () => { if (!resting.value) go(to); };
  return html`<div class="acts" translate=${false}>
    ${movesOf(job).map((to, i) => html`<button type="button" key=${`move${i}`} data-act=${to} aria-disabled=${rests ? "true" : null}
      class=${classes("button", i === 0 && "first act")} onClick=${press(to)}>${moveName(job, to)}</button>`)}
    ${job.actions.includes("failed") && html`<button type="button" key="failed" data-act="failed" aria-disabled=${rests ? "true" : null}
      class="button quiet" onClick=${press("failed")}>${t(job.stop.kind === "pickup" ? "courier.fail.pickup" : "courier.fail")}</button>`}
  </div>`;
};
