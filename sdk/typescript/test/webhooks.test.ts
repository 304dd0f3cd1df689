import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo } from "node:net";
import { createServer, request } from "node:http";
import { test } from "node:test";
import {
  WebhookError,
  type WebhookEvent,
  type WebhookSecret,
  newWebhookSecret,
  signWebhook,
  verifyDropSignature,
  verifyWebhook,
  webhookHandler,
  webhookListener,
} from "../src/index.js";

const secret = newWebhookSecret();
const body = '{"id":"01a1fd87-4795-75e2-b4c2-de80bc41850d","type":"order.cancelled","data":{"order_id":"ord_1"}}';

function standard(key: string, timestamp: string, text: string): string {
  const digest = createHmac("sha256", Buffer.from(key.slice(6), "base64")).update(`1.${timestamp}.${text}`);
  return `v1,${digest.digest("base64")}`;
}

/** Returns the headers of a webhook that was sent some seconds ago. During a rotation there are two secrets. */
function headers(text = body, secrets = [secret], age = 0): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000 - age).toString();
  return {
    "drop-event-id": "1",
    "drop-signature": `v1=${createHmac("sha256", secrets.at(-1)!).update(text).digest("hex")}`,
    "webhook-id": "1",
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((one) => standard(one, timestamp, text)).join(" "),
  };
}

function without(given: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}

const rotated = newWebhookSecret();
const cases: Record<
  string,
  { headers: Record<string, string>; body?: string; secret?: WebhookSecret; status: number }
> = {
  signed: { headers: headers(), status: 200 },
  "signed as bytes of UTF-8": { headers: headers('{"id":"1","type":"é"}'), body: '{"id":"1","type":"é"}', status: 200 },
  "rotation, the old secret known": { headers: headers(body, [rotated, secret]), status: 200 },
  "rotation, the new secret known": { headers: headers(body, [rotated, secret]), secret: rotated, status: 200 },
  "rotation, both known, signed with the new": {
    headers: headers(body, [rotated]),
    secret: [secret, rotated],
    status: 200,
  },
  "Drop-Signature only": { headers: without(headers(), "webhook-signature"), status: 401 },
  "almost 5 minutes old": { headers: headers(body, [secret], 295), status: 200 },
  "6 minutes old": { headers: headers(body, [secret], 360), status: 401 },
  "6 minutes early": { headers: headers(body, [secret], -360), status: 401 },
  "another secret": { headers: headers(body, [rotated]), status: 401 },
  unsigned: { headers: {}, status: 401 },
  changed: { headers: headers(), body: `${body} `, status: 401 },
  "another id": { headers: { ...headers(), "webhook-id": "2" }, status: 401 },
  "another time": { headers: { ...headers(), "webhook-timestamp": "1767225600" }, status: 401 },
  "no time": { headers: without(headers(), "webhook-timestamp"), status: 401 },
  "a time that is not a number": { headers: { ...headers(), "webhook-timestamp": "1e9" }, status: 401 },
  "no id": { headers: without(headers(), "webhook-id"), status: 401 },
  "no secret": { headers: headers(), secret: "", status: 500 },
  "no secrets": { headers: headers(), secret: [], status: 401 },
  "a secret of another form": { headers: headers(), secret: "whsec_short", status: 500 },
  "not JSON": { headers: headers("{"), body: "{", status: 400 },
  "not an event": { headers: headers('{"id":"1"}'), body: '{"id":"1"}', status: 400 },
  null: { headers: headers("null"), body: "null", status: 400 },
};

for (const [name, given] of Object.entries(cases)) {
  test(`webhookHandler: ${name}`, async () => {
    const events: WebhookEvent[] = [];
    const handler = webhookHandler(given.secret ?? secret, (event) => void events.push(event));
    const sent = given.body ?? body;
    const response = await handler(
      new Request("http://shop.test/hooks", { method: "POST", headers: given.headers, body: sent }),
    );
    assert.equal(response.status, given.status);
    assert.deepEqual(events, given.status === 200 ? [JSON.parse(sent)] : []);
  });
}

