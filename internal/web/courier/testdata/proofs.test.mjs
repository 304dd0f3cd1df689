import assert from "node:assert/strict";
import { test } from "node:test";
import { match, missing } from "../assets/courier/codes.js";
import { fit } from "dropyard/photo.js";

const id = (letter) => `ord_${letter.repeat(32)}`;
const job = (letter, ...parcels) => ({ order_id: id(letter), stop: { name: letter }, parcels });
const one = job("a", { parcel_id: "P-1", label: "BC-1", barcode: "BC-1" }, { parcel_id: "P-2", label: "P-2" });
const two = job("b", { parcel_id: "P-1", label: "0".repeat(52) }, { parcel_id: "BC-1", label: "X" });
const jobs = [one, two];

test("match finds parcels by label, barcode and parcel_id, and orders by their QR code", () => {
  for (const [code, ...want] of [
    ["P-2", [one, 2]],
    [" P-2\n", [one, 2]],
    ["0".repeat(52), [two, 1]],
    ["BC-1", [one, 1], [two, 2]],
    ["P-1", [one, 1], [two, 1]],
    [id("b"), [two, null]],
    [`https://dropyard.example/track/${id("a")}`, [one, null]],
    [`https://other.example/sub/track/${id("a")}/html?lang=fr`, [one, null]],
    [`https://dropyard.example/track/${id("c")}`],
    ["p-2"],
    ["P-3"],
    [id("b").toUpperCase(), [two, null]],
    [`HTTPS://DROPYARD.EXAMPLE/TRACK/${id("a").toUpperCase()}`, [one, null]],
    [`https:ééother.exampleétracké${id("a")}`, [one, null]],
    ["]C1BC-1", [one, 1], [two, 2]],
    ["]C1P-2\r", [one, 2]],
    [""],
  ]) {
    assert.deepEqual(match(jobs, code).map((found) => [found.job, found.place]), want, JSON.stringify(code));
  }
});

test("match prefers the label of a parcel to the parcel_id of another", () => {
  const mixed = job("c", { parcel_id: "7", label: "8" }, { parcel_id: "8", label: "9" });
  assert.deepEqual(match([mixed], "8"), [{ job: mixed, place: 1 }]);
});

test("missing leaves out the parcels that were scanned", () => {
  assert.deepEqual(missing(one, [1]), [one.parcels[1]]);
  assert.deepEqual(missing(one, [2, 1]), []);
});

test("fit keeps the proportions, and enlarges nothing", () => {
  for (const [width, height, want] of [
    [4000, 3000, [2048, 1536]], [3000, 4000, [1536, 2048]], [2048, 10, [2048, 10]], [640, 480, [640, 480]], [8000, 1, [2048, 1]],
  ]) {
    assert.deepEqual(Object.values(fit(width, height)), want, `${width}x${height}`);
  }
});
