import assert from "node:assert/strict";
import test from "node:test";
import {
  Spread, areasIn, around, boundsOf, clustersOf, fromScreen, geographic, isIn, mercator, numbered, onScreen, radius, ranges, seen, toneOf,
} from "dropyard/clusters.js";
import { areasOf } from "../assets/board/geo.js";
import { follow, inOrder, improves, kilometres, mayHandOver, moved, standing, total } from "../assets/board/sequence.js";
import { rowOf } from "../assets/board/rows.js";
import { at, epoch, hour, raw } from "./fixture.mjs";

const areas = { H2W: [45.517, -73.585], H2X: [45.51, -73.571], K1P: [45.42, -75.7] };
const job = (id, area, fields = {}) => ({
  order_id: `ord_${id}`, next_attempt: null, stop: { area, deadline: at(3), time_window: { start: at(0), end: at(3) } }, ...fields,
});

test("the table sums up areas", () => {
  const rows = [
    raw("1", { status: "out_for_delivery" }), raw("2", { status: "picked_up" }),
    raw("3", { zone: "H2W", status: "in_transit", estimated_delivery: at(-1) }),
    raw("4", { zone: "H2X", status: "in_transit", failures: 2 }), raw("5", { zone: "H2X", status: "failed" }), raw("6", { zone: "H2X", status: "picked_up" }),
  ].map((row) => rowOf(row));
  assert.deepEqual(areasOf(rows, epoch).map((area) => [area.code, area.count, area.late, area.attention]), [
    ["H2X", 3, 0, 1], ["M5H", 2, 0, 0], ["H2W", 1, 1, 1],
  ]);
});

test("a place is where MapLibre draws it", () => {
  assert.deepEqual(mercator([0, 0]), { x: .5, y: .5 });
  const corner = mercator([85.0511287798066, 180]);
  assert.ok(Math.abs(corner.x - 1) < 1e-9 && Math.abs(corner.y) < 1e-9, "the world is a square up to that latitude");
  const { x, y } = mercator([45.5, -73.6]);
  const [longitude, latitude] = geographic({ x, y });
  assert.ok(Math.abs(longitude + 73.6) < 1e-9 && Math.abs(latitude - 45.5) < 1e-9);
  const view = { x, y, zoom: 10, width: 800, height: 400 };
  assert.deepEqual(onScreen(view, { x, y }), { x: 400, y: 200 });
  const upper = fromScreen(view, { x: 0, y: 0 }), back = onScreen(view, upper);
  assert.ok(Math.abs(back.x) < 1e-6 && Math.abs(back.y) < 1e-6 && upper.x < x && upper.y < y, "north above, west at the left");
  assert.ok(isIn(seen(view), { x, y }) && !isIn(seen(view), mercator([45.5, -70])));
  const [[west, south], [east, north]] = boundsOf([mercator([45, -74]), mercator([46, -73])]);
  assert.deepEqual([west, south, east, north].map((degrees) => Math.round(degrees * 1e6) / 1e6), [-74, 45, -73, 46]);
  assert.equal(boundsOf([]), undefined);
});

/** @param {string} id @param {string} area @param {number} slot */
const stopAt = (id, area, slot, fields = {}) => ({ id, area, ...around(areas[area], slot), isLate: false, needsAttention: false, ...fields });

test("no stop of an area hides another, and none moves when others end", () => {
  const spread = new Spread(), ids = ["a", "b", "c", "d"];
  assert.deepEqual(ids.map((id) => spread.slot("H2W", id)), [0, 1, 2, 3]);
  assert.equal(spread.slot("H2X", "e"), 0, "each area begins in its middle");
  spread.keep((id) => id !== "b" && id !== "a");
  assert.deepEqual(["c", "d", "f", "g", "h"].map((id) => spread.slot("H2W", id)), [2, 3, 0, 1, 4], "those that are free are taken first");
  const places = Array.from({ length: 100 }, (_, slot) => around(areas.H2W, slot)), metre = 1 / (40075017 * Math.cos(areas.H2W[0] * Math.PI / 180));
  for (let i = 0; i < places.length; i++) {
    for (let j = 0; j < i; j++) assert.ok(Math.hypot(places[i].x - places[j].x, places[i].y - places[j].y) > 50 * metre, `${i} lies on ${j}`);
  }
  assert.ok(Math.hypot(places[99].x - places[0].x, places[99].y - places[0].y) < 650 * metre, "100 stops are within 650 m");
});

test("stops that would lie on each other share a dot, which opens from nearer", () => {
  const stops = [stopAt("1", "H2W", 0), stopAt("2", "H2W", 1, { isLate: true, needsAttention: true }), stopAt("3", "H2X", 0, { needsAttention: true }), stopAt("4", "K1P", 0)];
  const shown = (zoom) => clustersOf(stops, zoom).map((dot) => [areasIn(dot.stops).join(" "), dot.count, dot.late, dot.attention, toneOf(dot)]);
  assert.deepEqual(shown(4), [["H2W H2X K1P", 4, 1, 2, "late"]]);
  assert.deepEqual(shown(8), [["H2W H2X", 3, 1, 2, "late"], ["K1P", 1, 0, 0, "well"]]);
  assert.deepEqual(shown(12.9), [["H2W", 2, 1, 1, "late"], ["H2X", 1, 0, 1, "attention"], ["K1P", 1, 0, 0, "well"]].sort((a, b) => b[1] - a[1]));
  assert.equal(clustersOf(stops, 17).length, 4, "each for itself");
  assert.ok(radius(1) < radius(50) && radius(100000) === 32);
  const ids = (dots) => dots.map((dot) => dot.key).join();
  assert.equal(ids(clustersOf(stops, 8)), ids(clustersOf([...stops].reverse(), 8.5)), "dots keep their keys between whole zooms");
});

test("dots of many stops do not lie on each other", () => {
  const stops = Object.keys(areas).flatMap((area) => Array.from({ length: 40 }, (_, i) => stopAt(`${area} ${i}`, area, i)));
  for (const zoom of [3, 9, 11, 13, 14, 15, 16]) {
    const dots = clustersOf(stops, zoom), scale = 512 * 2 ** zoom;
    assert.equal(dots.reduce((sum, { count }) => sum + count, 0), stops.length);
    dots.forEach((a, i) => dots.slice(0, i).forEach((b) => {
      assert.ok(Math.hypot(a.x - b.x, a.y - b.y) * scale > Math.max(radius(a.count), radius(b.count)), `at ${zoom}: ${a.key} lies on ${b.key}`);
    }));
  }
});

test("stops of a way are numbered where they lie", () => {
  assert.deepEqual(numbered([{ x: 0, y: 0 }, { x: 5, y: 5 }, { x: 100, y: 0 }, { x: 2, y: 0 }]).map(({ x, numbers }) => [x, ranges(numbers)]), [[0, "1–2, 4"], [100, "3"]]);
  assert.equal(ranges([1, 2, 3, 5, 7, 8]), "1–3, 5, 7–8");
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
