import assert from "node:assert/strict";
import { test } from "node:test";
import { mapOf } from "../assets/courier/maps.js";

test("phones open an address in their own app for maps", () => {
  const address = { line1: "100 Queen St W, Unit 4", city: "Montréal", province: "QC", postal_code: "M5H 2N2", country: "CA" };
  const query = "100%20Queen%20St%20W%2C%20Unit%204%2C%20Montr%C3%A9al%2C%20QC%20M5H%202N2%2C%20CA";
  assert.deepEqual(mapOf(address, false), { href: `geo:0,0?q=${query}` });
  assert.deepEqual(mapOf(address, true), { href: `https://maps.apple.com/?q=${query}`, target: "_blank", rel: "noreferrer" }, "the app stays open beside it");
});
