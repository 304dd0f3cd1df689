import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sign, signature, signatureV2, signing, verifyDropSignature } from "../src/index.js";

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

interface VectorsV2 {
  secret_key: string;
  requests: {
    name: string;
    timestamp: string;
    method: string;
    path: string;
    query: string;
    idempotency_key: string;
    content_type: string;
    nonce: string;
    body: string;
    signature: string;
  }[];
}

const second = JSON.parse(
  readFileSync(new URL("../../test/signature_vectors_v2.json", import.meta.url), "utf8"),
) as VectorsV2;

test("signatures of version 2 are those of the vectors", () => {
  for (const { idempotency_key: idempotencyKey, content_type: contentType, ...known } of second.requests) {
    const got = signatureV2(second.secret_key, { ...known, idempotencyKey, contentType });
    assert.equal(got, known.signature, known.name);
  }
});

test("requests are signed with version 2 as the vectors are, with a nonce of their own", async (t) => {
  for (const known of second.requests) {
    t.mock.timers.enable({ apis: ["Date"], now: Number(known.timestamp) * 1000 });
    const headers: Record<string, string> = {};
    if (known.idempotency_key) headers["Idempotency-Key"] = known.idempotency_key;
    if (known.content_type) headers["Content-Type"] = known.content_type;
    const init = known.body ? { body: Buffer.from(known.body) } : {};
    const query = known.query && `?${known.query}`;
    const request = new Request(`http://service.test${known.path}${query}`, { method: known.method, headers, ...init });
    const key = { public_key: "pk_1", secret_key: second.secret_key };
    const signed = await sign(request, key, "v2");
    const nonce = signed.headers.get("X-Nonce") ?? "";
    assert.match(nonce, /^[!-~]{16,64}$/, known.name);
    const want = signatureV2(second.secret_key, {
      ...known,
      idempotencyKey: known.idempotency_key,
      contentType: known.content_type,
      nonce,
    });
    assert.equal(signed.headers.get("X-Signature"), want, known.name);
    assert.equal(await signed.text(), known.body, known.name);
    t.mock.timers.reset();
  }
});

test("the middleware signs", async () => {
  const request = new Request("http://service.test/v1/orders");
  const signed = await signing({ public_key: "pk_1", secret_key: "sk_1" }).onRequest({ request });
  assert.match(signed.headers.get("X-Signature") ?? "", /^v1=[0-9a-f]{64}$/);
});
