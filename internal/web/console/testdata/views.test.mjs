import assert from "node:assert/strict";
import test from "node:test";
import { areasOf, boundsOf, dotsOf, projection, radius, toneOf } from "../assets/board/geo.js";
import { follow, inOrder, improves, kilometres, mayHandOver, moved, standing, total } from "../assets/board/sequence.js";
import { rowOf } from "../assets/board/rows.js";
import { at, epoch, hour, raw } from "./fixture.mjs";

const areas = { H2W: [45.517, -73.585], H2X: [45.51, -73.571], K1P: [45.42, -75.7] };
const job = (id, area, fields = {}) => ({
  order_id: `ord_${id}`, next_attempt: null, stop: { area, deadline: at(3), time_window: { start: at(0), end: at(3) } }, ...fields,
});

test("an area is coloured by its worst order", () => {
  const rows = [
    raw("1", { status: "out_for_delivery" }), raw("2", { status: "picked_up" }),
    raw("3", { zone: "H2W", status: "in_transit", estimated_delivery: at(-1) }),
    raw("4", { zone: "H2X", status: "in_transit", failures: 2 }), raw("5", { zone: "H2X", status: "failed" }), raw("6", { zone: "H2X", status: "picked_up" }),
  ].map((row) => rowOf(row));
  assert.deepEqual(areasOf(rows, epoch).map((area) => [area.code, area.count, area.late, area.attention, toneOf(area)]), [
    ["H2X", 3, 0, 1, "attention"], ["M5H", 2, 0, 0, "picked_up"], ["H2W", 1, 1, 1, "late"],
  ]);
});

test("the map encloses what is shown, with north above and east at the right", () => {
  const places = Object.values(areas), size = { width: 800, height: 400, margin: 40 }, at = projection(boundsOf(places), size);
  for (const place of places) {
    const { x, y } = at(place);
    assert.ok(x >= 39.9 && x <= 760.1 && y >= 39.9 && y <= 360.1, `${place} is at ${x}, ${y}`);
  }
  assert.ok(at(areas.H2X).x > at(areas.K1P).x && at(areas.H2W).y < at(areas.K1P).y);
  const { x, y } = projection(boundsOf([areas.K1P]), size)(areas.K1P);
  assert.deepEqual([Math.round(x), Math.round(y)], [400, 200], "a single place is in the middle");
});

test("areas that would cover each other share a dot", () => {
  const area = (code, count, x, fields = {}) => ({ code, city: "", count, late: 0, attention: 0, status: "accepted", x, y: 0, ...fields });
  const dots = dotsOf([area("A1A", 9, 0), area("A1B", 2, 20, { late: 1, attention: 2, status: "pending" }), area("A1C", 1, 200)]);
  assert.deepEqual(dots.map((dot) => [dot.areas.map(({ code }) => code), dot.count, toneOf(dot), dot.status]), [
    [["A1A", "A1B"], 11, "late", "pending"], [["A1C"], 1, "accepted", "accepted"],
  ]);
  assert.ok(radius(1) < radius(50) && radius(100000) === 32);
});

test("a way is estimated as the service does", () => {
  assert.ok(Math.abs(kilometres([45.5019, -73.5674], [43.6532, -79.3832]) - 504) < 1, "from Montréal to Toronto");
  const jobs = [job(1, "H2W"), job(2, "K1P"), job(3, "H2X", { next_attempt: at(20) }), job(4, "X9X")];
  const visits = follow(jobs, areas, { speed: 30, atStop: 300000 }, epoch);
  const [first, second, third, fourth] = visits;
  assert.deepEqual(first, { arrival: epoch, late: 0, way: 0 });
  assert.equal(Math.round(second.way), 165);
  assert.equal(second.arrival, epoch + 300000 + second.way / 30 * hour);
  assert.equal(second.late, second.arrival - (epoch + 3 * hour));
  assert.equal(third.arrival, epoch + 20 * hour, "the next attempt is waited for");
  assert.deepEqual([fourth.way, fourth.arrival], [0, third.arrival + 300000], "an area that is not known is next door");
  assert.deepEqual(total(visits), { way: second.way + third.way, stops: 3, late: second.late + third.late + fourth.late });
  assert.deepEqual(follow([], areas, { speed: 30, atStop: 0 }, epoch), []);
});

test("a stop is endangered before it is overdue", () => {
  const stop = job(1, "H2W"), arrival = (hours) => ({ arrival: epoch + hours * hour, late: Math.max(0, hours - 3) * hour, way: 0 });
  for (const [visit, now, want] of [
    [arrival(1), 0, ""], [arrival(2.6), 0, "tight"], [arrival(3.1), 0, "endangered"], [arrival(1), 3.1, "overdue"], [undefined, 1, ""], [undefined, 2.8, "tight"],
  ]) assert.equal(standing(stop, visit, epoch + now * hour), want, JSON.stringify([visit, now]));
});

test("stops are moved and sorted", () => {
  const list = ["a", "b", "c", "d"];
  for (const [from, before, want] of [[0, 2, "bacd"], [0, 4, "bcda"], [3, 0, "dabc"], [2, 1, "acbd"], [1, 1, "abcd"], [1, 2, "abcd"]]) {
    assert.equal(moved(list, from, before).join(""), want, `${from} before ${before}`);
  }
  const jobs = [job(1, ""), job(2, ""), job(3, "")];
  assert.deepEqual(inOrder(jobs, ["ord_3", "ord_1"]).map((one) => one.order_id), ["ord_3", "ord_1", "ord_2"]);
  assert.deepEqual(["accepted", "courier_assigned", "picked_up", "failed"].map(mayHandOver), [true, true, false, false]);
});

test("a sequence is better if it is shorter, or less late, by what is shown", () => {
  const visit = (way, late) => [{ arrival: epoch, way, late }], minute = hour / 60;
  for (const [before, after, want] of [
    [visit(0, 0), visit(0, 0), false],
    [visit(5.01, 0), visit(5, 0), false],
    [visit(5.1, 0), visit(5, 0), true],
    [visit(5, minute), visit(6, 0), true],
    [visit(5, 3 * minute), visit(5, 2 * minute), true],
    [visit(5, 0), visit(6, minute), false],
  ]) assert.equal(improves(before, after), want, JSON.stringify([before, after]));
});
