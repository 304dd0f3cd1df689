// The round of a courier: what the phone shows of the service's stops and of what was tapped.

import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals-core";
import { Round, broughtBack, cards, loaded, nextOf, overlay, places, unread } from "../assets/courier/round.js";

const day = Date.parse("2026-06-18T16:50:00Z");
const actions = {
  courier_assigned: ["picked_up", "failed"], picked_up: ["in_transit", "out_for_delivery", "failed"], in_transit: ["out_for_delivery", "failed"],
  out_for_delivery: ["delivered", "failed"], failed: ["in_transit", "out_for_delivery"],
};

const stop = (kind, name) => ({ kind, name, phone: "+15145550100", address: {}, area: "M5H", time_window: { start: "", end: "" }, deadline: "" });

const job = (id, status, more = {}) => ({
  order_id: id, partner_name: "Métro", partner_order_id: id, status, version: 1, stop: stop(status === "courier_assigned" ? "pickup" : "dropoff", id),
  parcels: [], cod: null, failures: 0, next_attempt: null, actions: actions[status], ...more,
});

let last = 0;
const act = (orderID, status, body = {}) => ({ id: ++last, order_id: orderID, label: orderID, kind: "move", status, at: new Date(day + last).toISOString(), body: JSON.stringify(body) });
const picture = (orderID) => ({ ...act(orderID, ""), kind: "photo", body: "" });

const statuses = (jobs) => jobs.map(({ order_id: id, status }) => `${id} ${status}`);

test("what was tapped shows", () => {
  const dropoff = stop("dropoff", "Alex");
  const { open, done } = overlay([job("a", "courier_assigned", { dropoff }), job("b", "in_transit"), job("c", "out_for_delivery")],
    [act("a", "picked_up"), act("b", "out_for_delivery"), picture("c"), act("c", "delivered")]);
  assert.deepEqual(statuses(open), ["a picked_up", "b out_for_delivery"]);
  assert.deepEqual(open.map(({ waiting }) => waiting), [1, 1]);
  assert.deepEqual([open[0].stop, open[0].actions], [dropoff, actions.picked_up]);
  assert.deepEqual(done.map(({ order_id: id, waiting }) => [id, waiting]), [["c", true]]);
});

test("a failed stop goes to the end, with its next attempt", () => {
  const next = "2026-06-19T13:00:00.000Z";
  const { open } = overlay([job("a", "out_for_delivery"), job("b", "in_transit")], [act("a", "failed", { next_attempt: next })]);
  assert.deepEqual(statuses(open), ["b in_transit", "a failed"]);
  assert.deepEqual([open[1].next_attempt, open[1].failures], [next, 1]);
});

test("an act that the service has carried out already changes nothing", () => {
  const tapped = [act("a", "failed"), act("a", "out_for_delivery"), act("a", "failed"), act("a", "out_for_delivery")];
  for (const status of ["out_for_delivery", "failed"]) {
    assert.deepEqual(statuses(overlay([job("a", status)], tapped).open), ["a out_for_delivery"], status);
  }
  assert.deepEqual(statuses(overlay([job("a", "out_for_delivery")], [act("a", "picked_up")]).open), ["a out_for_delivery"]);
});

test("an act of a stop that the desk has taken away shows nothing", () => {
  assert.deepEqual(overlay([], [act("a", "delivered")]), { open: [], done: [] });
});

test("what comes next is the first stop with something to do", () => {
  const failed = job("a", "failed", { next_attempt: new Date(day + 1).toISOString() }), other = job("b", "in_transit");
  assert.equal(nextOf([failed, other], day), "b");
  assert.equal(nextOf([failed, other], day + 2), "a");
  assert.equal(nextOf([failed], day), "a");
  assert.equal(nextOf([], day), "");
});

