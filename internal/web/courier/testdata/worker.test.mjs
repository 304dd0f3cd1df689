// Tests of the service worker, in a browser that is as small as it needs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const source = readFileSync(new URL("../assets/worker/worker.js", import.meta.url), "utf8");
const origin = "https://yard.example";
const pathOf = (asked) => new URL(asked.url ?? asked, origin).pathname;

/** A cache, by path. */
class Kept {
  files = new Map();
  match(asked) { return Promise.resolve(this.files.get(pathOf(asked))?.clone()); }
  put(asked, response) { this.files.set(pathOf(asked), response); return Promise.resolve(); }
  delete(asked) { return Promise.resolve(this.files.delete(pathOf(asked))); }
}

/** A browser's storage of caches, oldest first. */
class Storage {
  all = new Map();
  keys() { return Promise.resolve([...this.all.keys()]); }
  open(name) { if (!this.all.has(name)) this.all.set(name, new Kept()); return Promise.resolve(this.all.get(name)); }
  delete(name) { return Promise.resolve(this.all.delete(name)); }
  async match(asked) {
    for (const cache of this.all.values()) {
      const found = await cache.match(asked);
      if (found) return found;
    }
    return undefined;
  }
  has(path) { return [...this.all.values()].some((cache) => cache.files.has(path)); }
}

/** What fetch returns for a redirect that the page follows itself. */
const redirect = { type: "opaqueredirect", ok: false, status: 0, redirected: false, headers: new Headers(), clone() { return this; } };

const document = (version, text = version) => new Response(text, { headers: version ? { "Dropyard-App": version } : {} });

/** What the worker's list says of a file whose content is its path. */
const file = (path) => ({ path, type: "text/javascript", integrity: `of ${path}` });
const content = (path, headers) => new Response(path, { headers: { "Content-Type": "text/javascript; charset=utf-8", ...headers } });

/** A service: answer(path) returns a response, or throws if there is no connection. */
const service = (version, courier = () => document(version)) => (path) => {
  if (path === "/courier") return courier();
  return path === "/courier/offline" ? document(version, path) : content(path);
};

/** Starts a worker. answer may be replaced, and patience ends at once. */
const start = async (version, { caches = new Storage(), answer = service(version), later = [] } = {}) => {
  const listeners = {}, posted = [], world = { answer, asked: [], caches, posted, skipped: false };
  const self = {
    shell: { version, assets: ["/assets/one.js", `/assets/${version}.js`].map(file), later: later.map(file) },
    addEventListener: (name, run) => { listeners[name] = run; },
    skipWaiting: async () => { world.skipped = true; },
    clients: { claim: async () => {}, matchAll: async () => [{ postMessage: (message) => posted.push(message) }] },
  };
  const fetch = async (asked, { integrity = "", redirect = "follow" } = {}) => {
    world.asked.push(pathOf(asked));
    const response = await world.answer(pathOf(asked));
    if (redirect === "error" && response.redirected) throw new TypeError("Failed to fetch: redirected");
    if (integrity && integrity !== `of ${await response.clone().text()}`) throw new TypeError("Failed to fetch: integrity");
    return response;
  };
  new Function("self", "caches", "fetch", "location", "setTimeout", source)(self, caches, fetch, { origin }, (run, _ms, value) => setImmediate(run, value));
  /** Runs a listener, and what it waits for. Returns its answer; undefined if it leaves the request to the browser. */
  world.dispatch = async (name, event = {}) => {
    const work = [];
    let given;
    listeners[name]({ ...event, waitUntil: (one) => work.push(one), respondWith: (one) => { given = one; } });
    const response = await given;
    await Promise.all(work);
    return response;
  };
  world.ask = (path, { method = "GET", mode = "no-cors" } = {}) => world.dispatch("fetch", { request: { url: origin + path, method, mode } });
  world.open = async (path = "/courier") => (await world.ask(path, { mode: "navigate" }));
  await world.dispatch("install");
  await world.dispatch("activate");
  return world;
};

const unreachable = () => { throw new TypeError("Failed to fetch"); };

test("the app starts without a connection", async () => {
  const world = await start("v1");
  world.answer = unreachable;
  assert.equal(await (await world.open()).text(), "v1");
  assert.equal(await (await world.ask("/assets/one.js")).text(), "/assets/one.js");
  assert.equal(await (await world.open("/courier/sign-in")).text(), "/courier/offline");
});

test("the service's document is shown and kept", async () => {
  const world = await start("v1");
  world.answer = () => document("v1", "later");
  assert.equal(await (await world.open()).text(), "later");
  world.answer = unreachable;
  assert.equal(await (await world.open()).text(), "later");
});

test("the kept document does not say what time it is", async () => {
  const world = await start("v1", { answer: service("v1", () => document("v1", `<body data-now="now"><div data-served="2026-01-14T15:00:00Z" data-worker="/courier/worker.js">`)) });
  world.answer = unreachable;
  const kept = await world.open();
  assert.equal(await kept.text(), `<body data-now="now"><div data-worker="/courier/worker.js">`);
  assert.equal(kept.headers.get("Dropyard-App"), "v1", "its headers are kept, and with them its policy");
});

test("the kept document is shown when the service is slow, signed out or broken", async () => {
  const world = await start("v1");
  for (const answer of [redirect, new Response("", { status: 500 }), new Response("", { status: 503 }), new Response("", { status: 429 })]) {
    world.answer = () => answer;
    assert.equal(await (await world.open()).text(), "v1", `status ${answer.status}`);
  }
  let arrive = () => {};
  world.answer = () => new Promise((resolve) => { arrive = resolve; });
  const shown = world.dispatch("fetch", { request: { url: `${origin}/courier`, method: "GET", mode: "navigate" } });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  arrive(document("v1", "late"));
  assert.equal(await (await shown).text(), "v1");
  world.answer = unreachable;
  assert.equal(await (await world.open()).text(), "late");
});

