import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { attention, byDue, lateOf, merge, reasonsOf, rowOf } from "../assets/board/rows.js";
import { choices, countsOf, everything, isEmpty, parse, select, write } from "../assets/board/filter.js";
import { parseColumns, parseSort, sorted, usual, writeSort } from "../assets/board/sorting.js";
import { at, epoch, hour, raw } from "./fixture.mjs";

globalThis.document = { querySelector: () => ({ dataset: { zones: JSON.stringify(JSON.parse(readFileSync(process.env.DROPYARD_TEXTS, "utf8")).clocks) } }) };

const courier = (active) => ({ courier_id: "cou_1", name: "Amélie Tremblay", active });

// The same cases as TestReasonsBeginAndEnd and TestReasonsByFailuresAndCourier of internal/board.
test("reasons begin and end as the service says", () => {
  for (const [fields, ms, want] of [
    [{}, -1, []],
    [{}, 0, ["no_courier"]],
    [{ status: "courier_assigned" }, 3 * hour, []],
    [{ status: "courier_assigned" }, 3 * hour + 1, ["window_missed"]],
    [{ status: "picked_up" }, 27 * hour, []],
    [{ status: "picked_up" }, 27 * hour + 1, ["late", "window_missed"]],
    [{ status: "failed" }, 48 * hour + 1, ["late", "window_missed"]],
    [{ status: "in_transit", failures: 1, courier: courier(true) }, 0, []],
    [{ status: "in_transit", failures: 1, courier: courier(false) }, 0, ["courier_gone"]],
    [{ status: "in_transit", failures: 2, courier: courier(true) }, 0, ["failed_twice"]],
    [{ status: "in_transit", failures: 3, courier: courier(false) }, 0, ["failed_twice", "courier_gone"]],
    [{ status: "picked_up", flags: ["cancellation_requested"] }, 0, ["cancellation_requested"]],
    [{ status: "courier_assigned", courier: courier(true), flags: ["short_pick"] }, 0, ["short_pick"]],
    [{ status: "failed", failures: 2, flags: ["cancellation_requested", "edited_after_pickup"] }, 0, ["failed_twice", "cancellation_requested", "edited_after_pickup"]],
  ]) assert.deepEqual(reasonsOf(rowOf(raw("1", fields)), epoch + ms), want, JSON.stringify([fields, ms]));
});

test("late orders are counted by courier", () => {
  const rows = [raw("1", { status: "in_transit", courier: courier(true) }), raw("2", { status: "failed", courier: courier(true) }), raw("3", { status: "accepted" })].map((row) => rowOf(row));
  assert.deepEqual([...lateOf(rows, epoch + 49 * hour)], [["cou_1", 2]]);
  assert.deepEqual([...lateOf(rows, epoch)], []);
});

test("merge keeps the order, replaces and removes", () => {
  const rows = [5, 1, 3, 3, 9].map((hours, i) => rowOf(raw(String(i), { estimated_delivery: at(hours) }))).sort(byDue);
  const fresh = [rowOf(raw("1", { estimated_delivery: at(10), version: 2 })), rowOf(raw("7", { estimated_delivery: at(0) }))];
  const merged = merge(rows, fresh, new Set(["ord_1", "ord_7", "ord_4"]));
  assert.deepEqual(merged.map((row) => row.order_id), ["ord_7", "ord_2", "ord_3", "ord_0", "ord_1"]);
  assert.deepEqual(merged, [...merged].sort(byDue));
});

test("filters are read from the address and written to it", () => {
  const filter = parse(new URLSearchParams("stage=on_the_way&attention=late&day=tomorrow&partner=par_1&zone=M5,H2X&city=Laval&courier=none&level=express&q=caf%C3%A9&view=map"));
  assert.deepEqual(filter, { stage: "on_the_way", attention: "late", day: "tomorrow", partner: "par_1", zone: "M5,H2X", city: "Laval", courier: "none", level: "express", text: "café" });
  const query = new URLSearchParams("view=map&zone=X");
  write(filter, query);
  assert.deepEqual(parse(query), filter);
  assert.equal(query.get("view"), "map");
  write(everything, query);
  assert.equal(String(query), "view=map");
  assert.ok(isEmpty(parse(new URLSearchParams("stage=constructor&attention=%3Cb%3E&day=never"))), "what is unknown narrows nothing");
});

test("select shows and counts", () => {
  const rows = [
    raw("1", { status: "pending" }), raw("2", { courier: courier(true), status: "courier_assigned" }), raw("3", { partner_id: "par_2", partner_name: "Librairie Nord", city: "Laval", zone: "H7N" }),
    raw("4", { status: "in_transit", failures: 2 }), raw("5", { status: "out_for_delivery", service_level: "standard" }),
  ].map((row) => rowOf(row));
  const ids = (parts, found) => select(rows, { ...everything, ...parts }, epoch, found).shown.map((row) => row.order_id.slice(4)).join("");
  assert.equal(ids({}), "12345");
  assert.equal(ids({ stage: "on_the_way" }), "45");
  assert.equal(ids({ attention: "no_courier" }), "13");
  assert.equal(ids({ stage: "pending", attention: "failed_twice" }), "");
  assert.equal(ids({ partner: "par_2" }), "3");
  assert.equal(ids({ zone: "m5" }), "1245");
  assert.equal(ids({ zone: "m5h, H7" }), "12345");
  assert.equal(ids({ zone: "H7", city: "Laval|Ottawa" }), "3", "in any of the zones or cities");
  assert.equal(ids({ city: "Toronto|Laval" }), "12345");
  assert.equal(ids({ city: "Laval" }), "3");
  assert.equal(ids({ courier: "none" }), "1345");
  assert.equal(ids({ courier: "cou_1" }), "2");
  assert.equal(ids({ level: "standard" }), "5");
  assert.equal(ids({ text: " LAVAL " }), "3");
  assert.equal(ids({ text: "épicérie METRO" }), "1245");
  assert.equal(ids({ text: "alex", }, new Set(["ord_4"])), "4");
  const { counts } = select(rows, { ...everything, zone: "M5H", stage: "failed" }, epoch);
  assert.deepEqual(counts, {
    open: 4, stages: { pending: 1, accepted: 0, assigned: 1, on_the_way: 2, failed: 0 },
    reasons: { late: 0, failed_twice: 0, window_missed: 0, no_courier: 0, courier_gone: 0, cancellation_requested: 0, edited_after_pickup: 0, short_pick: 0 },
    days: { today: 0, tomorrow: 0, later: 0 }, present: ["failed_twice", "no_courier"],
  });
  const reason = select(rows, { ...everything, attention: "no_courier" }, epoch).counts;
  assert.deepEqual(reason.stages, { pending: 1, accepted: 1, assigned: 0, on_the_way: 0, failed: 0 });
  assert.equal(reason.reasons.failed_twice, 1, "of a reason, what is chosen instead of it");
});

