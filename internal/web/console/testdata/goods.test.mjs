import assert from "node:assert/strict";
import test from "node:test";
import { locations } from "../assets/board/goods.js";
import { inHands } from "../assets/board/acts.js";

const held = (...holders) => holders.map((holder) => ({ holder, from: "2026-01-15T15:00:00Z", until: null }));
const warehouse = { kind: "location", id: "MTL-1, TOR-1" }, courier = { kind: "courier", id: "cou_1", name: "Camille" };

test("parcels are handed over only by couriers and hubs", () => {
  const record = (status, custody, order = {}) => ({ status, custody, order });
  assert.equal(inHands(record("courier_assigned", held(warehouse))), false);
  assert.equal(inHands(record("failed", held(warehouse))), false, "failed without a pickup");
  assert.equal(inHands(record("failed", held(warehouse, courier))), true);
  assert.equal(inHands(record("picked_up", held({ kind: "sender" }, courier))), true);
  assert.equal(inHands(record("delivered", held(warehouse, courier, { kind: "recipient" }))), false);
  assert.equal(inHands(record("cancelled", held(warehouse))), false);
  assert.equal(inHands(record("cancelled", held(warehouse, courier), { return: { state: "due" } })), true);
  assert.equal(inHands(record("cancelled", held(warehouse, courier, warehouse), { return: { state: "received" } })), false);
});

test("the locations where parcels have been are offered once, without the one where they are", () => {
  assert.deepEqual(locations({ custody: held(warehouse, courier, { kind: "location", id: "HUB-1" }, courier, { kind: "location", id: "HUB-2" }) }),
    ["HUB-1", "MTL-1", "TOR-1"]);
  assert.deepEqual(locations({ custody: held({ kind: "sender" }) }), []);
});
