// Finding the stop of a parcel by the code on its label: with the camera, a scanner that
// types, or by hand.

import { useEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { NoCamera, run } from "dropyard/camera.js";
import { ask, close } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { n, t } from "dropyard/text.js";
import { match, missing } from "./codes.js";
import { lookUp } from "./jobs.js";
import { reader } from "./reader.js";

/** @typedef {import("./codes.js").Job} Job */
/** @typedef {import("./codes.js").Match} Match */
/** @typedef {{matches: Match[], problem: string}} Answer problem is the key of a phrase if nothing was found */

/** After how long a code that the camera no longer sees counts again, in milliseconds. */
const gone = 3000;

/** The parcels of a stop that have not been scanned, unless that is all of them. @param {{job: Job, places: number[]}} props */
const Missing = ({ job, places }) => {
  const rest = missing(job, places);
  if (!places.length || job.parcels.length === 1) return null;
  if (!rest.length) return html`<p class="complete">${n("courier.scan.complete", job.parcels.length)}</p>`;
  return html`<div><p>${n("courier.scan.missing", rest.length)}</p><ul class="missing">${rest.map((parcel) => html`<li key=${parcel.label} class="mono">${parcel.label}</li>`)}</ul></div>`;
};

/** @param {{found: Match, places: number[], choose: (found: Match) => void}} props */
const Found = ({ found, places, choose }) => {
  const { job, place } = found, total = job.parcels.length;
  return html`<section class="scanned stack tight">
    <h3>${job.stop.name}</h3>
    <p class="soft">${place ? t("courier.scan.parcel", { place, total }) : n("courier.scan.order", total)}</p>
    <${Missing} job=${job} places=${places} />
    <button type="button" class="button first" onClick=${() => choose(found)}>${t("courier.scan.show")}</button>
  </section>`;
};

/** Why there is no picture. @type {Record<NoCamera["reason"], string>} */
const reasons = {
  insecure: "courier.scan.camera.insecure", refused: "courier.scan.camera.refused", none: "courier.scan.camera.none",
  broken: "courier.scan.camera.broken", reader: "courier.scan.camera.reader",
};

/** The picture of the camera, or why there is none. @param {{found: (code: string) => void}} props */
export const Camera = ({ found }) => {
  const video = useRef(/** @type {HTMLVideoElement | null} */ (null)), why = useSignal("");
  useEffect(() => {
    const ends = new AbortController();
    if (video.current) run(video.current, found, ends.signal, reader).catch((error) => { why.value = reasons[error instanceof NoCamera ? error.reason : "broken"]; });
    return () => ends.abort();
  }, []);
  return html`<div class="camera" role="status">${why.value ? html`<p class="notice warn">${t(why.value)}</p>`
    : html`<video ref=${video} muted playsinline aria-label=${t("courier.scan.camera")}></video>`}</div>`;
};

/** Leads what a scanner types to the field, wherever the focus is. @param {{current: HTMLInputElement | null}} field */
const useTyping = (field) => useEffect(() => {
  /** @param {KeyboardEvent} event */
  const lead = (event) => {
    const plain = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && !(event.target instanceof HTMLInputElement)) field.current?.focus();
  };
  document.addEventListener("keydown", lead);
  return () => document.removeEventListener("keydown", lead);
}, []);

/** Keeps which parcels have been scanned, by order. */
const useScanned = () => {
  const scanned = useSignal(/** @type {Record<string, number[]>} */ ({}));
  /** @param {Match} found */
  const add = ({ job, place }) => {
    const before = scanned.value[job.order_id] ?? [];
    if (place && !before.includes(place)) scanned.value = { ...scanned.value, [job.order_id]: [...before, place] };
  };
  return { add, of: (/** @type {Job} */ job) => scanned.value[job.order_id] ?? [] };
};

/** @param {{jobs: Job[], found: (found: Match) => void}} props */
const Scan = ({ jobs, found }) => {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null)), latest = useRef(""), seen = useRef({ code: "", at: 0 }), scanned = useScanned();
  const answer = useSignal(/** @type {Answer} */ ({ matches: [], problem: "" })), busy = useSignal(false);
  useTyping(field);
  /** @param {string} code */
  const read = async (code) => {
    latest.current = code;
    const known = match(jobs, code);
    busy.value = !known.length;
    const result = known.length ? { matches: known, problem: "" } : await lookUp(code);
    if (latest.current !== code) return; // another was read meanwhile
    busy.value = false;
    answer.value = result;
    if (result.matches.length === 1) result.matches.forEach(scanned.add);
  };
  /** @param {string} code that the camera sees, mostly for some time: it counts once */
  const see = (code) => {
    const { code: before, at } = seen.current, now = performance.now();
    seen.current = { code, at: now };
    if (code === before && now - at < gone) return;
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(60);
    void read(code);
  };
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    const code = field.current?.value.trim() ?? "";
    if (code) void read(code);
    field.current?.select();
  };
  const choose = (/** @type {Match} */ chosen) => { close(); found(chosen); };
  const { matches, problem } = answer.value;
  return html`<div class="stack scan">
    <${Camera} found=${see} />
    <form class="stack tight" onSubmit=${submit}><label for="scan-code">${t("courier.scan.code")}</label>
      <div class="code"><input class="input" id="scan-code" ref=${field} maxlength="3000" autocomplete="off" autocapitalize="none" spellcheck=${false} enterkeyhint="search" />
        <button class="button">${t("courier.scan.find")}</button></div></form>
    <div class="stack tight" role="status">
      ${busy.value && html`<p class="soft">${t("courier.scan.busy")}</p>`}
      ${problem && !busy.value && html`<p class="fault">${t(problem)}</p>`}
      ${matches.length > 1 && html`<p>${n("courier.scan.several", matches.length)}</p>`}
      ${matches.map((one) => html`<${Found} key=${`${one.job.order_id} ${one.place}`} found=${one} places=${scanned.of(one.job)} choose=${choose} />`)}
    </div>
  </div>`;
};

/**
 * Asks for codes of labels, until the courier goes to the stop of one.
 * @param {Job[]} jobs which the phone knows, also offline
 * @param {(found: Match) => void} found called once, after the dialog has closed
 */
export const askScan = (jobs, found) => ask(t("courier.scan.title"), () => html`<${Scan} jobs=${jobs} found=${found} />`);
