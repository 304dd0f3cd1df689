// The app on the phone: the service worker that keeps it, its versions, and its place on
// the home screen.

import { signal } from "@preact/signals-core";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";

/** What Chromium passes when the app can be put on the home screen. @typedef {Event & {prompt(): Promise<unknown>}} Offer */

/** Whether a newer version of the app has been kept: the next start uses it. */
export const newer = signal(false);

/** The browser's offer to put the app on the home screen; null if there is none. @type {import("@preact/signals-core").Signal<Offer | null>} */
const offer = signal(null);

/** Where this phone keeps that the courier does not want the app on the home screen. */
const declinedKey = "courier.home-screen";

const declined = signal(false);

/** How often an app that stays open looks for a new version, in milliseconds. */
const lookEvery = 60 * 60 * 1000;

/**
 * Returns the path as an address that scripts may be loaded from, where browsers ask for that.
 * The policy's name is that of page.TrustedWorker.
 * @param {string} path
 */
const trusted = (path) => {
  const types = /** @type {any} */ (globalThis).trustedTypes;
  return types ? types.createPolicy("dropyard-worker", { createScriptURL: (/** @type {string} */ asked) => asked }).createScriptURL(path) : path;
};

/**
 * Looks for a new version whenever the app is looked at again, but not too often.
 * @param {ServiceWorkerRegistration} registration
 */
const lookOften = (registration) => {
  let looked = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() - looked < lookEvery) return;
    looked = Date.now();
    registration.update().catch(() => null); // no connection: the next time
  });
};

/** Reports whether the app has been opened from the home screen. */
const isInstalled = () => matchMedia("(display-mode: standalone)").matches;

/** Reports whether the browser is one of iOS, where people add apps by its own menu. */
export const isOnIOS = () => "standalone" in navigator;

/** Notes the browser's offer to install the app. */
const watchOffer = () => {
  try {
    declined.value = localStorage.getItem(declinedKey) !== null;
  } catch { /* the browser keeps nothing for this site */ }
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offer.value = /** @type {Offer} */ (event);
  });
  addEventListener("appinstalled", () => { offer.value = null; });
};

/** Never offers the home screen again, but in the menu. */
const decline = () => {
  declined.value = true;
  try {
    localStorage.setItem(declinedKey, "no");
  } catch { /* it is offered again at the next start */ }
};

/** Shows the browser's own question, which can be shown once. */
const accept = () => {
  offer.value?.prompt().catch(() => null);
  offer.value = null;
};

/** How the app is put on the home screen; nothing if it is there, or cannot be. */
export const HomeScreen = () => {
  if (isInstalled()) return null;
  if (offer.value) return html`<button type="button" class="button" onClick=${accept}>${t("courier.install")}</button>`;
  return isOnIOS() && html`<p>${t("courier.install.ios")}</p>`;
};

/** Offers the home screen until the courier declines. */
export const Install = () => !declined.value && !isInstalled() && (offer.value || isOnIOS()) && html`<section class="notice stack" aria-labelledby="install">
  <p id="install">${t("courier.install.why")}</p>
  <${HomeScreen} />
  <button type="button" class="button" onClick=${decline}>${t("courier.install.never")}</button>
</section>`;

/** Where this tab keeps that it has started again because the phone's storage is newer. */
const renewedKey = "courier.renewed";

/** Starts the app again without the document that the phone keeps. */
export const startAgain = async () => {
  for (const name of await caches.keys()) await (await caches.open(name)).delete(location.pathname);
  location.reload();
};

/**
 * Starts the app again with the newest worker, because the phone's storage is newer than
 * this version: once, and if there is a connection.
 */
export const renew = async () => {
  if (sessionStorage.getItem(renewedKey)) return;
  const registration = await navigator.serviceWorker?.ready;
  await registration?.update();
  sessionStorage.setItem(renewedKey, "yes");
  const worker = registration?.installing;
  if (worker) await new Promise((resolve) => { worker.addEventListener("statechange", () => { if (/activated|redundant/.test(worker.state)) resolve(null); }); });
  await startAgain();
};

/** Notes that this version can use the phone's storage. */
export const isNewEnough = () => sessionStorage.removeItem(renewedKey);

/** Says that there is a new version, which the next start uses in any case. */
export const Updated = () => html`<div role="status">${newer.value && html`<p class="notice line"><span>${t("courier.newer")}</span>
  <button type="button" class="button" onClick=${() => location.reload()}>${t("courier.newer.reload")}</button></p>`}</div>`;

/**
 * Registers the service worker. Without one the app works, but does not start without a
 * connection.
 * @param {string} path of the worker
 * @param {string} version of this page
 */
export const start = async (path, version) => {
  watchOffer();
  const workers = navigator.serviceWorker;
  if (!workers) return;
  workers.addEventListener("message", (event) => { newer.value = event.data.version !== version; });
  try {
    lookOften(await workers.register(trusted(path), { scope: "/courier", updateViaCache: "none" }));
  } catch {
    // The browser keeps nothing for this site, or there is no connection.
  }
};
