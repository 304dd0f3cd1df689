import assert from "node:assert/strict";
import { test } from "node:test";
import { use } from "dropyard/text.js";
import { whyNot } from "../assets/courier/waiting.js";

test("each refusal says why", () => {
  use("en", {
    "courier.refused.too_large": "too large", "courier.refused.gone": "gone", "courier.refused.too_old": "too old", "courier.refused.too_early": "too early",
    "courier.refused.cancelled": "cancelled", "courier.refused.cancelled.delivered": "cancelled before the delivery", "courier.refused.given": "given to {name}", "courier.refused.other": "not accepted: {text}",
  });
  for (const [refusal, want] of [
    [{ status: 413, code: "", message: "" }, "too large"], // of a proxy
    [{ status: 413, code: "too_large", message: "at most 5 MiB" }, "too large"],
    [{ status: 404, code: "not_found", message: "no such order" }, "gone"],
    [{ status: 422, code: "too_old", message: "" }, "too old"],
    [{ status: 422, code: "too_early", message: "" }, "too early"],
    [{ status: 422, code: "validation_error", message: "it is not a picture" }, "not accepted: it is not a picture"],
    [{ status: 409, code: "conflict", message: "", details: { status: "cancelled" } }, "cancelled"],
    [{ status: 409, code: "conflict", message: "", details: { status: "cancelled" }, act: { status: "delivered" } }, "cancelled before the delivery"],
    [{ status: 409, code: "conflict", message: "", details: { status: "courier_assigned", courier: { name: "Marc" } } }, "given to Marc"],
    [{ status: 409, code: "invalid_transition", message: "", details: undefined }, "not accepted: invalid_transition"],
  ]) {
    assert.equal(whyNot(/** @type {any} */ (refusal), 0), want, JSON.stringify(refusal));
  }
});
