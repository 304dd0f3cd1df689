import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sign, signature, signing, verifyDropSignature } from "../src/index.js";

interface Vectors {
  secret_key: string;
  webhook_secret: string;
  requests: {
    name: string;
    timestamp: string;
    method: string;
    path: string;
    query: string;
    body: string;
    signature: string;
  }[];
  events: { name: string; body: string; drop_signature: string }[];
}

// The package's directory; the tests run in build/test.
const vectors = JSON.parse(
  readFileSync(new URL("../../test/signature_vectors.json", import.meta.url), "utf8"),
) as Vectors;

test("signatures are those of the vectors", () => {
  for (const known of vectors.requests) {
    const got = signature(vectors.secret_key, known.timestamp, known.method, known.path, known.body);
    assert.equal(got, known.signature, known.name);
  }
  for (const known of vectors.events) {
    assert.ok(verifyDropSignature(vectors.webhook_secret, known.body, known.drop_signature), known.name);
    assert.ok(!verifyDropSignature(vectors.webhook_secret, known.body + " ", known.drop_signature), known.name);
    assert.ok(!verifyDropSignature("", known.body, known.drop_signature), known.name);
    assert.ok(!verifyDropSignature(vectors.webhook_secret, known.body, ""), known.name);
  }
});

test("requests are signed as the vectors are, and keep their bodies", async (t) => {
  for (const known of vectors.requests) {
    t.mock.timers.enable({ apis: ["Date"], now: Number(known.timestamp) * 1000 + 999 });
    const query = known.query && `?${known.query}`;
    const init = known.method === "GET" ? {} : { body: known.body };
    const request = new Request(`http://service.test${known.path}${query}`, { method: known.method, ...init });
    const signed = await sign(request, { public_key: "pk_1", secret_key: vectors.secret_key });
    assert.equal(signed.headers.get("X-Signature"), known.signature, known.name);
    assert.equal(signed.headers.get("X-Timestamp"), known.timestamp, known.name);
    assert.equal(signed.headers.get("X-Api-Key"), "pk_1", known.name);
    assert.equal(await signed.text(), known.body, known.name);
    t.mock.timers.reset();
  }
});

test("the middleware signs", async () => {
  const request = new Request("http://service.test/v1/orders");
  const signed = await signing({ public_key: "pk_1", secret_key: "sk_1" }).onRequest({ request });
  assert.match(signed.headers.get("X-Signature") ?? "", /^v1=[0-9a-f]{64}$/);
});
