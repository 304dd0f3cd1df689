// The app on the phone: the service worker that keeps it, its versions, and its place on
// the home screen.

import { signal } from "@preact/signals-core";

/** Whether a newer version of the app has been kept: the next start uses it. */
export const newer = signal(false);

/** How often an app that stays open looks for a new version, in milliseconds. */
const lookEvery = 60 * 60 * 1000;

/**
 * Returns the path as an address that scripts may be loaded from, where browsers ask for that.
 * The policy's name is that of page.WorkerPolicy.
 * @param {string} path
 */
const trusted = (path) => {
  const types = /** @type {any} */ (globalThis).trustedTypes;
  return types ? types.createPolicy("dropyard-worker", { createScriptURL: () => path }).createScriptURL() : path;
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

/**
 * Registers the service worker. Without one the app works, but does not start without a
 * connection.
 * @param {string} path of the worker
 * @param {string} version of this page
 */
export const start = async (path, version) => {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  workers.addEventListener("message", (event) => { newer.value = event.data.version !== version; });
  try {
    lookOften(await workers.register(trusted(path), { scope: "/courier", updateViaCache: "none" }));
  } catch {
    // The browser keeps nothing for this site, or there is no connection.
  }
};
