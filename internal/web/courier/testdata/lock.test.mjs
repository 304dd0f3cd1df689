import assert from "node:assert/strict";
import { test } from "node:test";
import { Lock } from "../assets/courier/lock.js";

/** A phone on which opr_1 has used the app, and the lock as it is when the app starts. */
const phone = async (kept) => {
  const world = { owner: "opr_1", session: { status: 200, owner: "opr_1" }, stored: kept };
  const lock = new Lock({ owner: "opr_1", who: async () => world.session, kept: async () => world.stored, keep: async (locked) => { world.stored = locked; } });
  await lock.open();
  return { world, lock };
};

test("the stops are locked until the same operator has signed in", async () => {
  const { world, lock } = await phone();
  assert.deepEqual([lock.locked.value, await lock.release()], [false, false]);
  lock.shut();
  for (const session of [{ status: 401, owner: "" }, { status: 0, owner: "" }, { status: 200, owner: "opr_2" }]) {
    world.session = session;
    assert.deepEqual([await lock.release(), lock.locked.value], [false, true], JSON.stringify(session));
  }
  world.session = { status: 200, owner: "opr_1" };
  assert.deepEqual([await lock.release(), lock.locked.value, world.stored], [true, false, false]);
});

test("the next start has the stops locked, also without a connection", async () => {
  const { world, lock } = await phone();
  lock.shut();
  assert.equal((await phone(world.stored)).lock.locked.value, true);
});

test("a document that the service has just sent to the operator opens the lock", async () => {
  const { world, lock } = await phone(true);
  await lock.open(true);
  assert.deepEqual([lock.locked.value, world.stored], [false, false]);
});

test("a 401 while it is asked whose session it is keeps the stops locked", async () => {
  const { lock } = await phone(true);
  const released = lock.release();
  lock.shut();
  assert.deepEqual([await released, lock.locked.value], [false, true]);
});
