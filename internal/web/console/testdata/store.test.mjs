import assert from "node:assert/strict";
import test from "node:test";
import { Refused } from "../assets/board/api.js";
import { Store } from "../assets/board/store.js";
import { add, changed, prune, range, selected, toggle } from "../assets/board/selection.js";
import { parts } from "../assets/board/snapshot.js";
import { epoch, raw } from "./fixture.mjs";

/**
 * Returns a store whose calls are answered in turn; the last answer never comes. calls
 * has their paths, pauses how long it waited, and rests how many rows it had then.
 */
const scripted = (...answers) => {
  const calls = [], pauses = [], rests = [];
  let drained = () => {};
  const done = new Promise((resolve) => { drained = resolve; });
  const store = new Store({
    now: () => epoch,
    pause: async (ms) => { pauses.push(ms); },
    rest: async () => { rests.push(store.ordered.length); },
    call: async (_, path, { signal }) => {
      calls.push(path);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      if (answer) return answer;
      drained();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  return { store, calls, pauses, rests, done };
};
/** Returns the body of a snapshot that arrives in pieces of a size, in bytes. */
const body = (size, after, ...orders) => new ReadableStream({
  start(controller) {
    const all = new TextEncoder().encode(JSON.stringify({ orders, counts: { open: orders.length }, after }));
    for (let at = 0; at < all.length; at += size) controller.enqueue(all.slice(at, at + size));
    controller.close();
  },
});
const snapshot = (after, ...orders) => body(1e6, after, ...orders);
const changes = (after, changed = [], gone = []) => ({ changed, gone, after });
const down = new Refused(0, "unreachable", "down"), gone = new Refused(410, "gone", "too much has happened");

test("follows a snapshot by changes", async () => {
  const { store, calls, pauses, done } = scripted(
    snapshot("p1", raw("1"), raw("2")), changes("p2", [raw("2", { version: 2, status: "picked_up" }), raw("3")], ["ord_1"]), changes("p3"));
  store.start();
  await done;
  assert.deepEqual(calls, ["/orders/snapshot", "/orders/changes?after=p1&wait=20", "/orders/changes?after=p2&wait=20", "/orders/changes?after=p3&wait=20"]);
  assert.deepEqual(pauses, []);
  assert.deepEqual(store.ordered.map((row) => [row.order_id, row.status, row.changedAt]), [["ord_2", "picked_up", epoch], ["ord_3", "accepted", epoch]]);
  assert.deepEqual([...store.rows.keys()].sort(), ["ord_2", "ord_3"]);
  assert.equal(store.state.value.kind, "live");
  assert.equal(store.version.value, 2, "an answer without changes draws nothing again");
  store.stop();
});

test("leaves out rows in a lower version than before", async () => {
  const { store } = scripted();
  await store.replace(parts(snapshot("p1", raw("1", { version: 3, status: "picked_up" }))));
  store.apply(changes("p2", [raw("1", { version: 2 })]));
  assert.equal(store.rows.get("ord_1").status, "picked_up");
});

test("shows rows that another snapshot changed", async () => {
  const { store } = scripted();
  await store.replace(parts(snapshot("p1", raw("1"), raw("2"))));
  await store.replace(parts(snapshot("p2", raw("1"), raw("2", { version: 2 }), raw("3"))));
  assert.deepEqual(store.ordered.map((row) => row.changedAt), [0, epoch, epoch]);
});

test("shows the first rows of a snapshot before the rest has arrived", async () => {
  const { store, rests } = scripted(), rows = ["1", "2", "3", "4"].map((id) => raw(id, { city: "Montréal", partner_order_id: '],{"order_id":' }));
  const whole = JSON.stringify(rows[0]).length;
  for (const size of [1, 7, whole + 40, 2 * whole, 1e6]) await store.replace(parts(body(size, "p1", ...rows), 1));
  assert.deepEqual(rests, [1], "the first snapshot");
  assert.deepEqual(store.ordered.map((row) => [row.order_id, row.city, row.changedAt]), rows.map((row) => [row.order_id, "Montréal", 0]));
});

test("shows the rows of the document until the whole snapshot has been read", async () => {
  const { store, rests } = scripted();
  store.begin([raw("1"), raw("2")]);
  assert.deepEqual([store.ordered.length, store.version.value, store.state.value.kind], [2, 1, "loading"]);
  await store.replace(parts(body(1, "p1", raw("2", { version: 2 }), raw("3"), raw("4")), 1));
  assert.ok(rests.every((rows) => rows === 2), "no part of the snapshot takes the place of the rows before it");
  assert.deepEqual(store.ordered.map((row) => [row.order_id, row.changedAt]), [["ord_2", 0], ["ord_3", 0], ["ord_4", 0]]);
  const empty = scripted().store;
  empty.begin([]);
  assert.equal(empty.version.value, 0, "nothing to show yet");
});

test("starts from a snapshot when the position is unknown, and waits if that happens again", async () => {
  const { store, calls, pauses, done } = scripted(snapshot("p1", raw("1")), gone, gone, snapshot("p2", raw("1")));
  store.start();
  await done;
  assert.deepEqual(calls.map((path) => path.split("?")[0].slice(8)), ["snapshot", "changes", "snapshot", "snapshot", "changes"]);
  assert.equal(pauses.length, 1);
  assert.equal(store.state.value.kind, "live");
  store.stop();
});

test("says why there are no rows, and tries again after longer and longer pauses", async () => {
  const states = [], { store, pauses, done } = scripted(down, down, new Refused(503, "unavailable", "busy", undefined, "req_1"), snapshot("p1", raw("1")));
  store.state.subscribe((state) => states.push([state.kind, state.refused?.requestID]));
  store.start();
  await done;
  assert.deepEqual(states, [["loading", undefined], ["error", ""], ["error", ""], ["error", "req_1"], ["live", undefined]]);
  assert.deepEqual(pauses, [500, 1000, 2000]);
  store.stop();
});

test("keeps the rows while it reconnects, and asks without waiting", async () => {
  const { store, calls, done } = scripted(snapshot("p1", raw("1")), down, down, changes("p1"));
  const kinds = [];
  store.state.subscribe((state) => kinds.push(state.kind));
  store.start();
  await done;
  assert.deepEqual(kinds, ["loading", "live", "reconnecting", "live"], "one failure is not shown");
  assert.deepEqual(calls.slice(1), ["20", "20", "0", "20"].map((wait) => `/orders/changes?after=p1&wait=${wait}`));
  assert.equal(store.ordered.length, 1);
  store.stop();
});

test("stops, and goes on where it stopped", async () => {
  const { store, calls, done } = scripted(snapshot("p1", raw("1")));
  store.start();
  await done;
  store.stop();
  store.start();
  assert.equal(calls.at(-1), "/orders/changes?after=p1&wait=20");
  store.stop();
});

test("selects one, ranges and all, with the version of each", async () => {
  const { store } = scripted();
  await store.replace(parts(snapshot("p1", ...["1", "2", "3", "4", "5"].map((id) => raw(id, { version: Number(id) })))));
  const rows = store.ordered, ids = () => [...selected.value.keys()].map((id) => id.slice(4)).sort().join("");
  toggle(rows[3]);
  range(rows, rows[1]);
  assert.equal(ids(), "234");
  assert.equal(selected.value.get("ord_3"), 3);
  toggle(rows[2]);
  assert.equal(ids(), "24");
  add(rows);
  assert.equal(ids(), "12345");
  store.apply(changes("p2", [raw("3", { version: 4 })], ["ord_2"]));
  prune(store.rows);
  assert.deepEqual(changed.value, ["ord_3"]);
  add([store.rows.get("ord_3")]);
  assert.deepEqual(changed.value, []);
  assert.equal(ids(), "1345");
});
