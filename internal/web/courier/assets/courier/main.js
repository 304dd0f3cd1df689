// The courier's app. This module puts it together; the others are
//
//   outbox.js    acts that wait to be sent            storage.js   where the phone keeps them
//   send.js      requests of /ops/v1                  round.js     today's stops
//   stops.js     the stops as cards                   acts.js      moving an order on
//   waiting.js   the header, and what was refused     menu.js      account, language, signing out
//   scan.js      reading labels                       proofs.js    pictures and signatures
//   install.js   the worker and the home screen       jobs.js      reading stops
//   storing.js   storing what a dialog asks for       maps.js      links to maps
//   lock.js      hiding stops without a session  changes.js   what was edited of a stop
//   handover.js  giving parcels to a colleague or a hub
//   returns.js   parcels to bring back       card.js     what cards have in common
//   messages.js  what the desk has written, and calling it
//   cash.js      amounts, and the cash that the courier carries
//   collect.js   asking what was collected   asked.js    what the service asks about a delivery
//
// What all islands share is imported as dropyard/text.js (phrases, numbers and times),
// clock.js (the server's time), html.js (templates, icons, badges) and dialog.js.

import { render } from "preact";
import { effect } from "@preact/signals"; // components are drawn again when a signal that they read changes
import { correct, now, run } from "dropyard/clock.js";
import { Dialogs, close } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";
import { Undone, said } from "./acts.js";
import { Questions } from "./asked.js";
import { Install, Updated, isNewEnough, renew, start, startAgain } from "./install.js";
import { readCash, readDropoff, readDue, readJobs } from "./jobs.js";
import { Lock } from "./lock.js";
import { Call, Messages } from "./messages.js";
import { MenuButton, channel, toSignIn } from "./menu.js";
import { Outbox } from "./outbox.js";
import { askProofs } from "./proofs.js";
import { showReturn } from "./returns.js";
import { Round } from "./round.js";
import { askScan } from "./scan.js";
import { persist, phone, who } from "./send.js";
import { open } from "./storage.js";
import { Stops, chosen } from "./stops.js";
import { Header, Locked, Notices, Others, Refusals, signedOut } from "./waiting.js";

/** How often the stops are read while the app is looked at, in milliseconds. */
const everyMs = 60000;

const root = /** @type {HTMLElement} */ (document.getElementById("courier"));
const owner = root.dataset.operator ?? "", courier = root.dataset.courier ?? "";
const served = Date.parse(root.dataset.served ?? ""); // the document that the phone keeps does not say when
const offset = served ? served - Date.now() : undefined;
if (served) correct(served);
run();

/**
 * Opens the stop of a parcel that was read.
 * @param {Round} round
 * @param {{job: {order_id: string, stop: {name: string}}}} match
 */
const found = (round, { job }) => {
  if (round.jobs.value.some(({ order_id: id }) => id === job.order_id)) chosen.value = job.order_id;
  else if (round.returns.value.some(({ order_id: id }) => id === job.order_id)) showReturn(job.order_id);
  else said.value = { text: t("courier.elsewhere", { name: job.stop.name }), danger: true };
};

/** What the app consists of. @typedef {{round: Round, outbox: Outbox, lock: Lock, forget: () => Promise<unknown>}} Parts */

/** @param {Parts} props */
const App = ({ round, outbox, lock, forget }) => {
  const locked = lock.locked.value, scan = () => askScan([...round.jobs.value, ...round.returns.value], (match) => found(round, match));
  return html`
    <${Header} round=${round} outbox=${outbox} locked=${locked} menu=${html`<${Call} round=${round} /><${MenuButton} outbox=${outbox} forget=${forget} phone=${round.phone} />`} />
    <main id="content" tabindex="-1">
      <div class="low"><${Notices} outbox=${outbox} />${!locked && html`<${Undone} />`}${!locked && html`<${Refusals} outbox=${outbox} /><${Questions} round=${round} outbox=${outbox} readDue=${readDue} />`}</div>
      ${!locked && html`<${Messages} round=${round} outbox=${outbox} courier=${courier} />`}
      ${locked ? html`<${Locked} />` : html`<${Stops} round=${round} outbox=${outbox} proofs=${askProofs} scan=${scan} />`}
      ${round.state.value !== "loading" && html`<${Others} outbox=${outbox} /><${Updated} /><${Install} />`}
    </main>
    <${Dialogs} />`;
};

/** Locks the stops when a response is that the session has ended. @param {Parts} parts */
const watch = ({ round, outbox, lock }) => {
  effect(() => { if (signedOut(round, outbox)) lock.shut(); });
  effect(() => { if (lock.locked.value) close(); }); // dialogs show names and pictures
};

/** Sends and reads everything that may be late: when the app is looked at, the connection is back, and time passes. @param {Round} round @param {Outbox} outbox */
const keepUp = (round, outbox) => {
  const hurry = () => {
    if (document.hidden) return;
    outbox.hurry();
    round.refresh();
  };
  round.refresh();
  addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);
  setInterval(() => { if (!document.hidden) round.refresh(); }, everyMs);
};

/** Shows something in the place of what the document shows. @param {import("dropyard/html.js").Element} what */
const show = (what) => {
  if (!root.dataset.shown) root.replaceChildren();
  root.dataset.shown = "yes";
  render(what, root);
};

/** Says why the app does not start. @param {string} why */
const refuse = (why) => show(html`<main id="content"><h1 class="hidden">${t("courier.title")}</h1><p class="notice danger" role="alert">${why}</p>
  <button type="button" class="button first act" onClick=${() => location.reload()}>${t("courier.retry")}</button></main>`);

/** Starts again, because a newer version of the app has used the phone's storage. */
const outdated = () => {
  refuse(t("courier.outdated"));
  renew().catch(() => {}); // no connection: the courier reads what to do
};

/** Opens what the phone keeps, and shows the app. It throws if the phone keeps nothing. */
const begin = async () => {
  const storage = await open("dropyard-courier", outdated), outbox = new Outbox(await phone(storage, offset));
  storage.clear(owner).catch(() => {}); // the next start clears them
  const lock = new Lock({ owner, who, keep: (locked) => storage.keep(owner, "locked", locked), kept: () => storage.kept(owner, "locked") });
  const forget = () => {
    round.close();
    return storage.keep(owner, "round", null);
  };
  const round = new Round({
    read: async (since) => {
      const [answer, cash] = await Promise.all([readJobs(since), readCash(courier)]);
      if (answer.courier_id !== courier) await forget().then(startAgain); // as the courier who is signed in
      else void lock.release().then((open) => { if (open) outbox.hurry(); });
      return { ...answer, cash };
    },
    dropoff: readDropoff, now, waiting: outbox.waiting,
    keep: (value) => storage.keep(owner, "round", value), kept: () => storage.kept(owner, "round"),
  });
  outbox.settled = (act, { status }) => { if (status >= 300) round.refused(act); };
  await lock.open(Boolean(served));
  await Promise.all([outbox.open(owner), round.open()]);
  watch({ round, outbox, lock, forget });
  show(html`<${App} round=${round} outbox=${outbox} lock=${lock} forget=${forget} />`);
  isNewEnough();
  keepUp(round, outbox);
  channel().addEventListener("message", () => { void toSignIn(forget); }); // signed out in another tab
};

begin().catch((error) => { // a browser that keeps nothing, a full phone, or an old version of the app
  if (error?.name === "VersionError") outdated();
  else refuse(t("courier.no_storage"));
});
void start(root.dataset.worker ?? "", root.dataset.version ?? "");
void persist();