/** A phone whose service answers when the test says so. */
const phone = (jobs = []) => {
  const world = { jobs, kept: undefined, fails: false, waiting: signal([]), reads: [] };
  const make = () => new Round({
    read: () => world.fails ? Promise.reject({ status: 0, code: "unreachable", requestID: "" }) : new Promise((resolve) => world.reads.push(() => resolve(answer(world.jobs)))),
    dropoff: async (id) => stop("dropoff", `recipient of ${id}`),
    keep: async (value) => { world.kept = structuredClone(value); }, kept: async () => world.kept, now: () => day, waiting: world.waiting,
  });
  return { world, make };
};

const answer = (jobs) => ({ jobs, more: false, delivered: { since: new Date(day).toISOString(), count: 0, latest: [] } });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Answers all readings until none is under way. @param {any} world */
const answerAll = async (world) => {
  for (await turn(); world.reads.length; await turn()) world.reads.shift()();
};

test("an act that was sent shows until the service's stops have it", async () => {
  const { world, make } = phone([job("a", "in_transit")]), round = make(), tapped = act("a", "out_for_delivery");
  round.refresh();
  await answerAll(world);
  world.waiting.value = [tapped];
  const shown = new Set();
  const end = round.jobs.subscribe((jobs) => statuses(jobs).forEach((one) => shown.add(one)));
  round.refresh(); // asked before the act arrives, answered after it
  const before = world.reads.shift();
  world.waiting.value = [];
  before();
  await turn();
  world.jobs = [job("a", "out_for_delivery")];
  await answerAll(world);
  end();
  assert.deepEqual([...shown], ["a out_for_delivery"]);
});

test("an act that was refused shows no longer", async () => {
  const { world, make } = phone([job("a", "in_transit")]), round = make(), tapped = act("a", "out_for_delivery");
  round.refresh();
  await answerAll(world);
  world.waiting.value = [tapped];
  world.waiting.value = [];
  round.refused(tapped);
  await answerAll(world);
  assert.deepEqual(statuses(round.jobs.value), ["a in_transit"]);
  assert.deepEqual(world.kept.sent, []);
});

test("a start without a connection shows the last round with what was tapped", async () => {
  const { world, make } = phone([job("a", "courier_assigned")]), first = make(), tapped = act("a", "picked_up");
  first.refresh();
  await answerAll(world);
  world.fails = true;
  world.waiting.value = [tapped];
  world.waiting.value = [];
  await turn();
  const second = make();
  world.waiting.value = [act("a", "out_for_delivery")];
  await second.open();
  await second.refresh();
  assert.deepEqual(statuses(second.jobs.value), ["a out_for_delivery"]);
  assert.equal(second.jobs.value[0].stop.name, "recipient of a");
  assert.deepEqual([second.state.value, second.readAt.value, second.fault.value.code], ["ready", day, "unreachable"]);
});

test("a start without a connection and without a round is an error", async () => {
  const { world, make } = phone(), round = make();
  assert.equal(round.state.value, "loading");
  world.fails = true;
  await round.open();
  await round.refresh();
  assert.equal(round.state.value, "error");
});

test("a reading that ends in an error does not keep the next one from beginning", async () => {
  const { world, make } = phone([job("a", "in_transit")]), round = make(), read = round.world.read;
  round.world.read = () => Promise.reject(new TypeError("broken"));
  await assert.rejects(round.refresh(), { message: "broken" });
  round.world.read = read;
  round.refresh();
  await answerAll(world);
  assert.deepEqual(statuses(round.jobs.value), ["a in_transit"]);
});

test("a reading that is answered after signing out keeps nothing", async () => {
  const { world, make } = phone([job("a", "in_transit")]), round = make();
  round.refresh();
  round.close();
  await answerAll(world);
  assert.equal(world.kept, undefined);
});