test("only the app's document of the same version is kept", async () => {
  for (const answer of [redirect, document(""), document("v2"), new Response("", { status: 403, headers: { "Dropyard-App": "v1" } })]) {
    const world = await start("v1", { answer: service("v1", () => answer) });
    assert.equal((await world.open()), answer, "it is shown");
    assert.equal(world.caches.has("/courier"), false, `status ${answer.status}`);
  }
});

test("signing in and out forgets the document when it is done", async () => {
  for (const path of ["/courier/login", "/courier/logout"]) {
    const world = await start("v1");
    for (const answer of [() => new Response("", { status: 422 }), unreachable]) {
      world.answer = answer;
      await world.ask(path, { method: "POST", mode: "navigate" });
      assert.equal(world.caches.has("/courier"), true, path);
    }
    world.answer = () => redirect;
    assert.equal(await world.ask(path, { method: "POST", mode: "navigate" }), redirect);
    assert.equal(world.caches.has("/courier"), false, path);
  }
});

test("the interface and other sites are left to the browser", async () => {
  const world = await start("v1");
  for (const [path, how] of [["/ops/v1/jobs", {}], ["/ops/v1/orders/1/status", { method: "POST" }], ["/courier/app.webmanifest", {}]]) {
    assert.equal(await world.ask(path, how), undefined, path);
  }
  assert.equal(await world.dispatch("fetch", { request: { url: "https://other.example/assets/one.js", method: "GET", mode: "no-cors" } }), undefined);
});

test("what is rarely needed is kept once it has been used, also by the next version", async () => {
  const later = ["/assets/reader.wasm"], world = await start("v1", { later });
  assert.equal(world.caches.has(later[0]), false);
  await world.ask(later[0]);
  assert.equal(world.caches.has(later[0]), true);
  const next = await start("v2", { caches: world.caches, later });
  await next.open();
  next.answer = unreachable;
  assert.equal(await (await next.ask(later[0])).text(), later[0]);
  assert.deepEqual(await world.caches.keys(), ["courier v2"]);
});

test("a new version takes its files beside the old ones, which go with the next start", async () => {
  const old = await start("v1"), { caches } = old;
  const next = await start("v2", { caches });
  assert.deepEqual([next.skipped, next.posted], [true, [{ version: "v2" }]]);
  assert.equal(next.asked.includes("/assets/one.js"), false, "it has the same digest, and is not loaded again");
  assert.deepEqual(await caches.keys(), ["courier v1", "courier v2"]);
  assert.equal(await (await next.ask("/assets/v1.js")).text(), "/assets/v1.js", "a page that is open goes on with its own");
  await next.open();
  assert.deepEqual(await caches.keys(), ["courier v2"]);
});

test("a new version that gets no document leaves the old one with its files", async () => {
  const { caches } = await start("v1");
  const next = await start("v2", { caches, answer: service("v2", () => redirect) });
  next.answer = unreachable;
  assert.equal(await (await next.open()).text(), "v1");
  assert.equal(await (await next.ask("/assets/v1.js")).text(), "/assets/v1.js");
  assert.deepEqual(await caches.keys(), ["courier v1", "courier v2"]);
});

const redirected = (response) => Object.defineProperty(response, "redirected", { value: true });

test("a worker whose files are not what its list says is not installed", async () => {
  const path = "/assets/v1.js";
  for (const [wrong, want] of [
    [() => new Response(path, { status: 404, headers: { "Content-Type": "text/javascript" } }), /status 404/],
    [() => content(path, { "Content-Type": "text/html" }), /type "text\/html"/],
    [() => content("<h1>Welcome to the café</h1>"), /integrity/],
    [() => redirected(content(path)), /redirected/],
  ]) {
    await assert.rejects(start("v1", { answer: (asked) => asked === path ? wrong() : service("v1")(asked) }), want);
  }
});

test("the page of a network is not kept as the page without a connection", async () => {
  for (const wrong of [() => new Response("<h1>Welcome</h1>"), () => document("v2"), () => redirected(document("v1"))]) {
    await assert.rejects(start("v1", { answer: (path) => path === "/courier/offline" ? wrong() : service("v1")(path) }), /offline|redirected/);
  }
});

test("what is rarely needed is not kept if it is another file, and is used on a full phone", async () => {
  const later = ["/assets/reader.wasm"], world = await start("v1", { later });
  world.answer = () => content("<h1>Welcome</h1>");
  await assert.rejects(world.ask(later[0]), /integrity/);
  assert.equal(world.caches.has(later[0]), false);
  world.answer = service("v1");
  (await world.caches.open("courier v1")).put = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
  assert.equal(await (await world.ask(later[0])).text(), later[0]);
});

test("a document that was asked for before signing out is not kept", async () => {
  for (const path of ["/courier/login", "/courier/logout"]) {
    const world = await start("v1");
    let arrive = () => {};
    world.answer = (asked) => asked === path ? redirect : new Promise((resolve) => { arrive = resolve; });
    const late = world.open();
    await world.ask(path, { method: "POST", mode: "navigate" });
    arrive(document("v1", "another operator's"));
    await late;
    assert.equal(world.caches.has("/courier"), false, path);
    world.answer = service("v1");
    await world.open();
    assert.equal(world.caches.has("/courier"), true, "the next one is");
  }
});
