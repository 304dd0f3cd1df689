import assert from "node:assert/strict";
import test from "node:test";
import { chargedIn } from "../assets/board/charged.js";

const entry = (...lines) => ({ lines: lines.map(([account, cents, currency = "CAD"]) => ({ account, amount_cents: cents, currency })) });

test("an order was charged what its entries add to what the partner owes", () => {
  assert.equal(chargedIn({ entries: [] }), null);
  assert.equal(chargedIn({ entries: [entry(["charges", 1469], ["revenue", -1300], ["tax_hst", -169])] }), 1469);
  assert.equal(chargedIn({ entries: [entry(["charges", -500], ["revenue", 500]), entry(["charges", 1469], ["revenue", -1469])] }), 969);
  assert.equal(chargedIn({ entries: [entry(["collected", -500, "USD"], ["terminal", 500, "USD"])] }), 0);
});
