import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { isHelp, isUnpicked, lastUnconfirmed, troubleOf } from "../assets/board/trouble.js";
import { failureWords } from "../assets/board/history.js";
import { at, epoch, hour, raw } from "./fixture.mjs";
import { use } from "dropyard/text.js";

use("en", JSON.parse(readFileSync(process.env.DROPYARD_TEXTS, "utf8")).books.en);

const held = (count) => Array.from({ length: count }, () => ({ holder: { kind: "courier", id: "cou_1" } }));
const record = (fields, custody = 1) => ({ ...raw("1", fields), custody: held(custody), order: { changes: [] } });
const courier = (active) => ({ courier_id: "cou_1", name: "Camille", active });

test("what is wrong is said with the act that helps", () => {
  for (const [fields, custody, now, want] of [
    [{}, 1, epoch - 1, null],
    [{ status: "delivered" }, 3, epoch + 99 * hour, null],
    [{ status: "pending" }, 1, epoch, ["accepted"]],
    [{ status: "accepted" }, 1, epoch, ["courier_assigned"]],
    [{ status: "courier_assigned", courier: courier(true) }, 1, epoch + 4 * hour, ["courier_assigned"]],
    [{ status: "in_transit", courier: courier(true) }, 2, epoch + 49 * hour, []],
    [{ status: "in_transit", courier: courier(false) }, 2, epoch, ["transfer"]],
    [{ status: "in_transit", courier: courier(true), flags: ["edited_after_pickup"] }, 2, epoch, ["confirm"]],
    [{ status: "failed", courier: courier(true), failures: 1 }, 2, epoch, ["again", "cancelled"]],
    [{ status: "failed", courier: courier(false), failures: 2 }, 2, epoch, ["again", "transfer", "cancelled"]],
  ]) {
    const trouble = troubleOf(record(fields, custody), now);
    assert.deepEqual(trouble && trouble.acts, want, JSON.stringify(fields));
  }
});

test("what helps is not offered again", () => {
  const failed = troubleOf(record({ status: "failed", courier: courier(true), failures: 1 }, 2), epoch);
  assert.deepEqual(["in_transit", "out_for_delivery", "cancelled", "transfer"].map((to) => isHelp(failed, to)), [true, true, true, false]);
  assert.equal(isHelp(null, "accepted"), false);
});

test("after a failed pickup the parcels are with no courier", () => {
  const of = (status, custody) => isUnpicked(record({ status, courier: courier(true), failures: 1 }, custody));
  assert.deepEqual([of("failed", 1), of("failed", 2), of("courier_assigned", 1)], [true, false, false]);
});

test("every reason of a failed attempt has words", () => {
  assert.equal(failureWords().other, "The delivery could not be completed.");
});

test("edits are confirmed up to the latest one that waits", () => {
  const changes = [{ version: 4, confirmed: false }, { version: 6, confirmed: false }, { version: 7, confirmed: true }, { version: 8 }];
  assert.equal(lastUnconfirmed({ order: { changes } }), 6);
  assert.equal(lastUnconfirmed({ order: {} }), 0);
});
