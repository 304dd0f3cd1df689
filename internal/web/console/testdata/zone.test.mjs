import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { windowIn, zoneOf } from "dropyard/zone.js";
import { use } from "dropyard/text.js";

// The clocks of places, as the board's document has them: see board_modules_test.go.
const { books, clocks } = JSON.parse(readFileSync(process.env.DROPYARD_TEXTS, "utf8"));
globalThis.document = { querySelector: () => ({ dataset: { zones: JSON.stringify(clocks) } }) };

// The same with plain spaces, and none around a dash: releases of Node differ in which they write.
const spaced = (text) => text.replaceAll(/[\u00a0\u2009\u202f]/g, " ").replaceAll(" – ", "–");

// For each place windows of three hours, with their start in UTC and what its clocks show then, on both sides of each change
// of 2026. British Columbia, Alberta and Manitoba do not set their clocks back in the autumn of 2026.
const places = [
  ["St. John's", "NL", "A1C 5H1", "Newfoundland", [
    ["2026-03-07T12:30Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-03-09T12:30Z", "Mar 9, 10:00 AM–1:00 PM"],
    ["2026-10-31T12:30Z", "Oct 31, 10:00 AM–1:00 PM"], ["2026-11-02T12:30Z", "Nov 2, 9:00 AM–12:00 PM"]]],
  ["Goose Bay", "NL", "A0P 1C0", "Atlantic", [["2026-03-07T13:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-11-02T14:00Z", "Nov 2, 10:00 AM–1:00 PM"]]],
  ["Blanc-Sablon", "QC", "G0G 1C0", "Atlantic", [["2026-03-07T13:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-07-01T13:00Z", "Jul 1, 9:00 AM–12:00 PM"]]],
  ["Toronto", "ON", "M5H 2N2", "Eastern", [
    ["2026-03-08T06:00Z", "Mar 8, 1:00–5:00 AM"], // over the hour that is left out
    ["2026-11-01T05:00Z", "Nov 1, 1:00–3:00 AM"], // over the hour that comes twice
    ["2026-11-03T03:30Z", "Nov 2, 10:30 PM–Nov 3, 1:30 AM"]]],
  ["Kenora", "ON", "P9N 1A1", "Central", [
    ["2026-03-07T15:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-03-09T15:00Z", "Mar 9, 10:00 AM–1:00 PM"], ["2026-12-01T15:00Z", "Dec 1, 10:00 AM–1:00 PM"]]],
  ["Rankin Inlet", "NU", "X0C 0G0", "Central", [
    ["2026-03-07T15:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-03-09T15:00Z", "Mar 9, 10:00 AM–1:00 PM"],
    ["2026-10-31T15:00Z", "Oct 31, 10:00 AM–1:00 PM"], ["2026-11-02T15:00Z", "Nov 2, 9:00 AM–12:00 PM"]]],
  ["Regina", "SK", "S4P 3Y2", "Central", [["2026-03-07T15:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-07-01T15:00Z", "Jul 1, 9:00 AM–12:00 PM"]]],
  ["Lloydminster", "SK", "S9V 0A1", "Mountain", [
    ["2026-03-07T16:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-03-09T16:00Z", "Mar 9, 10:00 AM–1:00 PM"], ["2026-12-01T16:00Z", "Dec 1, 10:00 AM–1:00 PM"]]],
  ["Cranbrook", "BC", "v1c2h5", "Mountain", [
    ["2026-03-07T16:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-03-09T16:00Z", "Mar 9, 10:00 AM–1:00 PM"], ["2026-12-01T16:00Z", "Dec 1, 10:00 AM–1:00 PM"]]],
  ["Creston", "BC", "V0B 1G0", "Mountain", [
    ["2026-03-07T16:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-03-09T16:00Z", "Mar 9, 9:00 AM–12:00 PM"], ["2026-12-01T16:00Z", "Dec 1, 9:00 AM–12:00 PM"]]],
  ["Vancouver", "BC", "V6B 1A1", "Pacific", [
    ["2026-03-07T17:00Z", "Mar 7, 9:00 AM–12:00 PM"], ["2026-03-09T17:00Z", "Mar 9, 10:00 AM–1:00 PM"], ["2026-12-01T17:00Z", "Dec 1, 10:00 AM–1:00 PM"]]],
];

test("windows are those of the clocks of their place", () => {
  use("en", books.en);
  const differing = [];
  for (const [place, province, code, name, windows] of places) {
    for (const [start, want] of windows) {
      const end = new Date(Date.parse(start) + 3 * 3600000).toISOString();
      const [got, zone] = spaced(windowIn({ start, end }, zoneOf(province, code))).split(" · ");
      if (got !== want || !zone?.includes(name)) differing.push(`${place}, from ${start}: got ${got} · ${zone}, want ${want} · ${name}`);
    }
  }
  assert.deepEqual(differing, []);
});

test("windows are written in French", () => {
  use("fr", books.fr);
  const shown = spaced(windowIn({ start: "2026-03-09T12:30Z", end: "2026-03-09T15:30Z" }, zoneOf("NL", "A1C 5H1")));
  assert.equal(shown, "9 mars, 10 h 00–13 h 00 · heure de Terre-Neuve");
});
