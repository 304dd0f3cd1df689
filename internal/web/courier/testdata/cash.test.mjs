// Amounts as they are typed and shown, and the cash that a courier carries.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { use } from "dropyard/text.js";
import { centsOf, inDollars, money } from "dropyard/amounts.js";
import { carried, noCash } from "../assets/courier/cash.js";

afterEach(() => use("en", {}));
use("en", {});

test("amounts are typed with a point or a comma", () => {
  for (const [text, want] of [
    ["49.99", 4999], ["49,99", 4999], [" 1\u202f184,5 $", 118450], ["$12", 1200], [".5", 50], ["0", 0], ["0,00", 0], ["007.10", 710],
    ["", NaN], [".", NaN], ["49.", NaN], ["-3", NaN], ["1,234.50", NaN], ["1,234", NaN], ["49.999", NaN], ["12 dollars", NaN], ["1e3", NaN], ["1234567890", NaN],
  ]) assert.equal(centsOf(text), want, JSON.stringify(text));
});

test("the amount that the field begins with is read as it was", () => {
  for (const language of ["en", "fr"]) {
    use(language, {});
    for (const cents of [1, 5, 50, 99, 100, 4999, 118450, 99999999999]) assert.equal(centsOf(inDollars(cents)), cents, `${language} ${cents}`);
  }
  assert.equal(inDollars(118450), "1184,50");
});

test("amounts have their currency", () => {
  assert.deepEqual([money({ amount_cents: 4999, currency: "CAD" }), money({ amount_cents: 4999, currency: "USD" })], ["$49.99", "US$49.99"]);
});

let last = 0;
const collected = (amount_cents, method = "cash", currency = "CAD") => ({ collected: { amount_cents, currency, method } });
const delivered = (order_id, body) => ({ id: ++last, order_id, kind: "move", status: "delivered", at: `2026-06-18T16:00:0${last % 10}.000Z`, body: JSON.stringify({ status: "delivered", ...body }) });
const job = (order_id, cod = null) => ({ order_id, partner_order_id: `N-${order_id}`, cod });
const cad = (amount_cents) => ({ amount_cents, currency: "CAD" });
const known = { balances: [cad(5000)], orders: [{ order_id: "a", partner_order_id: "N-a", ...cad(5000), collected_at: "2026-06-18T12:00:00.000Z", unconfirmed: false }] };
const shown = ({ balances, orders }) => [balances.map(money).join(" + "), orders.map(({ order_id: id, partner_order_id: number, unconfirmed, ...cash }) => `${id} ${number ?? ""} ${money(cash)}${unconfirmed ? "?" : ""}`)];

test("cash of deliveries that the service may not know is counted, once for each order", () => {
  const b = delivered("b", collected(1000));
  assert.deepEqual(shown(carried(known, [], [])), ["$50.00", ["a N-a $50.00"]]);
  assert.deepEqual(shown(carried(known, [b], [job("b", cad(1000))])), ["$60.00", ["a N-a $50.00", "b N-b $10.00"]]);
  assert.deepEqual(shown(carried(known, [b, b], [])), ["$60.00", ["a N-a $50.00", "b  $10.00"]], "sent, and still among those that wait");
  assert.deepEqual(shown(carried(known, [delivered("a", collected(5000))], [])), ["$50.00", ["a N-a $50.00"]], "its answer was lost");
  assert.deepEqual(shown(carried(noCash, [delivered("c", collected(300, "cash", "USD")), b], [])), ["US$3.00 + $10.00", ["b  $10.00", "c  US$3.00"]]);
  const before = { ...delivered("e", collected(200)), at: "2026-06-18T11:00:00.000Z" };
  assert.deepEqual(shown(carried(known, [before], [])), ["$52.00", ["e  $2.00", "a N-a $50.00"]], "the oldest first, as the service has them");
});

test("only deliveries that are paid in cash are counted", () => {
  const acts = [delivered("b", collected(1000, "terminal")), delivered("c", collected(0, "none")), { ...delivered("d", collected(1)), status: "failed" }, { ...delivered("e"), kind: "photo", status: "", body: "" }, delivered("f")];
  assert.deepEqual(shown(carried(known, acts, [job("b", cad(1000)), job("f")])), ["$50.00", ["a N-a $50.00"]]);
});

test("a delivery of an app that did not ask is counted with what was to be collected, and is not confirmed", () => {
  assert.deepEqual(shown(carried(noCash, [delivered("b")], [job("b", cad(1000))])), ["$10.00", ["b N-b $10.00?"]]);
});
