import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { batchSize, batches, insist, mayAssign, mayMove, mayTransfer, moveEach, moveKey, moves, press, said, transfer, whyNot } from "../assets/board/acts.js";
import { moveAll, progress } from "../assets/board/done.js";
import { Refused } from "../assets/board/api.js";
import { use } from "dropyard/text.js";
import { citiesOf, loads, match } from "../assets/board/picker.js";
import { nearest } from "../assets/board/places.js";

const { books, moves: table } = JSON.parse(readFileSync(process.env.DROPYARD_TEXTS, "utf8"));
use("en", books.en);

test("moves are those of the service", () => {
  assert.deepEqual(moves, table);
  assert.equal(mayMove("pending", "delivered"), false);
  assert.equal(moveKey("courier_assigned", "accepted"), "act.unassign");
  assert.equal(moveKey("courier_assigned", "courier_assigned"), "act.reassign");
});

test("a call whose answer was lost is sent again with its key", async () => {
  const keys = [], pressed = press("POST", "/x");
  const send = async ({ key }) => {
    keys.push(key);
    if (keys.length < 3) throw new Refused(0, "unreachable", "");
    return "done";
  };
  assert.equal(await insist(pressed, send, [0, 0]), "done");
  assert.deepEqual(keys, [pressed.key, pressed.key, pressed.key]);
  let times = 0;
  await assert.rejects(insist(pressed, async () => { times++; throw new Refused(409, "invalid_transition", ""); }, [0, 0]));
  assert.equal(times, 1, "what was answered is not sent again");
});

const targets = (count) => Array.from({ length: count }, (_, i) => ({ order_id: `ord_${i}`, partner_order_id: `A-${i}`, status: "pending", version: i + 1 }));

test("many orders go in batches with their versions", () => {
  const all = batches(targets(batchSize + 1), { status: "accepted" });
  assert.deepEqual(all.map(({ part }) => part.length), [batchSize, 1]);
  assert.deepEqual(all[1].pressed.body, { status: "accepted", order_ids: [`ord_${batchSize}`], versions: [batchSize + 1] });
  assert.notEqual(all[0].pressed.key, all[1].pressed.key);
});

test("what is refused is listed with who was faster", async () => {
  const send = async ({ body }) => {
    if (body.order_ids.length === 1) throw new Refused(0, "unreachable", "");
    const details = { status: "accepted", version: 2, changed_by: { operator_id: "opr_2", email: "desk2@example.com" } };
    return { results: body.order_ids.map((id, i) => i === 0 ? { ok: false, error: { code: "invalid_transition", details } } : { ok: true }) };
  };
  const outcome = await moveAll("Accept", targets(batchSize + 1), { status: "accepted" }, send);
  assert.equal(outcome.moved.length, batchSize - 1);
  assert.deepEqual(outcome.refused, [
    { order: "A-0", why: "desk2@example.com was faster: it is now “Accepted”." },
    { order: `A-${batchSize}`, why: "The server cannot be reached." },
  ]);
  assert.equal(progress.value.ended, true);
  assert.equal(said.value.text, `${batchSize - 1} orders accepted. 2 refused.`);
});

test("parcels are handed over one order after the other, each from the version that was seen", async () => {
  assert.deepEqual([mayTransfer("in_transit"), mayTransfer("courier_assigned"), mayTransfer("delivered")], [true, false, false]);
  const sent = [], seen = targets(3).map((one) => ({ ...one, status: "in_transit" }));
  const send = async ({ path, body }) => {
    sent.push([path, body]);
    if (path.includes("ord_1/")) throw new Refused(409, "conflict", "", { status: "delivered", version: 5, changed_by: { operator_id: "opr_2", email: "noor@example.com" } });
    return { order_id: "ord_0" };
  };
  const { moved, refused } = await moveEach(seen, { status: transfer, courier_id: "cou_1" }, send);
  assert.deepEqual(sent.map(([path]) => path), ["/orders/ord_0/transfer", "/orders/ord_1/transfer", "/orders/ord_2/transfer"]);
  assert.deepEqual(sent[1][1], { courier_id: "cou_1", version: 2 });
  assert.deepEqual(moved.map(({ order_id, status, version }) => [order_id, status, version]), [["ord_0", "in_transit", 2], ["ord_2", "in_transit", 4]]);
  assert.deepEqual(refused, [{ order: "A-1", why: "noor@example.com was faster: it is now “Delivered”." }]);
});

test("a courier gets all work of another one: what was not picked up is assigned, the rest is handed over", async () => {
  const seen = ["courier_assigned", "out_for_delivery", "accepted"].map((status, i) => ({ order_id: `ord_${i}`, partner_order_id: `A-${i}`, version: 5 + i, status }));
  const sent = [], send = async ({ path, body }) => {
    sent.push([path, body]);
    return body.order_ids ? { results: body.order_ids.map((_, i) => ({ ok: true, version: 10 + i })) } : { version: 20 };
  };
  const { moved, refused } = await moveEach(seen, { status: transfer, courier_id: "cou_1" }, send);
  assert.deepEqual(sent, [
    ["/orders/status", { status: "courier_assigned", courier_id: "cou_1", order_ids: ["ord_0", "ord_2"], versions: [5, 7] }],
    ["/orders/ord_1/transfer", { courier_id: "cou_1", version: 6 }],
  ]);
  assert.deepEqual(moved.map(({ order_id, status, version }) => [order_id, status, version]),
    [["ord_0", "courier_assigned", 10], ["ord_2", "courier_assigned", 11], ["ord_1", "out_for_delivery", 20]]);
  assert.deepEqual(refused, []);
});

