// The courier's app. This module puts it together; the others are
//
//   outbox.js    acts that wait to be sent            storage.js   where the phone keeps them
//   send.js      requests of /ops/v1                  round.js     today's stops
//   stops.js     the stops as cards                   acts.js      moving an order on
//   waiting.js   the header, and what was refused     menu.js      account, language, signing out
//   scan.js      reading labels                       proofs.js    pictures and signatures
//   install.js   the worker and the home screen
//
// What all islands share is imported as dropyard/text.js (phrases, numbers and times),
// clock.js (the server's time), html.js (templates, icons, badges) and dialog.js.

import { render } from "preact";
import "@preact/signals"; // components are drawn again when a signal that they read changes
import { correct, run } from "dropyard/clock.js";
import { Dialogs } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";
import { start } from "./install.js";

const App = () => html`
  <main id="content" class="stack" tabindex="-1"><h1 class="hidden">${t("courier.title")}</h1></main>
  <${Dialogs} />`;

const root = /** @type {HTMLElement} */ (document.getElementById("courier"));
correct(Date.parse(root.dataset.now ?? ""));
run();
root.replaceChildren();
render(html`<${App} />`, root);
void start(root.dataset.worker ?? "", root.dataset.version ?? "");