test("pickups at one address are one card", () => {
  const at = (id, line1, status = "courier_assigned", code = "H2W 2M5") => {
    const one = job(id, status);
    return { ...one, stop: { ...one.stop, address: { line1, city: "Montréal", postal_code: code } } };
  };
  const jobs = [at("a", "4000 Rue Saint-Denis"), at("b", "1 Queen", "out_for_delivery"), at("c", "4000 rue saint denis", "courier_assigned", "h2w2m5"), at("d", "12 Rue Ontario"),
    at("e", "4000 Rue Saint-Denis", "failed"), at("f", "1 Queen", "picked_up")];
  assert.deepEqual(cards(jobs).map((card) => card.map(({ order_id: id }) => id).join("")), ["ac", "b", "d", "e", "f"]);
});

test("what is loaded has been picked up, and is not out for delivery", () => {
  const jobs = ["courier_assigned", "picked_up", "in_transit", "out_for_delivery", "failed"].map((status) => job(status, status));
  assert.deepEqual(statuses(loaded(jobs)), ["picked_up picked_up", "in_transit in_transit"]);
});

const seen = (orderID, version) => ({ ...act(orderID, "", { version }), kind: "confirm" });

test("changes that were seen are shown no longer, also without a connection", () => {
  const changes = { version: 4, at: new Date(day).toISOString(), by: "service", fields: [{ field: "dropoff.phone", was: "+14165550198", now: "+14165550199" }] };
  const changed = job("a", "picked_up", { changes }), versions = ({ open }) => open.map((shown) => [shown.changes?.version, shown.waiting]);
  assert.deepEqual(versions(overlay([changed], [])), [[4, 0]]);
  assert.deepEqual(versions(overlay([changed], [seen("a", 4)])), [[undefined, 1]]);
  assert.deepEqual(versions(overlay([changed], [], [seen("a", 4)])), [[undefined, 0]], "sent, and not yet in what the service answers");
  assert.deepEqual(versions(overlay([changed], [seen("a", 3)])), [[4, 1]], "an edit that came after what was seen");
  assert.deepEqual(versions(overlay([job("a", "picked_up")], [seen("a", 4)])), [[undefined, 1]]);
  assert.deepEqual(loaded([changed, job("b", "picked_up")]).map(({ order_id: id }) => id), ["b"], "the round begins without stops that must be looked at");
});

test("a stop that was handed over leaves the list, unless that is refused", () => {
  const handed = { ...act("a", "", { courier_id: "cou_2" }), kind: "transfer" }, jobs = [job("a", "picked_up"), job("b", "in_transit")];
  assert.deepEqual(statuses(overlay(jobs, [handed]).open), ["b in_transit"]);
  assert.deepEqual(statuses(overlay(jobs, [], [handed]).open), ["b in_transit"], "sent, and not yet in what the service answers");
  assert.deepEqual(statuses(overlay(jobs, []).open), ["a picked_up", "b in_transit"]);
});

const back = (id, to, location, place = null) => ({ order_id: id, partner_name: "Métro", partner_order_id: id, version: 7, to, location, place, parcels: [], due_at: "" });

test("what is brought back is one card for each place, until it was given away", () => {
  const address = { line1: "9000 Boulevard Saint-Laurent", city: "Montréal", province: "QC", postal_code: "H2N 1M5", country: "CA" };
  const depot = { name: "Dépôt Nord", phone: "+15145550199", address };
  const all = [back("a", "warehouse", "MTL-1", depot), back("b", "sender", undefined, { ...depot, name: "Métro" }), back("c", "warehouse", "MTL-1", depot), back("d", "warehouse", "TOR-1")];
  const ids = (returns) => places(returns).map((card) => card.map(({ order_id: id }) => id).join(" "));
  assert.deepEqual(ids(broughtBack(all, [])), ["a c", "b", "d"]);
  assert.deepEqual(broughtBack(all, []).map(({ stop: { name } }) => name), ["Dépôt Nord", "Métro", "Dépôt Nord", "TOR-1"]);
  const given = [{ ...act("a", ""), kind: "transfer" }, { ...act("b", ""), kind: "receive" }, picture("c"), act("d", "picked_up")];
  assert.deepEqual(ids(broughtBack(all, given)), ["c", "d"]);
});

