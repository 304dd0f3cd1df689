import assert from "node:assert/strict";
import { test } from "node:test";
import { use } from "dropyard/text.js";

use("en", {});
const { bounds } = await import("../assets/courier/signature.js");

test("bounds holds all strokes, with a margin", () => {
  const strokes = [{ points: [{ x: 20.4, y: 30 }, { x: 60, y: 35 }] }, { points: [{ x: 40, y: 90.2 }] }];
  assert.deepEqual(bounds(strokes), { x: 8, y: 18, width: 64, height: 85 });
});
