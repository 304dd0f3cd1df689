// Runs against the service at DROPYARD_URL, which must have been started with --simulate and
// --webhook-allow-insecure.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo } from "node:net";
import { createServer } from "node:http";
import { test } from "node:test";
import { Client, type OrderRequest, Service, hasCode, webhookListener } from "../src/index.js";

const baseURL = process.env["DROPYARD_URL"] ?? "";
const live = { skip: baseURL === "" && "DROPYARD_URL is not set" };

async function newClient(): Promise<Client> {
  const service = new Service(baseURL);
  const account = { email: `${crypto.randomUUID()}@example.com`, password: "seven maple trees" };
  await service.register({ name: "Épicerie Métro", ...account });
  return new Client(baseURL, await service.createAPIKey({ name: "tests", ...account }));
}

function newOrder(reference: string): OrderRequest {
  const window = { start: "2036-03-03T09:00:00-05:00", end: "2036-03-03T12:00:00-05:00" };
  const contact = { name: "Marcus Webb", phone: "+15195550177", email: "marcus@example.com", time_window: window };
  return {
    partner_order_id: reference,
    service_level: "express",
    reference: "sim:slow",
    pickup: {
      ...contact,
      address: {
        line1: "3575 avenue du Parc",
        city: "Montréal",
        province: "QC",
        postal_code: "H2X 3P9",
        country: "CA",
      },
    },
    dropoff: {
      ...contact,
      address: {
        line1: "41 King Street West",
        city: "Kitchener",
        province: "ON",
        postal_code: "N2G 1A1",
        country: "CA",
      },
    },
    parcels: [
      {
        parcel_id: "1",
        description: "Coffee beans",
        length_cm: 25,
        width_cm: 20,
        height_cm: 15,
        weight_kg: 1.1,
        value_cents: 3600,
      },
    ],
  };
}

test("from a quote to a delivered order with verified webhooks", live, async (t) => {
  const client = await newClient();
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const endpoint = await client.setWebhookEndpoint({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
  });
  const types: string[] = [];
  const delivered = new Promise<void>((resolve) => {
    server.on(
      "request",
      webhookListener(endpoint.secret!, (event) => {
        types.push(event.type);
        if (event.type === "order.delivered") {
          resolve();
        }
      }),
    );
  });
  const order = newOrder("EM-1");
  const quote = await client.createQuote(order);
  const created = await client.createOrder({ ...order, quote_id: quote.quote_id });
  assert.deepEqual([created.status, created.rate_cents], ["pending", quote.rate_cents]);
  await client.rotateWebhookSecret(); // during a rotation, events still verify with the old secret
  await delivered;
  assert.deepEqual(types, [
    "order.accepted",
    "courier.assigned",
    "order.picked_up",
    "order.in_transit",
    "order.out_for_delivery",
    "order.delivered",
  ]);
  assert.equal((await client.getOrder(created.order_id)).status, "delivered");
  assert.equal((await client.trackOrder(created.order_id)).status, "delivered");
  assert.match(await client.trackOrderPage(created.order_id, { lang: "fr" }), /<html lang="fr/);
  assert.equal(
    Buffer.from(await client.getLabel(created.order_id))
      .subarray(0, 5)
      .toString(),
    "%PDF-",
  );
  assert.deepEqual(await client.getLabels([created.order_id]), await client.getLabel(created.order_id));
  const logged = [];
  for await (const event of client.events({ limit: 4 })) logged.push(event.type);
  assert.deepEqual(logged.reverse(), types);
});

test("the same key creates the same order, and another refuses it", live, async () => {
  const client = await newClient();
  const options = { idempotencyKey: crypto.randomUUID() };
  const first = await client.createOrder(newOrder("EM-1"), options);
  let replayed: string | null = "";
  const again = await client.createOrder(newOrder("EM-1"), {
    ...options,
    onResponse: (response) => (replayed = response.headers.get("Idempotent-Replayed")),
  });
  assert.deepEqual([again.order_id, replayed], [first.order_id, "true"]);
  await assert.rejects(client.createOrder(newOrder("EM-1")), (error) => hasCode(error, "conflict"));
});

test("faults have their fields, and wrong secrets their reason", live, async () => {
  const client = await newClient();
  const order = newOrder("EM-1");
  order.dropoff.address.postal_code = "D2X 1Y4";
  order.parcels = [];
  const refused: unknown = await client.createOrder(order).catch((error: unknown) => error);
  assert.ok(hasCode(refused, "validation_error"));
  assert.deepEqual(
    refused.problems.map((problem) => problem.field),
    ["dropoff.address.postal_code", "parcels"],
  );
  const stranger = new Client(baseURL, { ...client.key, secret_key: "sk_wrong" });
  const unauthorized: unknown = await stranger.listOrders().catch((error: unknown) => error);
  assert.ok(hasCode(unauthorized, "unauthorized"));
  assert.equal(unauthorized.details?.reason, "signature_mismatch");
});

test("iterators and the feed", live, async () => {
  const client = await newClient();
  const feed = await client.feed();
  const batch = await client.createOrders(["EM-1", "EM-2", "EM-3", "EM-4", "EM-5"].map(newOrder));
  assert.deepEqual(
    batch.results.map((result) => result.status),
    [201, 201, 201, 201, 201],
  );
  const references = new Set<string>();
  for await (const order of client.orders({ limit: 2, offset: 1 })) references.add(order.partner_order_id);
  assert.equal(references.size, 4);
  for await (const event of feed) {
    assert.equal(event.type, "order.accepted");
    break;
  }
  for await (const product of client.products()) assert.fail(product.name);
  for await (const movement of client.movements()) assert.fail(movement.product_name);
  for await (const { path } of client.logs({ limit: 2 })) assert.match(path, /^\/v1\//); // written behind the answers
});

test("a session lists and revokes keys", live, async () => {
  const service = new Service(baseURL);
  const account = { email: `${crypto.randomUUID()}@example.com`, password: "seven maple trees" };
  await service.register({ name: "Épicerie Métro", ...account });
  const session = await service.login(account);
  const key = await session.createAPIKey({ name: "in a session" });
  assert.equal((await session.getMe()).email, account.email);
  assert.deepEqual(
    (await session.listAPIKeys()).api_keys.map((one) => one.key_id),
    [key.key_id],
  );
  assert.equal((await session.revokeAPIKey(key.key_id)).revoked, true);
  const invitation = { email: `${crypto.randomUUID()}@example.com`, role: "reader" } as const;
  const invited = await session.request("post", "/v1/team/invitations", { body: invitation });
  assert.equal(invited.email, invitation.email);
  await session.logout();
  await assert.rejects(session.getMe(), (error) => hasCode(error, "unauthorized"));
});