test("what was given back shows no longer, also before the service's list has it, and again when it was refused", async () => {
  const { world, make } = phone(), round = make(), tapped = { ...act("a", ""), kind: "receive" }, answers = { ...answer([]), returns: [back("a", "sender")] };
  round.world.read = async () => answers;
  await round.refresh();
  const left = () => round.returns.value.map(({ order_id: id }) => id);
  assert.deepEqual(left(), ["a"]);
  world.waiting.value = [tapped];
  assert.deepEqual(left(), []);
  round.world.read = () => Promise.reject({ status: 0, code: "unreachable", requestID: "" });
  world.waiting.value = [];
  assert.deepEqual(left(), []);
  await turn();
  round.world.read = async () => answers;
  await round.refused(tapped);
  assert.deepEqual(left(), ["a"]);
});

test("a message is shown until it was read, also before that is sent", () => {
  const messages = [{ message_id: "m1", text: "Call Camille.", at: "" }, { message_id: "m2", text: "Thanks", at: "" }];
  assert.deepEqual(unread(messages, []), messages);
  assert.deepEqual(unread(messages, [{ ...act("m1", ""), kind: "read" }, act("m2", "delivered")]), [messages[1]]);
});

const paid = (orderID, amount_cents) => act(orderID, "delivered", { collected: { amount_cents, currency: "CAD", method: "cash" } });
const ofOrder = (order_id, amount_cents) => ({ order_id, partner_order_id: order_id, amount_cents, currency: "CAD", collected_at: new Date(day).toISOString(), unconfirmed: false });
const service = (jobs, ...orders) => ({ ...answer(jobs), cash: { balances: [{ amount_cents: orders.reduce((sum, one) => sum + one.amount_cents, 0), currency: "CAD" }], orders } });

test("the cash of a courier has each order once: while its delivery waits, is sent, and is read", async () => {
  const { world, make } = phone(), round = make(), cod = { amount_cents: 2000, currency: "CAD" }, jobs = [job("b", "out_for_delivery", { cod })], tapped = paid("b", 2000);
  const states = [], look = () => states.push(`${round.cash.value.balances.map(({ amount_cents }) => amount_cents)} ${round.cash.value.orders.map(({ order_id: id }) => id).join("")}`);
  round.world.read = async () => service(jobs, ofOrder("a", 5000));
  await round.refresh();
  look();
  assert.deepEqual([round.due("b"), round.due("c")], [cod, undefined]);
  world.waiting.value = [tapped];
  look();
  round.world.read = async () => service([], ofOrder("a", 5000), ofOrder("b", 2000)); // the answer to the delivery was lost
  await round.refresh();
  look();
  world.waiting.value = [];
  look();
  await turn();
  look();
  round.world.read = async () => service([], ofOrder("b", 2000)); // a was handed in
  await round.refresh();
  look();
  assert.deepEqual(states, ["5000 a", "7000 ab", "7000 ab", "7000 ab", "7000 ab", "2000 b"]);
});

test("cash that cannot be read is that of the last reading and what was sent since, also at the next start", async () => {
  const { world, make } = phone(), round = make(), tapped = paid("b", 2000);
  round.world.read = async () => service([job("b", "out_for_delivery")], ofOrder("a", 5000));
  await round.refresh();
  world.waiting.value = [tapped];
  round.world.read = async () => answer([]);
  world.waiting.value = [];
  await turn();
  await round.refresh();
  const next = make();
  await next.open();
  for (const one of [round, next]) assert.deepEqual([one.cash.value.balances, one.cash.value.orders.map(({ order_id: id }) => id)], [[{ amount_cents: 7000, currency: "CAD" }], ["a", "b"]]);
});

test("a delivery that was refused brings no cash", async () => {
  const { world, make } = phone(), round = make(), tapped = paid("b", 2000);
  round.world.read = async () => service([job("b", "out_for_delivery")]);
  await round.refresh();
  world.waiting.value = [tapped];
  world.waiting.value = [];
  await round.refused(tapped);
  assert.deepEqual(round.cash.value.orders, []);
});
