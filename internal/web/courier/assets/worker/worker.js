// The service worker of the courier's app. It keeps the app's document and assets on the
// phone, so that the app starts without a connection. It keeps nothing of /ops/v1.
//
// The service writes self.shell in front of this file: the assets to keep, with the digests
// of their content. So this file changes when anything of the app does, and browsers install
// the new worker. It keeps its assets beside those of the old one, which go when the app has
// started with the new ones: a document never meets the modules of another version, and a page
// that is open is not interrupted.

/** @typedef {{path: string, type: string, integrity: string}} File */
/** @typedef {{version: string, assets: File[], later: File[]}} Shell */
/** @typedef {Event & {request: Request, waitUntil(work: Promise<any>): void, respondWith(answer: Promise<Response>): void}} Asked */

const worker = /** @type {any} */ (self);
const { version, assets, later } = /** @type {Shell} */ (worker.shell);

const prefix = "courier ";
const app = "/courier", offlinePage = "/courier/offline";
/** Where people sign in and out. A kept document is not shown to another operator. */
const doors = ["/courier/login", "/courier/logout"];
/** How long the app waits for its document before it shows the one that is kept, in milliseconds. */
const patience = 3000;

const own = () => caches.open(prefix + version);

/** The names of the caches of this worker and of those before it. */
const names = async () => (await caches.keys()).filter((name) => name.startsWith(prefix));

/** Returns what is kept under a path, by this worker rather than by one before it. @param {string} path */
const kept = async (path) => (await (await own()).match(path, { ignoreVary: true })) ?? caches.match(path, { ignoreVary: true });

/**
 * Loads a file of the list. It throws if the answer is not that file, such as the page that
 * a network shows until people sign in to it.
 * @param {File} file
 */
const load = async ({ path, type, integrity }) => {
  const response = await fetch(path, { integrity, redirect: "error" }), found = response.headers.get("Content-Type") ?? "";
  if (!response.ok || found.split(";")[0] !== type) throw new Error(`${path}: status ${response.status}, type "${found}"`);
  return response;
};

/** Keeps a file. It is not loaded again if an earlier worker has kept it. @param {File} file */
const keep = async (file) => {
  const response = await caches.match(file.path, { ignoreVary: true }) ?? await load(file);
  await (await own()).put(file.path, response);
};

/** Keeps a file that the app rarely needs, if an earlier worker has kept it. @param {File} file */
const keepAgain = async ({ path }) => {
  const found = await caches.match(path, { ignoreVary: true });
  if (found) await (await own()).put(path, found);
};

/** Reports whether a response is a page of this version. @param {Response | null} response @returns {response is Response} */
const isOurs = (response) => !!response?.ok && !response.redirected && response.headers.get("Dropyard-App") === version;

/** Keeps the page that says that there is no connection. */
const keepOffline = async () => {
  const response = await fetch(offlinePage, { redirect: "error" });
  if (!isOurs(response)) throw new Error(`${offlinePage}: not the page of version ${version}`);
  await (await own()).put(offlinePage, response);
};

/** How often the document has been forgotten: an answer to an earlier request may be another operator's. */
let forgotten = 0;

/**
 * Keeps the app's document, and reports whether it did: not if the answer is another page,
 * needs the assets of another version, or was asked for before the document was forgotten.
 * @param {Response | null} response
 * @param {number} asked the value of forgotten at the request
 */
const keepDocument = async (response, asked) => {
  if (!isOurs(response)) return false;
  // When it was served is not when it is shown later.
  const text = (await response.text()).replace(/ data-served="[^"]*"/, ""), cache = await own();
  if (asked !== forgotten) return false;
  await cache.put(app, new Response(text, { headers: response.headers }));
  return true;
};

/** Removes what the workers before have kept. */
const tidy = async () => {
  for (const name of await names()) if (name !== prefix + version) await caches.delete(name);
};

/** Forgets the app's document. */
const forgetDocument = async () => {
  forgotten++;
  for (const name of await names()) await (await caches.open(name)).delete(app, { ignoreVary: true });
};

const install = async () => {
  await Promise.all([...assets.map(keep), keepOffline()]);
  await Promise.all(later.map(keepAgain));
  // People who are not signed in get no document here; it is kept when they next open the app.
  const asked = forgotten;
  await fetch(app, { redirect: "manual" }).then((response) => keepDocument(response, asked)).catch(() => null);
  await worker.skipWaiting();
};

const activate = async () => {
  await worker.clients.claim();
  for (const page of await worker.clients.matchAll({ type: "window" })) page.postMessage({ version });
};

/** @param {Request} request @param {string} path */
const serveAsset = async (request, path) => {
  const found = await kept(path), file = later.find((one) => one.path === path);
  if (found || !file) return found ?? fetch(request);
  const response = await load(file);
  await (await own()).put(path, response.clone()).catch(() => {}); // a full phone loads it again
  return response;
};

/** Returns the page that says that there is no connection. */
const offline = async () => await kept(offlinePage) ?? Response.error();

/** Reports whether the kept document is better: there is no answer, it leads elsewhere, or the service has a fault. @param {Response | null} answer */
const useless = (answer) => !answer || answer.type === "opaqueredirect" || answer.status === 429 || answer.status >= 500;

/** Serves the app's document: the service's, or the kept one if that takes too long. @param {Asked} event */
const serveDocument = async (event) => {
  const asked = forgotten, answer = fetch(event.request).catch(() => null);
  event.waitUntil(answer.then(async (response) => {
    if (await keepDocument(response && response.clone(), asked)) await tidy();
  }));
  const found = await kept(app);
  if (!found) return await answer ?? offline();
  const first = await Promise.race([answer, new Promise((resolve) => { setTimeout(resolve, patience, null); })]);
  return useless(first) ? found : first;
};

/** Passes on a form by which a person signs in or out. Both lead on when they are done. @param {Request} request */
const passDoor = async (request) => {
  const response = await fetch(request).catch(() => null);
  if (response?.type === "opaqueredirect") await forgetDocument();
  return response ?? (request.mode === "navigate" ? offline() : Response.error());
};

worker.addEventListener("install", (/** @type {Asked} */ event) => event.waitUntil(install()));
worker.addEventListener("activate", (/** @type {Asked} */ event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (/** @type {Asked} */ event) => {
  const { request } = event, { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  if (request.method === "POST" && doors.includes(pathname)) event.respondWith(passDoor(request));
  else if (request.method === "GET" && pathname.startsWith("/assets/")) event.respondWith(serveAsset(request, pathname));
  else if (request.mode === "navigate" && pathname === app) event.respondWith(serveDocument(event));
  else if (request.mode === "navigate") event.respondWith(fetch(request).catch(offline));
});
