import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { said, transfer } from "../assets/board/acts.js";
import { doneText, inTurn, moveAll, progress, reversals, reverseOf } from "../assets/board/done.js";
import { use } from "dropyard/text.js";

const { books } = JSON.parse(readFileSync(process.env.DROPYARD_TEXTS, "utf8"));
use("en", books.en);

const courier = (id) => ({ courier_id: id });
const order = (i, fields = {}) => ({ order_id: `ord_${i}`, partner_order_id: `A-${i}`, status: "accepted", version: 3, courier: null, ...fields });
const had = (i, id) => order(i, { status: "courier_assigned", courier: courier(id) });

/** Ends when all acts before have ended. */
const settled = () => new Promise((resolve) => inTurn(async () => resolve()));

test("what was done is said with receiver", () => {
  assert.equal(doneText([order(1)], { status: "courier_assigned", courier_id: "cou_1" }, "Amélie"), "A-1 assigned to Amélie");
  assert.equal(doneText([order(1), order(2)], { status: "courier_assigned", courier_id: "cou_1" }, "Amélie"), "2 orders assigned to Amélie");
  assert.equal(doneText([order(1, { status: "pending" })], { status: "accepted" }), "A-1 accepted");
  assert.equal(doneText([had(1, "cou_1")], { status: "accepted" }), "A-1 unassigned");
  assert.equal(doneText([], { status: "accepted" }), "");
  use("fr", books.fr);
  assert.equal(doneText([order(1), order(2)], { status: transfer, location: "HUB-1" }, "HUB-1"), "2 commandes transférées à HUB-1");
  use("en", books.en);
});

test("each move has its reverse, or none", () => {
  const assign = { status: "courier_assigned", courier_id: "cou_9" }, hub = { status: transfer, location: "HUB-1" };
  for (const [before, move, want] of [
    [order(1), assign, { status: "accepted" }],
    [had(1, "cou_1"), assign, { status: "courier_assigned", courier_id: "cou_1" }],
    [had(1, "cou_1"), { status: "accepted" }, { status: "courier_assigned", courier_id: "cou_1" }],
    [order(1, { status: "pending" }), { status: "accepted" }, null],
    [had(1, "cou_1"), { status: "picked_up" }, null],
    [had(1, "cou_1"), { status: "cancelled" }, null],
    [had(1, "cou_1"), hub, { status: transfer, courier_id: "cou_1" }],
    [order(1, { holder: { kind: "location", id: "MTL-1" } }), hub, { status: transfer, location: "MTL-1" }],
    [order(1), hub, null],
    [had(1, "cou_1"), { status: transfer, courier_id: "cou_9" }, { status: "courier_assigned", courier_id: "cou_1" }],
    [{ ...had(1, "cou_1"), status: "in_transit" }, { status: transfer, courier_id: "cou_9" }, { status: transfer, courier_id: "cou_1" }],
  ]) assert.deepEqual(reverseOf(before, move), want, JSON.stringify([before, move]));
  assert.deepEqual(reversals([order(1), had(2, "cou_1"), order(3)], assign).map(({ move, orders }) => [move.status, orders.map((one) => one.partner_order_id).join()]),
    [["accepted", "A-1,A-3"], ["courier_assigned", "A-2"]]);
  assert.deepEqual(reversals([had(1, "cou_1"), order(2)], hub), [], "nothing is taken back in part");
});

test("an act is taken back from the versions that it returned", async () => {
  const bodies = [], send = async ({ body }) => {
    bodies.push(body);
    return { results: body.order_ids.map((_, i) => ({ ok: true, version: 10 * (bodies.length) + i })) };
  };
  await moveAll("Assign", [order(1), had(2, "cou_1")], { status: "courier_assigned", courier_id: "cou_9" }, send, "Amélie");
  assert.equal(said.value.text, "2 orders assigned to Amélie");
  said.value.undo();
  await settled();
  assert.deepEqual(bodies.slice(1), [
    { status: "accepted", order_ids: ["ord_1"], versions: [10] },
    { status: "courier_assigned", courier_id: "cou_1", order_ids: ["ord_2"], versions: [11] },
  ]);
  assert.deepEqual([said.value.text, said.value.undo], ["Undone: 2 orders", null]);
  await moveAll("Accept", [order(1, { status: "pending" })], { status: "accepted" }, send);
  assert.deepEqual([said.value.text, said.value.undo], ["A-1 accepted", null]);
});

test("what has changed since is not taken back, and is listed with who was faster", async () => {
  const details = { status: "picked_up", version: 12, changed_by: { operator_id: "opr_2", email: "noor@example.com" } };
  let calls = 0;
  const send = async ({ body }) => ({ results: body.order_ids.map((id) => ++calls > 2 && id === "ord_1" ? { ok: false, error: { code: "invalid_transition", details } } : { ok: true, version: 11 }) });
  await moveAll("Assign", [order(1), order(2)], { status: "courier_assigned", courier_id: "cou_9" }, send, "Amélie");
  said.value.undo();
  await settled();
  assert.equal(said.value.text, "Undone: A-2. 1 refused.");
  assert.deepEqual(progress.value.refused, [{ order: "A-1", why: "noor@example.com was faster: it is now “Picked up”." }]);
});
