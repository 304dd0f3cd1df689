// Reading from the service, and the clock that its responses set.

import assert from "node:assert/strict";
import { test } from "node:test";
import { correct, now } from "dropyard/clock.js";
import { lookUp, readCash, readDue, readJobs } from "../assets/courier/jobs.js";
import { phone } from "../assets/courier/send.js";
import { Memory, newDisk } from "./memory.mjs";

const minute = 60000;
const started = Date.now();
Date.now = () => started; // however long the test takes
const answers = (status, body, headers = {}) => { globalThis.fetch = async () => new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers: { "X-Request-Id": "req_1", ...headers } }); };
const near = (got, want, what) => assert.ok(Math.abs(got - want) < minute / 2, `${what}: got ${got} ms, want about ${want} ms`);
const offset = () => now() - Date.now();

test("reading the stops sets the clock, and the next start without a connection has it", async () => {
  const disk = newDisk();
  await phone(new Memory(disk));
  answers(200, { jobs: [] }, { Date: new Date(Date.now() - 10 * minute).toUTCString() });
  await readJobs("");
  near(offset(), -10 * minute, "after a reading");
  correct(Date.now());
  await phone(new Memory(disk));
  near(offset(), -10 * minute, "after the next start");
});

test("the time of the document overrides the clock that the phone has kept", async () => {
  const disk = newDisk(), storage = new Memory(disk);
  await storage.keep("", "clock", 90 * minute);
  await phone(storage, 20 * minute);
  near(offset(), 20 * minute, "with the document's time");
  await storage.kept("", "clock"); // the keeping has begun before
  correct(Date.now());
  await phone(new Memory(disk));
  near(offset(), 20 * minute, "after the next start");
});

test("what is not from the service is no reading", async () => {
  for (const [status, body, want] of [
    [200, "<h1>Welcome</h1>", 0], [200, {}, 0], [200, "null", 0], [403, "<h1>Sign in</h1>", 0], [502, "", 0], [503, { error: { code: "unavailable" } }, 503],
  ]) {
    answers(status, body);
    await assert.rejects(readJobs(""), { status: want }, `${status} ${JSON.stringify(body)}`);
  }
});

test("a code is unknown only if the service says so", async () => {
  const error = { code: "some" };
  for (const [status, body, want] of [
    [404, { error }, "unknown"], [422, { error }, "unknown"], [401, { error }, "signed-out"], [404, "<h1>Welcome</h1>", "unreachable"],
    [403, { error }, "unreachable"], [429, { error }, "unreachable"], [500, { error }, "unreachable"], [200, "<h1>Welcome</h1>", "unreachable"],
  ]) {
    answers(status, body);
    assert.deepEqual(await lookUp("P-1"), { matches: [], problem: `courier.scan.${want}` }, `${status} ${JSON.stringify(body)}`);
  }
  answers(200, { matches: [{ place: 1, order: { order_id: "a" } }] });
  assert.deepEqual(await lookUp("P-1"), { matches: [{ job: { order_id: "a" }, place: 1 }], problem: "" });
});

test("the amount to collect is null for nothing, and undefined if it cannot be read", async () => {
  const cod = { amount_cents: 4999, currency: "CAD" };
  for (const [status, body, want] of [
    [200, { order: { cod } }, cod], [200, { order: { cod: { ...cod, amount_cents: 0 } } }, null], [200, { order: {} }, null],
    [404, { error: { code: "not_found" } }, undefined], [200, "<h1>Welcome</h1>", undefined],
  ]) {
    answers(status, body);
    assert.deepEqual(await readDue("ord_1"), want, `${status} ${JSON.stringify(body)}`);
  }
});

test("cash that cannot be read is undefined, so that the stops are shown all the same", async () => {
  const cash = { courier_id: "cou_1", balances: [], orders: [] };
  for (const [status, body, want] of [[200, cash, cash], [404, { error: { code: "not_found" } }, undefined], [500, "", undefined], [200, "<h1>Welcome</h1>", undefined]]) {
    answers(status, body);
    assert.deepEqual(await readCash("cou_1"), want, `${status} ${JSON.stringify(body)}`);
  }
});
