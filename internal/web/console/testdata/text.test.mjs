import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { hourOf, instant, timesIn, windowIn, zoneName } from "dropyard/zone.js";
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
  for (const [ms, want] of [[20 * 60000, "in 20 min"], [70 * 60000, "in 1 h 10"], [-12 * 60000, "12 min late"]]) assert.equal(due(now + ms, now), want);
  assert.match(due(now + 30 * 3600000, now), /^tomorrow, \d/);
  assert.deepEqual([relative(now + 20 * 60000, now), relative(now - 12 * 60000, now)], ["in 20 min", "12 min ago"]);
  assert.equal(span(3599999), "1 h 00");
  assert.equal(shorten("ord_qggv0123456789edhr5"), "ord_qggv…edhr5");
});

// zone returns the clocks of a zone from the changes that the service knows, times in UTC and offsets in hours.
const zone = (name, ...shifts) => ({ name, shifts: shifts.map(([at, hours, abbreviation]) => [Date.parse(at) / 1000, hours * 3600, abbreviation]) });

const toronto = zone("America/Toronto", ["2026-01-01T00:00Z", -5], ["2026-03-08T07:00Z", -4], ["2026-11-01T06:00Z", -5]);
// The Vancouver of a browser whose data are older would set its clocks back on 1 November 2026.
const vancouver = zone("America/Vancouver", ["2026-01-01T00:00Z", -8], ["2026-03-08T10:00Z", -7]);
const stJohns = zone("America/St_Johns", ["2026-01-01T00:00Z", -3.5], ["2026-03-08T05:30Z", -2.5, "NDT"], ["2026-11-01T04:30Z", -3.5, "NST"]);
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

test("windows are on the clocks of their place, in the form of all pages", () => {
  use("en", books.en);
  const window = { start: "2026-06-18T15:00:00Z", end: "2026-06-18T18:00:00Z" };
  assert.equal(windowIn(window, stJohns).replace(/\s/g, " "), "Jun 18, 12:30 – 3:30 PM · Newfoundland Time");
  use("fr", books.fr);
  assert.equal(windowIn({ ...window, start: "2026-06-18T11:35:00Z" }, stJohns).replace(/\s/g, " "), "18 juin, 9 h 05 – 15 h 30 · heure de Terre-Neuve");
});

test("times name the zone where the reader's clocks show another time", () => {
  use("en", books.en);
  const now = Date.parse("2026-06-18T16:50:00Z"), hour = 3600000, away = timesIn(stJohns), plain = (text) => text.replace(/\s/g, " ");
  assert.equal(plain(away.time(now + hour, now)), "3:20 PM NDT");
  assert.equal(plain(away.range(now, now + 2 * hour, now)), "2:20 – 4:20 PM NDT");
  assert.equal(plain(away.range(now, now + 10 * hour, now)), "2:20 PM – tomorrow, 12:20 AM NDT");
  assert.equal(plain(away.range(now + 24 * hour, now + 25 * hour, now)), "tomorrow, 2:20 PM – 3:20 PM NDT");
  assert.equal(plain(away.moment(now + 10 * hour, now)), "tomorrow, 12:20 AM NDT"); // today in Toronto
  assert.deepEqual([away.isToday(now, now), away.isToday(now + 10 * hour, now)], [true, false]);
  const own = timesIn({ name: "here", shifts: [] }); // the document does not know the place
  assert.doesNotMatch(own.time(now, now), /NDT|undefined/);
});

test("an hour is on the clocks of the zone", () => {
  const evening = Date.parse("2026-06-19T01:00:00Z"); // 22:30 of the 18th in St. John's
  assert.equal(new Date(hourOf(evening, 0, 18, stJohns)).toISOString(), "2026-06-18T20:30:00.000Z");
  assert.equal(new Date(hourOf(evening, 1, 9, stJohns)).toISOString(), "2026-06-19T11:30:00.000Z");
});