interface Vector {
  name: string;
  valid: boolean;
  secret: string;
  now: number;
  body: string;
  headers: Record<string, string>;
}

test("verifyWebhook accepts and refuses what the vectors say", () => {
  const file = new URL("../../test/signature_vectors.json", import.meta.url);
  for (const known of (JSON.parse(readFileSync(file, "utf8")) as { webhooks: Vector[] }).webhooks) {
    const verify = () => verifyWebhook(known.secret, known.headers, known.body, known.now * 1000);
    if (known.valid) {
      assert.doesNotThrow(verify, known.name);
    } else {
      assert.throws(verify, WebhookError, known.name);
    }
  }
});

test("verifyWebhook reads headers in any form", () => {
  const given = headers();
  const capitals = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const form of [given, new Headers(given), capitals]) {
    assert.equal(verifyWebhook(secret, form, Buffer.from(body)).type, "order.cancelled");
  }
  assert.throws(() => verifyWebhook(secret, given, body, Date.now() + 360_000), WebhookError);
});

test("a receiver answers 500 if the event is not handled, without the reason", async () => {
  const handler = webhookHandler(secret, () => Promise.reject(new Error("hushhush")));
  const response = await handler(new Request("http://shop.test/hooks", { method: "POST", headers: headers(), body }));
  assert.equal(response.status, 500);
  assert.ok(!(await response.text()).includes("hushhush"));
});

test("webhookListener answers requests of node:http", async (t) => {
  const events: WebhookEvent[] = [];
  const server = createServer(webhookListener(secret, (event) => void events.push(event))).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const long = `{"id":"1","type":"${"x".repeat(1 << 20)}"}`;
  const post = { method: "POST", headers: headers(), body };
  assert.equal((await fetch(url, post)).status, 200);
  assert.equal((await fetch(url, { ...post, body: `${body} ` })).status, 401);
  assert.equal((await fetch(url, { ...post, headers: headers(long), body: long })).status, 413);
  const interrupted = request(url, { method: "POST", headers: { "Content-Length": "100" } }).on("error", () => {});
  interrupted.write("{", () => interrupted.destroy());
  await new Promise((resolve) => interrupted.on("close", resolve));
  const got = await fetch(url);
  assert.deepEqual([got.status, got.headers.get("Allow")], [405, "POST"]);
  assert.deepEqual(events, [JSON.parse(body)]);
});

test("webhookListener verifies what express.raw() has read, and refuses what another parser has", async (t) => {
  const events: WebhookEvent[] = [];
  const listener = webhookListener(secret, (event) => void events.push(event));
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const read = Buffer.concat(chunks);
    const parsed = { "/raw": read, "/json": JSON.parse(read.toString()) as unknown }[request.url ?? ""];
    await listener(Object.assign(request, { body: parsed }), response);
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = { method: "POST", headers: headers(), body };
  assert.equal((await fetch(`${url}/raw`, post)).status, 200);
  assert.equal((await fetch(`${url}/raw`, { ...post, body: `${body} ` })).status, 401);
  const parsed = await fetch(`${url}/json`, post);
  assert.equal(parsed.status, 500);
  assert.match(await parsed.text(), /mount webhookListener before it/);
  assert.deepEqual(events, [JSON.parse(body)]);
});

test("signWebhook signs as the service does", () => {
  const own = newWebhookSecret();
  const signed = signWebhook(own, "1", body);
  assert.equal(verifyWebhook(own, signed, body).type, "order.cancelled");
  assert.ok(verifyDropSignature(own, body, signed["drop-signature"]!));
  assert.throws(() => verifyWebhook(newWebhookSecret(), signed, body), WebhookError);
  assert.throws(() => verifyWebhook(own, signed, body, Date.now() + 360_000), WebhookError);
});
