// The courier's app. This module puts it together; the others are
//
//   outbox.js    acts that wait to be sent            storage.js   where the phone keeps them
//   send.js      requests of /ops/v1                  round.js     today's stops
//   stops.js     the stops as cards                   acts.js      moving an order on
//   waiting.js   the header, and what was refused     menu.js      account, language, signing out
//   scan.js      reading labels                       proofs.js    pictures and signatures
//   install.js   the worker and the home screen       jobs.js      reading stops
//   storing.js   storing what a dialog asks for       maps.js      links to maps
//
// What all islands share is imported as dropyard/text.js (phrases, numbers and times),
// clock.js (the server's time), html.js (templates, icons, badges) and dialog.js.

import { render } from "preact";
import "@preact/signals"; // components are drawn again when a signal that they read changes
import { correct, now, run } from "dropyard/clock.js";
import { Dialogs } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";
import { Undone, said } from "./acts.js";
import { Install, Updated, start } from "./install.js";
import { readDropoff, readJobs } from "./jobs.js";
import { MenuButton } from "./menu.js";
import { Outbox } from "./outbox.js";
import { askProofs } from "./proofs.js";
import { Round } from "./round.js";
import { askScan } from "./scan.js";
import { persist, phone } from "./send.js";
import { open } from "./storage.js";
import { Stops, chosen } from "./stops.js";
import { Header, Notices, Others, Refusals } from "./waiting.js";

/** How often the stops are read while the app is looked at, in milliseconds. */
const everyMs = 60000;

const root = /** @type {HTMLElement} */ (document.getElementById("courier"));
const owner = root.dataset.operator ?? "", courier = root.dataset.courier ?? "";
const served = Date.parse(root.dataset.now ?? ""); // the document that the phone keeps does not say when
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
  else said.value = { text: t("courier.elsewhere", { name: job.stop.name }), danger: true };
};

/** @param {{round: Round, outbox: Outbox, forget: () => Promise<unknown>}} props */
const App = ({ round, outbox, forget }) => html`
  <${Header} round=${round} outbox=${outbox} menu=${html`<${MenuButton} outbox=${outbox} forget=${forget} />`} />
  <main id="content" tabindex="-1">
    <div class="low"><${Notices} round=${round} outbox=${outbox} /><${Undone} /><${Refusals} outbox=${outbox} /></div>
    <${Stops} round=${round} outbox=${outbox} proofs=${askProofs} scan=${() => askScan(round.jobs.value, (match) => found(round, match))} />
    ${round.state.value !== "loading" && html`<${Others} outbox=${outbox} /><${Updated} /><${Install} />`}
  </main>
  <${Dialogs} />`;

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

/** Removes what the phone keeps of a courier who is no longer signed in here, and starts again as the one who is. */
const leave = async () => {
  for (const name of await caches.keys()) await (await caches.open(name)).delete(location.pathname);
  location.reload();
};

/** Opens what the phone keeps, and shows the app. It throws if the phone keeps nothing. */
const begin = async () => {
  const storage = await open("dropyard-courier"), outbox = new Outbox(await phone(storage, offset));
  const forget = () => {
    round.close();
    return storage.keep(owner, "round", null);
  };
  const round = new Round({
    read: async (since) => {
      const answer = await readJobs(since);
      if (answer.courier_id !== courier) await forget().then(leave);
      return answer;
    },
    dropoff: readDropoff, now, waiting: outbox.waiting,
    keep: (value) => storage.keep(owner, "round", value), kept: () => storage.kept(owner, "round"),
  });
  outbox.settled = (act, { status }) => { if (status >= 300) round.refused(act); };
  await Promise.all([outbox.open(owner), round.open()]);
  root.replaceChildren();
  render(html`<${App} round=${round} outbox=${outbox} forget=${forget} />`, root);
  keepUp(round, outbox);
};

begin().catch(() => { // a browser that keeps nothing, or a full phone
  root.replaceChildren();
  render(html`<main id="content"><h1 class="hidden">${t("courier.title")}</h1><p class="notice danger" role="alert">${t("courier.no_storage")}</p>
    <button type="button" class="button first act" onClick=${() => location.reload()}>${t("courier.retry")}</button></main>`, root);
});
void start(root.dataset.worker ?? "", root.dataset.version ?? "");
void persist();
