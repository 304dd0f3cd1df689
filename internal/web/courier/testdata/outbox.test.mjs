import assert from "node:assert/strict";
import { test } from "node:test";
import { Outbox, verdict } from "../assets/courier/outbox.js";
import { Memory, newDisk } from "./memory.mjs";

const epoch = Date.parse("2026-01-14T15:00:00Z"), hour = 3600000;
const ok = { status: 200 }, lost = { status: 0 };
const turns = async (count = 60) => { for (let i = 0; i < count; i++) await new Promise((resolve) => { setImmediate(resolve); }); };

/** Returns a phone whose service answers what script returns, 200 without one. */
const phone = async ({ disk = newDisk(), owner = "opr_1", script = () => ok, ...more } = {}) => {
  const world = {
    disk, sent: [], pauses: [], time: epoch, keys: 0, storage: new Memory(disk), settled: [],
    now: () => world.time,
    newKey: () => `key ${owner} ${++world.keys}`,
    send: async (act) => {
      world.sent.push(act);
      return { code: "", message: "", details: undefined, retryAfter: 0, ...await script(act, world.sent.length) };
    },
    pause: (ms, signal) => new Promise((resolve) => {
      world.pauses.push({ ms, end: resolve });
      signal.addEventListener("abort", resolve);
    }),
    ...more,
  };
  const outbox = new Outbox(world);
  outbox.settled = (act, answer) => world.settled.push([act.status || act.kind, answer.status]);
  await outbox.open(owner);
  const move = (order_id, status, rest = {}) => outbox.record({ order_id, label: order_id, move: { status }, ...rest });
  return { world, outbox, move };
};

const picture = (kind = "photo") => ({ kind, data: new Blob(["a picture"], { type: "image/png" }) });
const shown = ({ order_id, status, kind }) => `${order_id} ${status || kind}`;
const at = (ms) => new Date(epoch + ms).toISOString();

/** Returns the answer of a service that finds fields wrong. */
const wrong = (...fields) => ({ status: 422, code: "validation_error", message: `${fields[0]}: it is wrong`, details: { field: fields[0], errors: fields.map((field) => ({ field })) } });

test("a response means what the table in docs/couriers.md says", () => {
  const move = { kind: "move", path: "/status" }, photo = { kind: "photo", path: "/proofs?kind=photo&occurred_at=x" }, read = { kind: "read", path: "/read" };
  const cases = [
    [move, { status: 200 }, "sent"], [photo, { status: 201 }, "sent"],
    [move, { status: 0 }, "later"], [move, { status: 429 }, "later"], [move, { status: 500 }, "later"], [move, { status: 503 }, "later"],
    [move, { status: 409, code: "idempotency_in_progress" }, "later"],
    [move, { status: 401 }, "signed-out"],
    [move, { status: 409, code: "conflict" }, "refused"], [move, { status: 409, code: "invalid_transition" }, "refused"],
    [move, { status: 404, code: "not_found" }, "refused"], [move, { status: 422, code: "validation_error" }, "refused"], [move, { status: 403, code: "forbidden" }, "refused"],
    [move, { status: 403, code: "forbidden", details: { reason: "totp_enrolment_required" } }, "signed-out"],
    [photo, { status: 409, code: "conflict" }, "untimed"], [{ kind: "photo", path: "/proofs?kind=photo" }, { status: 409, code: "conflict" }, "refused"],
    [photo, { status: 409, code: "conflict", details: { action: "proof.added", object_id: "x", at: at(0) } }, "sent"],
    [move, wrong("collected"), "asked"], [move, wrong("collected.notes"), "asked"], [move, wrong("collected.method", "collected.notes"), "asked"],
    [move, wrong("occurred_at", "collected"), "refused"], [move, wrong("collected_by"), "refused"], [move, { ...wrong("collected"), status: 409 }, "refused"],
    [read, { status: 404, code: "not_found" }, "sent"], [read, { status: 403, code: "forbidden" }, "refused"],
    [read, { status: 409, code: "conflict", details: { action: "courier.message_read", object_id: "x", at: at(0) } }, "sent"],
  ];
  for (const [act, answer, want] of cases) assert.equal(verdict(act, { code: "", ...answer }), want, JSON.stringify([act, answer]));
});

