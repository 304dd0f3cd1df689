import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { instant, zoneName } from "../assets/board/zone.js";
import { dollars, due, n, number, shorten, span, t, use } from "dropyard/text.js";

// What the service writes, by language: see board_modules_test.go.
const { books, cases } = JSON.parse(readFileSync(process.env.DROPYARD_TEXTS, "utf8"));
const writers = { count: (n_, key) => n(key, n_), number, dollars };

test("writes what the service writes", () => {
  for (const { language, writer, value, key, want } of cases) {
    use(language, books[language]);
    assert.equal(writers[writer](value, key), want, JSON.stringify({ language, writer, value, key }));
  }
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
  assert.equal(span(3599999), "1 h 00");
  assert.equal(shorten("ord_qggv0123456789edhr5"), "ord_qggv…edhr5");
});

test("times are those of the zone's clock", () => {
  for (const [local, zone, want] of [
    ["2026-01-16T14:30", "America/Vancouver", "2026-01-16T22:30:00.000Z"],
    ["2026-07-16T14:30", "America/St_Johns", "2026-07-16T17:00:00.000Z"],
    ["2026-03-08T03:30", "America/Toronto", "2026-03-08T07:30:00.000Z"], // the first hour of summer time
    ["2026-11-01T00:30", "America/Toronto", "2026-11-01T04:30:00.000Z"], // the last of it
    ["2026-01-16T00:00", "America/Regina", "2026-01-16T06:00:00.000Z"],
  ]) assert.equal(instant(local, zone).toISOString(), want, `${local} in ${zone}`);
  use("fr", books.fr);
  assert.match(zoneName("America/Vancouver"), /Pacifique/);
});