test("of a courier who cannot go on, parcels that were never picked up cannot be handed over, and it says what helps", async () => {
  const seen = [{ order_id: "ord_1", partner_order_id: "A-1", version: 4, status: "failed" }];
  const refusing = (courier) => async () => { throw new Refused(409, "conflict", "", { status: "failed", version: 4, courier }); };
  const { refused } = await moveEach(seen, { status: transfer, courier_id: "cou_2" }, refusing({ courier_id: "cou_1" }));
  assert.match(refused[0].why, /^The parcels were not picked up\. /);
  const there = await moveEach(seen, { status: transfer, courier_id: "cou_1" }, refusing({ courier_id: "cou_1" }));
  assert.equal(there.refused[0].why, "This is not possible while it is “Failed”.", "the courier may have them already");
});

test("another operator was faster only with a later version", () => {
  const error = (version, changed_by) => ({ code: "invalid_transition", details: { status: "accepted", version, changed_by } });
  const self = { operator_id: "opr_1", email: "desk1@example.com" }, other = { operator_id: "opr_2", email: "desk2@example.com" };
  for (const [refused, want] of [
    [error(2, self), "This is not possible while it is “Accepted”."],
    [error(2, other), "This is not possible while it is “Accepted”."],
    [error(3, self), "It is “Accepted” now."],
    [error(3), "It is “Accepted” now."],
    [error(3, other), "desk2@example.com was faster: it is now “Accepted”."],
  ]) assert.equal(whyNot(refused, 2, "opr_1"), want, JSON.stringify(refused));
});

test("pending orders are accepted before they get a courier, each from its version", async () => {
  assert.deepEqual(["pending", "accepted", "courier_assigned", "failed"].map(mayAssign), [true, true, true, false]);
  const bodies = [], send = async ({ body }) => {
    bodies.push(body);
    return { results: body.order_ids.map((id) => id === "ord_1" ? { ok: false, error: { code: "not_found" } } : { ok: true }) };
  };
  const seen = targets(3);
  seen[2].status = "accepted";
  const { moved, refused } = await moveEach(seen, { status: "courier_assigned", courier_id: "cou_1" }, send);
  assert.deepEqual(bodies, [
    { status: "accepted", order_ids: ["ord_0", "ord_1"], versions: [1, 2] },
    { status: "courier_assigned", courier_id: "cou_1", order_ids: ["ord_0", "ord_2"], versions: [2, 3] },
  ]);
  assert.deepEqual(moved.map((one) => [one.order_id, one.version]), [["ord_0", 3], ["ord_2", 4]]);
  assert.deepEqual(refused, [{ order: "A-1", why: "There is no such order." }]);
});

test("couriers are found without accents, the least loaded first", () => {
  const courier = (id, name, vehicle) => ({ courier_id: id, name, vehicle, active: true });
  const all = [courier("1", "Amélie Tremblay", "van"), courier("2", "Marc Roy", "bike"), courier("3", "Ana Melo", "van")];
  const load = loads([{ courier: { courier_id: "1" } }, { courier: { courier_id: "1" } }, { courier: { courier_id: "3" } }, { courier: null }]);
  assert.equal(citiesOf([{ city: "Toronto" }, { city: "Montréal" }, { city: "Toronto" }, {}]), "Toronto (2), Montréal (1)");
  assert.equal(citiesOf([{ city: "Toronto" }, { city: "Toronto" }]), "", "one city is not named");
  assert.deepEqual(match(all, "mel", load).map((one) => one.courier_id), ["3", "1"]);
  assert.deepEqual(match(all, "VAN tremb", load).map((one) => one.courier_id), ["1"]);
  assert.deepEqual(match(all, "", load).map((one) => one.courier_id), ["2", "3", "1"]);
  assert.deepEqual(match([...all, courier("4", "Bruno Sanchez", "camionnette")], "am", load).map((one) => one.courier_id), ["1", "4"], "names that begin so are first");
});

test("the nearest courier is first, and of those who are equally far the one with the fewest stops", () => {
  const all = ["near", "busy", "far", "idle", "unknown"].map((id) => ({ courier_id: id, name: id, vehicle: "", active: true }));
  const load = new Map([["busy", 5], ["near", 2], ["unknown", 1]]), far = new Map([["near", 2.4], ["busy", 1.6], ["far", 12]]);
  assert.deepEqual(match(all, "", load, far).map((one) => one.courier_id), ["near", "busy", "far", "idle", "unknown"]);
  const middles = { H2W: [45.517, -73.585], H2X: [45.51, -73.571], K1P: [45.42, -75.7] };
  assert.equal(Math.round(10 * nearest("H2W", ["K1P", "H2X", "X9X"], middles)), 13);
  assert.deepEqual([nearest("H2W", [], middles), nearest("", ["H2X"], middles), nearest("H2X", ["H2X"], middles)], [undefined, undefined, 0]);
});