test("the key, the time and the bytes of an act stay when it is sent again", async () => {
  const { world, outbox, move } = await phone({ script: (_, count) => count < 4 ? [lost, { status: 503 }, { status: 409, code: "idempotency_in_progress" }][count - 1] : ok });
  await move("a", "picked_up");
  for (let i = 0; i < 4; i++) {
    await turns();
    world.time += hour;
    world.pauses.at(-1)?.end();
  }
  await turns();
  assert.equal(world.sent.length, 4);
  for (const act of world.sent) assert.deepEqual(act, world.sent[0]);
  assert.equal(world.sent[0].body, JSON.stringify({ status: "picked_up", occurred_at: at(0) }));
  assert.deepEqual([outbox.waiting.value, outbox.state.value, world.disk.acts.size], [[], "idle", 0]);
});

test("acts of an order go one at a time, and times increase when the clock steps back", async () => {
  let answer;
  const { world, move } = await phone({ script: () => new Promise((resolve) => { answer = resolve; }) });
  await move("a", "picked_up");
  world.time -= hour;
  await move("a", "out_for_delivery");
  await move("a", "delivered", { pictures: [picture("signature"), picture()] });
  const times = [0, 1, 2, 3, 4].map(at), want = ["a picked_up", "a out_for_delivery", "a signature", "a photo", "a delivered"];
  for (let i = 0; i < want.length; i++) {
    await turns();
    assert.deepEqual(world.sent.map(shown), want.slice(0, i + 1));
    assert.equal(world.sent[i].at, times[i]);
    answer(ok);
  }
  await turns();
  assert.equal(await world.sent[2].body.text(), "a picture");
  assert.equal(world.sent[2].path, `/ops/v1/orders/a/proofs?kind=signature&occurred_at=${at(2)}`);
  assert.deepEqual([world.disk.acts.size, world.disk.pictures.size], [0, 0]);
  world.time -= hour;
  await move("a", "failed");
  assert.equal([...world.disk.acts.values()][0].at, at(5), "also after what has been sent");
});

test("orders do not wait for each other, and four acts are on the way at once", async () => {
  const { world, move } = await phone({ script: (act) => act.order_id === "a" ? { status: 500 } : new Promise(() => {}) });
  for (const order of ["a", "b", "c", "d", "e", "f"]) await move(order, "picked_up");
  await turns();
  assert.deepEqual([...new Set(world.sent.map(shown))], ["a picked_up", "b picked_up", "c picked_up", "d picked_up", "e picked_up"]);
});

test("nothing is sent while the service is not reached, until the courier's phone hurries", async () => {
  let online = false;
  const { world, outbox, move } = await phone({ script: () => online ? ok : lost });
  await move("a", "picked_up");
  await turns();
  assert.deepEqual([outbox.state.value, world.sent.length, world.pauses.length], ["offline", 1, 1]);
  online = true;
  outbox.hurry();
  await turns();
  assert.deepEqual([outbox.state.value, world.sent.length, outbox.waiting.value.length], ["idle", 2, 0]);
});

test("Retry-After is waited for, also in a hurry", async () => {
  const { world, outbox, move } = await phone({ script: (_, count) => count === 1 ? { status: 429, retryAfter: 7000 } : ok });
  await move("a", "picked_up");
  await turns();
  outbox.hurry();
  await turns();
  assert.deepEqual([world.pauses.map(({ ms }) => ms), world.sent.length], [[7000], 1]);
  world.pauses[0].end();
  await turns();
  assert.equal(outbox.waiting.value.length, 0);
});

