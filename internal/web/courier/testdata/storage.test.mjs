// The phone's storage when the system has closed its connection, as iOS does to apps in the
// background. A small database stands for IndexedDB.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Storage } from "../assets/courier/storage.js";

/** Returns connections to one database, each of which can be closed by the system. */
const database = (gone) => {
  const kept = new Map();
  let opened = 0, refuses = 0;
  const connect = async () => {
    opened++;
    if (refuses-- > 0) throw new DOMException("no", "UnknownError");
    let closed = false;
    const run = (does) => {
      if (closed) throw gone();
      return does();
    };
    return {
      end: () => { closed = true; }, close: () => { closed = true; },
      put: async (_store, value, key) => run(() => { kept.set(String(key), value); }),
      get: async (_store, key) => run(() => kept.get(String(key))),
    };
  };
  return { connect, kept, opened: () => opened, refuse: (times) => { refuses = times; } };
};

for (const [name, gone] of [
  ["the connection is closing", () => new DOMException("The database connection is closing.", "InvalidStateError")],
  ["the server is lost", () => new DOMException("Connection to Indexed Database server lost. Refresh the page to try again", "UnknownError")],
]) {
  test(`${name}: it is opened again, once, and what failed is done`, async () => {
    const { connect, kept, opened } = database(gone), first = await connect(), storage = new Storage(first, connect);
    await storage.keep("opr_1", "round", 1);
    first.end();
    await Promise.all([storage.keep("opr_1", "round", 2), storage.keep("opr_1", "clock", 3)]);
    assert.deepEqual([await storage.kept("opr_1", "round"), await storage.kept("opr_1", "clock"), kept.size, opened()], [2, 3, 2, 2]);
  });
}

test("a connection that cannot be opened is tried again with the next act", async () => {
  const { connect, opened, refuse } = database(() => new DOMException("closing", "InvalidStateError")), first = await connect(), storage = new Storage(first, connect);
  first.end();
  refuse(1);
  await assert.rejects(storage.keep("opr_1", "round", 1), { name: "UnknownError" });
  await storage.keep("opr_1", "round", 2);
  assert.deepEqual([await storage.kept("opr_1", "round"), opened()], [2, 3]);
});

test("another error is none of the connection's", async () => {
  const { connect, opened } = database(() => new DOMException("full", "QuotaExceededError")), first = await connect(), storage = new Storage(first, connect);
  first.end();
  await assert.rejects(storage.keep("opr_1", "round", 1), { name: "QuotaExceededError" });
  assert.equal(opened(), 1);
});
