import assert from "node:assert/strict";
import { test } from "node:test";
import { use } from "dropyard/text.js";
import { nameOf, textOf } from "../assets/courier/changes.js";

use("en", {
  "courier.field.name": "Name", "courier.field.phone": "Phone", "courier.field.line1": "Street", "courier.field.line2": "Unit", "courier.field.city": "City",
  "courier.field.province": "Province", "courier.field.postal_code": "Postal code", "courier.field.country": "Country", "courier.field.notes": "Notes",
  "courier.field.time_window": "Window", "courier.field.parcels": "Parcels", "courier.field.cod": "Cash", "courier.field.instructions": "Instructions",
  "courier.changed.pickup": "Pickup: {field}", "courier.changed.dropoff": "Delivery: {field}",
});

const address = { line1: "100 Queen St W", city: "Toronto", province: "ON", postal_code: "M5H 2N2", country: "CA" };
const job = /** @type {any} */ ({ order_id: "a", stop: { kind: "dropoff", address } });

test("a field is named with its end where that is not the next stop", () => {
  assert.equal(nameOf(job, "dropoff.address.line1"), "Street");
  assert.equal(nameOf(job, "pickup.phone"), "Pickup: Phone");
  assert.equal(nameOf({ ...job, stop: { ...job.stop, kind: "pickup" } }, "dropoff.time_window"), "Delivery: Window");
  assert.equal(nameOf(job, "cod"), "Cash");
  assert.equal(nameOf(job, "a.field.of.tomorrow"), "tomorrow");
});

test("values of all kinds become texts", () => {
  for (const [field, value, want] of [
    ["dropoff.phone", "+14165550199", "416 555-0199"], ["dropoff.address.postal_code", "m5h2n2", "M5H 2N2"],
    ["dropoff.address.line2", null, ""], ["dropoff.address.notes", "Ring twice", "Ring twice"],
    ["cod", { amount_cents: 4999, currency: "CAD" }, "$49.99"], ["cod", { amount_cents: 0, currency: "CAD" }, ""], ["cod", null, ""],
    ["parcels", [{ description: "Books", weight_kg: 2.5 }, { description: "Lamp", weight_kg: 1 }], "Books (2.5 kg), Lamp (1 kg)"],
  ]) assert.equal(textOf(job, field, value, 0), want, field);
});