test("pauses become longer, up to a minute", async () => {
  const { world, move } = await phone({ script: () => lost });
  await move("a", "picked_up");
  for (let i = 0; i < 9; i++) {
    await turns();
    world.pauses.at(-1).end();
  }
  assert.deepEqual(world.pauses.slice(0, 9).map(({ ms }) => ms / 1000), [1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test("what is refused is kept until it is read, and the next act goes on", async () => {
  const details = { status: "cancelled", version: 4 };
  const { world, outbox, move } = await phone({ script: (act) => act.status === "picked_up" ? { status: 409, code: "conflict", message: "late", details } : ok });
  await move("a", "picked_up");
  await move("a", "out_for_delivery");
  await turns();
  assert.deepEqual(world.settled, [["picked_up", 409], ["out_for_delivery", 200]]);
  const again = await phone({ disk: world.disk });
  const [refusal] = again.outbox.refused.value;
  assert.deepEqual([refusal.act.status, refusal.status, refusal.code, refusal.details], ["picked_up", 409, "conflict", details]);
  assert.equal(outbox.waiting.value.length, 0);
  await again.outbox.read(refusal.id);
  assert.deepEqual([again.outbox.refused.value, world.disk.refusals.size], [[], 0]);
});

test("acts that are too old, or in the future, are refused with a code of their own", async () => {
  for (const [passed, code] of [[48 * hour + 1, "too_old"], [-2 * 60000 - 1, "too_early"], [hour, "validation_error"]]) {
    const { world, outbox, move } = await phone({ script: () => ({ status: 422, code: "validation_error" }), pause: async () => {} });
    await move("a", "picked_up");
    world.time += passed;
    await turns();
    assert.equal(outbox.refused.value[0].code, code);
  }
});

test("an act that a wrong clock put into the future does not take the later ones with it", async () => {
  const { world, outbox, move } = await phone({ script: () => ({ status: 422, code: "validation_error" }), pause: async () => {} });
  await move("a", "picked_up");
  world.time -= 24 * hour; // the response has set the clock
  await turns();
  await move("a", "out_for_delivery");
  await turns();
  assert.deepEqual(outbox.refused.value.map(({ act }) => Date.parse(act.at) - world.time), [24 * hour, 0]);
});

test("a picture that is refused with conflict is sent again without its time, once, with another key", async () => {
  const { world, outbox } = await phone({ script: () => ({ status: 409, code: "conflict" }) });
  await outbox.record({ order_id: "a", label: "a", pictures: [picture()] });
  await turns();
  assert.deepEqual(world.sent.map(({ path }) => path), [`/ops/v1/orders/a/proofs?kind=photo&occurred_at=${at(0)}`, "/ops/v1/orders/a/proofs?kind=photo"]);
  assert.notEqual(world.sent[0].key, world.sent[1].key);
  assert.equal(outbox.refused.value.length, 1);
});

test("a courier who is signed out keeps everything, and sends it after signing in", async () => {
  let signedIn = false;
  const { world, outbox, move } = await phone({ script: () => signedIn ? ok : { status: 401 } });
  await move("a", "picked_up");
  await turns();
  await move("b", "picked_up");
  await turns();
  assert.deepEqual([outbox.state.value, world.sent.length, outbox.waiting.value.length], ["signed-out", 1, 2]);
  signedIn = true;
  outbox.hurry();
  await turns();
  assert.deepEqual([outbox.state.value, outbox.waiting.value.length], ["idle", 0]);
});

test("a 401 to a request that was sent before the courier signed in ends nothing", async () => {
  let answer;
  const { world, outbox, move } = await phone({ script: (_, count) => count === 1 ? new Promise((resolve) => { answer = resolve; }) : ok });
  await move("a", "picked_up");
  await turns();
  outbox.hurry();
  await turns();
  answer({ status: 401 });
  await turns();
  world.pauses[0].end();
  await turns();
  assert.deepEqual([outbox.state.value, world.sent.length, outbox.waiting.value.length], ["idle", 2, 0]);
});

test("acts of another operator are kept and not sent", async () => {
  const first = await phone({ script: () => lost });
  await first.move("a", "picked_up");
  await turns();
  await first.outbox.close();
  const second = await phone({ disk: first.world.disk, owner: "opr_2" });
  await second.move("b", "picked_up");
  await turns();
  assert.deepEqual(second.world.sent.map(shown), ["b picked_up"]);
  assert.deepEqual([second.outbox.waiting.value.length, second.outbox.others.value], [0, 1]);
});

test("nothing is sent with the session of another operator", async () => {
  let session = "opr_2";
  const { world, outbox, move } = await phone({ who: async () => ({ status: 200, owner: session }) });
  await move("a", "picked_up");
  await turns();
  assert.deepEqual([outbox.state.value, world.sent.length, outbox.waiting.value.length], ["signed-out", 0, 1]);
  session = "opr_1";
  outbox.hurry();
  await turns();
  assert.deepEqual([outbox.state.value, world.sent.length], ["idle", 1]);
});

test("a refusal to say whose session it is refuses no act", async () => {
  const { world, outbox, move } = await phone({ who: async () => ({ status: 403, owner: "" }) });
  await move("a", "picked_up");
  await turns();
  assert.deepEqual([outbox.waiting.value.length, outbox.refused.value.length, world.sent.length], [1, 0, 0]);
});

test("a 403 that stays becomes a refusal, and lets what is behind it go on", async () => {
  const { outbox, world, move } = await phone({ script: (act) => act.order_id === "a" ? { status: 403, code: "forbidden", message: "the role courier may not do this" } : ok });
  await move("a", "picked_up");
  await move("b", "picked_up");
  await turns();
  assert.deepEqual(outbox.refused.value.map(({ act, status }) => [shown(act), status]), [["a picked_up", 403]]);
  assert.deepEqual([outbox.state.value, outbox.waiting.value.length, world.sent.map(shown)], ["idle", 0, ["a picked_up", "b picked_up"]]);
});

test("two tabs send an act once where there are locks", async () => {
  const held = new Map(), disk = newDisk();
  const alone = (name, run) => {
    const next = (held.get(name) ?? Promise.resolve()).then(run);
    held.set(name, next.catch(() => {}));
    return next;
  };
  const one = await phone({ disk, alone, script: () => lost });
  await one.move("a", "picked_up");
  await one.move("a", "out_for_delivery");
  await turns();
  let count = 0;
  const tabs = await Promise.all([1, 2].map(() => phone({ disk, alone, script: () => { count++; return ok; } })));
  await turns();
  assert.deepEqual([count, disk.acts.size, tabs[0].world.sent.length + tabs[1].world.sent.length], [2, 0, 2]);
});

test("a phone that cannot store an act says so, and sends nothing of it", async () => {
  const { world, outbox, move } = await phone();
  world.disk.full = true;
  await assert.rejects(move("a", "delivered", { pictures: [picture()] }), { name: "QuotaExceededError" });
  await turns();
  assert.deepEqual([world.sent, world.disk.acts.size, outbox.waiting.value], [[], 0, []]);
});

test("a storage that fails when an act is settled is said, and the act is sent again", async () => {
  const { world, outbox, move } = await phone();
  const settle = world.storage.settle;
  world.storage.settle = async () => { throw new DOMException("broken", "UnknownError"); };
  await move("a", "picked_up");
  await turns();
  assert.equal(outbox.fault.value?.name, "UnknownError");
  world.storage.settle = settle;
  outbox.hurry();
  await turns();
  assert.deepEqual([outbox.fault.value, outbox.waiting.value.length, world.sent[0].key], [null, 0, world.sent[1].key]);
});

test("an act that is recorded while the order's last one is settled is sent", async () => {
  const { world, outbox, move } = await phone();
  outbox.settled = (act) => { if (act.status === "picked_up") move("a", "out_for_delivery"); };
  await move("a", "picked_up");
  await turns();
  assert.deepEqual(world.sent.map(shown), ["a picked_up", "a out_for_delivery"]);
});

test("a fault of the storage is over when it can be read again and no act is left", async () => {
  const { world, outbox } = await phone(), { all } = world.storage;
  await turns();
  world.storage.all = async () => { throw new DOMException("broken", "UnknownError"); };
  outbox.hurry();
  await turns();
  assert.equal(outbox.fault.value?.name, "UnknownError");
  world.storage.all = all;
  outbox.hurry();
  await turns();
  assert.equal(outbox.fault.value, null);
});

test("that a change was seen is sent between the acts before and after it, with its time", async () => {
  const { world, outbox, move } = await phone();
  await move("a", "picked_up");
  await outbox.record({ order_id: "a", label: "a", deed: { kind: "confirm", body: { version: 4 } } });
  await move("a", "out_for_delivery");
  await turns(200);
  assert.deepEqual(world.sent.map(shown), ["a picked_up", "a confirm", "a out_for_delivery"]);
  const [, { path, body, at: time }] = world.sent;
  assert.equal(path, "/ops/v1/orders/a/confirm");
  assert.deepEqual(JSON.parse(body), { version: 4, occurred_at: time });
  assert.deepEqual(outbox.waiting.value, []);
});

test("a change of a stop that is another courier's by now is a refusal to be read", async () => {
  const { outbox } = await phone({ script: () => ({ status: 404, code: "not_found" }) });
  await outbox.record({ order_id: "a", label: "a", deed: { kind: "confirm", body: { version: 4 } } });
  await turns();
  assert.deepEqual(outbox.refused.value.map(({ act, status }) => [act.kind, status]), [["confirm", 404]]);
});

test("that a message was read is sent to its own path, with its time, beside the acts of orders", async () => {
  const { world, outbox, move } = await phone({ script: () => lost });
  await move("a", "picked_up");
  const path = "/ops/v1/couriers/cou_1/messages/m1/read";
  await outbox.record({ order_id: "m1", label: "Message", deed: { kind: "read", path, body: {} } });
  await turns();
  assert.deepEqual(outbox.waiting.value.map(shown), ["a picked_up", "m1 read"]);
  const [sent] = world.sent.filter(({ kind }) => kind === "read");
  assert.deepEqual([sent.path, JSON.parse(sent.body)], [path, { occurred_at: at(0) }]);
});

const cash = (amount_cents, notes) => ({ amount_cents, currency: "CAD", method: "cash", ...notes && { notes } });
const asks = ({ outbox }) => outbox.waiting.value.map((act) => `${shown(act)} ${act.asked?.field ?? ""}`.trim());

test("a delivery of which the service asks what was collected waits for the answer, and is then sent once with the time of its tap", async () => {
  const { world, outbox, move } = await phone({ script: (act) => JSON.parse(act.body).collected || act.order_id !== "a" ? ok : wrong("collected") });
  await move("a", "delivered");
  await move("b", "delivered");
  await turns();
  assert.deepEqual([asks({ outbox }), outbox.state.value, outbox.refused.value], [["a delivered collected"], "idle", []]);
  assert.deepEqual(world.settled, [["delivered", 422], ["delivered", 200]]);
  await outbox.close();
  const again = await phone({ disk: world.disk, newKey: () => "another" });
  again.outbox.hurry();
  await turns();
  assert.deepEqual([again.world.sent, asks(again)], [[], ["a delivered collected"]], "not sent again before there is an answer, also by the next start");
  world.time += hour;
  const [act] = again.outbox.waiting.value;
  await again.outbox.answer(act.id, cash(4999));
  await turns();
  assert.deepEqual(again.world.sent.map(({ body }) => JSON.parse(body)), [{ status: "delivered", occurred_at: at(0), collected: cash(4999) }]);
  assert.equal(again.world.sent[0].key, "another", "a key belongs to one request");
  assert.deepEqual([again.outbox.waiting.value, again.outbox.refused.value, again.outbox.state.value], [[], [], "idle"]);
});

test("what was collected keeps its bytes and its key while answers are lost", async () => {
  const { world, outbox, move } = await phone({ script: (_, count) => count === 1 ? wrong("collected.notes") : count < 4 ? lost : ok });
  await outbox.record({ order_id: "a", label: "a", move: { status: "delivered", collected: cash(4999) } });
  await turns();
  assert.deepEqual(asks({ outbox }), ["a delivered collected.notes"]);
  await outbox.answer(outbox.waiting.value[0].id, cash(4999, "the price was changed"));
  for (let i = 0; i < 3; i++) {
    await turns();
    outbox.hurry();
  }
  await turns();
  const [first, ...rest] = world.sent;
  assert.equal(rest.length, 3);
  for (const act of rest) assert.deepEqual([act.key, act.body], [rest[0].key, rest[0].body]);
  assert.deepEqual([JSON.parse(first.body).collected, JSON.parse(rest[0].body).collected], [cash(4999), cash(4999, "the price was changed")]);
  await move("a", "picked_up");
  await turns();
  assert.deepEqual(outbox.waiting.value, [], "what comes after it is sent");
});

test("acts behind one that the service asks about wait with it, those of other orders do not", async () => {
  const { world, outbox, move } = await phone({ script: (act) => act.status === "delivered" ? wrong("collected") : ok });
  await move("a", "delivered");
  await turns();
  await move("a", "failed");
  await move("b", "picked_up");
  await turns();
  assert.deepEqual([world.sent.map(shown), asks({ outbox })], [["a delivered", "b picked_up"], ["a delivered collected", "a failed"]]);
});

test("a question is answered once, although two tabs show it", async () => {
  const disk = newDisk(), script = (act) => JSON.parse(act.body).collected ? new Promise(() => {}) : wrong("collected"), one = await phone({ disk, script });
  await one.move("a", "delivered");
  await turns();
  const other = await phone({ disk, script }), [{ id }] = other.outbox.waiting.value;
  await one.outbox.answer(id, cash(4999));
  await other.outbox.answer(id, cash(1));
  assert.deepEqual([...disk.acts.values()].map(({ body, asked }) => [JSON.parse(body).collected, asked]), [[cash(4999), undefined]]);
});

test("an answer that the phone cannot store is not sent, and the question stays", async () => {
  const { world, outbox, move } = await phone({ script: () => wrong("collected") });
  await move("a", "delivered");
  await turns();
  world.storage.change = async () => { throw new DOMException("full", "QuotaExceededError"); };
  await assert.rejects(outbox.answer(outbox.waiting.value[0].id, cash(4999)), { name: "QuotaExceededError" });
  await turns();
  assert.deepEqual([world.sent.length, asks({ outbox })], [1, ["a delivered collected"]]);
});

test("a delivery that an earlier app gave up because it could not ask is asked about", async () => {
  const disk = newDisk(), act = { id: 7, owner: "opr_1", order_id: "a", label: "a", kind: "move", status: "delivered", at: at(0), key: "old", path: "/ops/v1/orders/a/status", type: "application/json", body: JSON.stringify({ status: "delivered", occurred_at: at(0) }) };
  const refusal = { owner: "opr_1", act, at: at(1), ...wrong("collected") };
  disk.nextID = 10;
  disk.refusals.set(8, { ...refusal, id: 8 });
  disk.refusals.set(9, { ...refusal, id: 9, act: { ...act, id: 6, order_id: "b" }, code: "too_old" });
  const { world, outbox } = await phone({ disk });
  assert.deepEqual([asks({ outbox }), outbox.refused.value.map(({ code }) => code), world.sent], [["a delivered collected"], ["too_old"], []]);
  await outbox.answer(7, cash(4999));
  await turns();
  assert.deepEqual(world.sent.map(({ body }) => JSON.parse(body)), [{ status: "delivered", occurred_at: at(0), collected: cash(4999) }]);
});