test("days are those of the dropoff, and what is late is due today", () => {
  // 2026-01-14, 10:00 in Toronto and 7:00 in Vancouver.
  const due = (id, hours, zone) => rowOf(raw(id, { zone, estimated_delivery: at(hours) }));
  const rows = [due("1", -5, "M5H"), due("2", 13.9, "M5H"), due("3", 14.1, "M5H"), due("4", 14.1, "V6B"), due("5", 16.9, "V6B"), due("6", 26, "M5H")];
  rows.push(rowOf(raw("7", { dropoff_window: { start: at(48), end: at(50) } })));
  const ids = (day) => select(rows, { ...everything, day }, epoch).shown.map((row) => row.order_id.slice(4)).join("");
  assert.deepEqual([ids("today"), ids("tomorrow"), ids("later")], ["1245", "36", "7"]);
  const { counts } = select(rows, { ...everything, day: "later", stage: "accepted", attention: "late" }, epoch);
  assert.deepEqual(counts.days, { today: 1, tomorrow: 0, later: 0 }, "of the other chips");
  assert.equal(counts.stages.accepted, 0);
  assert.equal(select(rows, { ...everything, day: "later" }, epoch).counts.reasons.no_courier, 1);
});

test("an order is due at the end of its window or when it is expected, whichever is earlier", () => {
  assert.equal(rowOf(raw("1")).due, epoch + 27 * hour);
  assert.equal(rowOf(raw("1", { estimated_delivery: at(26) })).due, epoch + 26 * hour);
});

test("the list is sorted by any column", () => {
  const rows = [
    raw("3", { recipient: "Zoé", courier: courier(true), cod_cents: 500 }), raw("1", { recipient: "élodie", status: "failed", service_level: "standard" }),
    raw("2", { recipient: "Ann", status: "pending", service_level: "same_day", cod_cents: 900 }),
  ].map((row) => rowOf(row));
  const ids = (text) => sorted(rows, parseSort(text)).map((row) => row.order_id.slice(4)).join("");
  for (const [text, want] of [["", "312"], ["-due", "213"], ["recipient", "213"], ["-recipient", "312"], ["order", "123"], ["status", "123"], ["courier", "123"], ["-courier", "312"], ["level", "231"], ["cod", "231"], ["nothing", "312"]]) {
    assert.equal(ids(text), want, text);
    if (text !== "nothing") assert.equal(writeSort(parseSort(text)), text);
  }
});

test("columns that were kept", () => {
  assert.deepEqual([...parseColumns(null)], usual);
  assert.deepEqual([...parseColumns("status,cod,gone")], ["due", "recipient", "status", "cod"]);
  assert.deepEqual([...parseColumns("")], ["due", "recipient"]);
});

test("search folds names", () => {
  const row = rowOf(raw("1", { partner_name: "Bois-Francs & Frères", city: "Saint-Jérôme", courier: { courier_id: "cou_1", name: "Jean-Pierre Côté", active: true } }));
  for (const text of ["bois francs", "saint jerome", "SAINT-JÉRÔME", "jean pierre cote"]) assert.equal(select([row], { ...everything, text }, epoch).shown.length, 1, text);
});

test("choices have labels and counts", () => {
  const rows = [raw("1"), raw("2", { courier: courier(true), zone: "H7N" }), raw("3", { courier: courier(true) })].map((row) => rowOf(row));
  assert.deepEqual(choices(rows), {
    partners: [{ value: "par_1", label: "Épicerie Métro", count: 3 }],
    zones: [{ value: "H7N", label: "H7N", count: 1 }, { value: "M5H", label: "M5H", count: 2 }],
    cities: [{ value: "Toronto", label: "Toronto", count: 3 }],
    couriers: [{ value: "cou_1", label: "Amélie Tremblay", count: 2 }],
  });
});

test("attention of a row whose courier is active is none", () => {
  assert.equal(attention(rowOf(raw("1", { status: "in_transit", courier: courier(true) })), epoch), 0);
});

test("what the service counts is what the chips would show of all orders", () => {
  const rows = ["pending", "accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "failed"].map((status, i) => rowOf(raw(String(i), { status })));
  const statuses = Object.fromEntries(rows.map((row) => [row.status, 1])), { counts } = select(rows, everything, epoch);
  assert.deepEqual({ ...countsOf({ open: rows.length, statuses, reasons: counts.reasons }), days: counts.days }, counts);
});
