import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { instant, zoneName } from "../assets/board/zone.js";
import { plain } from "dropyard/plain.js";
import { dollars, due, n, number, relative, shorten, span, t, use } from "dropyard/text.js";

// What the service writes, by language: see board_modules_test.go.
const { books, cases, folded } = JSON.parse(readFileSync(process.env.DROPYARD_TEXTS, "utf8"));
const writers = { count: (n_, key) => n(key, n_), number, dollars };

test("writes what the service writes", () => {
  for (const { language, writer, value, key, want } of cases) {
    use(language, books[language]);
    assert.equal(writers[writer](value, key), want, JSON.stringify({ language, writer, value, key }));
  }
});

test("folds as the service does", () => {
  for (const [text, want] of Object.entries(folded)) assert.equal(plain(text), want, text);
});

test("fills arguments in one pass, and refuses unknown phrases", () => {
  use("en", { a: "{x} and {y}, {z}" });
  assert.equal(t("a", { x: "{y}", y: "<b>" }), "{y} and <b>, {z}");
  assert.throws(() => t("b"), /there is no phrase "b"/);
});

test("says when something is due", () => {
  use("en", books.en);
  const now = Date.parse("2026-06-18T16:50:00Z");
  for (const [ms, want] of [[20 * 60000, "in 20 min"], [70 * 60000, "in 1 h 10"], [-12 * 60000, "late 12 min"]]) assert.equal(due(now + ms, now), want);
  assert.match(due(now + 30 * 3600000, now), /^tomorrow, \d/);
  assert.deepEqual([relative(now + 20 * 60000, now), relative(now - 12 * 60000, now)], ["in 20 min", "12 min ago"]);
  assert.equal(span(3599999), "1 h 00");
  assert.equal(shorten("ord_qggv0123456789edhr5"), "ord_qggv…edhr5");
});

// zone returns the clocks of a zone from the changes that the service knows, times in UTC and offsets in hours.
const zone = (name, ...shifts) => ({ name, shifts: shifts.map(([at, hours]) => [Date.parse(at) / 1000, hours * 3600]) });

const toronto = zone("America/Toronto", ["2026-01-01T00:00Z", -5], ["2026-03-08T07:00Z", -4], ["2026-11-01T06:00Z", -5]);
// The Vancouver of a browser whose data are older would set its clocks back on 1 November 2026.
const vancouver = zone("America/Vancouver", ["2026-01-01T00:00Z", -8], ["2026-03-08T10:00Z", -7]);
const stJohns = zone("America/St_Johns", ["2026-01-01T00:00Z", -3.5], ["2026-03-08T05:30Z", -2.5], ["2026-11-01T04:30Z", -3.5]);
const regina = zone("America/Regina", ["2026-01-01T00:00Z", -6]);

test("times are those of the zone's clock as the service knows it", () => {
  for (const [local, zone, want] of [
    ["2026-01-16T14:30", vancouver, "2026-01-16T22:30:00.000Z"],
    ["2026-12-16T14:30", vancouver, "2026-12-16T21:30:00.000Z"],
    ["2026-07-16T14:30", stJohns, "2026-07-16T17:00:00.000Z"],
    ["2026-12-16T14:30", stJohns, "2026-12-16T18:00:00.000Z"],
    ["2026-03-08T03:30", toronto, "2026-03-08T07:30:00.000Z"], // the first hour of summer time
    ["2026-11-01T00:30", toronto, "2026-11-01T04:30:00.000Z"], // the last of it
    ["2026-01-16T00:00", regina, "2026-01-16T06:00:00.000Z"],
    ["2025-12-31T12:00", regina, "2025-12-31T18:00:00.000Z"], // before the first change that is known
  ]) assert.equal(instant(local, zone).toISOString(), want, `${local} in ${zone.name}`);
  use("fr", books.fr);
  assert.match(zoneName(vancouver), /Pacifique/);
});
