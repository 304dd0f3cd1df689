import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { batchSize, batches, insist, mayMove, moveAll, moveKey, moves, press, progress, said } from "../assets/board/acts.js";
import { Refused } from "../assets/board/api.js";
import { use } from "../assets/board/text.js";
import { loads, match } from "../assets/board/picker.js";

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
    const details = { status: "accepted", changed_by: { email: "desk2@example.com" } };
    return { results: body.order_ids.map((id, i) => i === 0 ? { ok: false, error: { code: "invalid_transition", details } } : { ok: true }) };
  };
  const outcome = await moveAll("Accept", targets(batchSize + 1), { status: "accepted" }, send);
  assert.equal(outcome.done, batchSize - 1);
  assert.deepEqual(outcome.refused, [
    { order: "A-0", why: "desk2@example.com was faster: it is now “Accepted”." },
    { order: `A-${batchSize}`, why: "The server cannot be reached." },
  ]);
  assert.equal(progress.value.ended, true);
  assert.equal(said.value.text, `${batchSize - 1} orders done. 2 refused.`);
});

test("couriers are found without accents, the least loaded first", () => {
  const courier = (id, name, vehicle) => ({ courier_id: id, name, vehicle, active: true });
  const all = [courier("1", "Amélie Tremblay", "van"), courier("2", "Marc Roy", "bike"), courier("3", "Ana Melo", "van")];
  const load = loads([{ courier: { courier_id: "1" } }, { courier: { courier_id: "1" } }, { courier: { courier_id: "3" } }, { courier: null }]);
  assert.deepEqual(match(all, "mel", load).map((one) => one.courier_id), ["3", "1"]);
  assert.deepEqual(match(all, "VAN tremb", load).map((one) => one.courier_id), ["1"]);
  assert.deepEqual(match(all, "", load).map((one) => one.courier_id), ["2", "3", "1"]);
});
