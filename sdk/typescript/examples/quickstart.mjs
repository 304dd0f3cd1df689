// From a new account to a delivered order, whose webhooks are verified. The service must
// move orders by itself and may send webhooks to this machine:
//
//	dropyard serve --simulate --simulate-pace 100ms --webhook-allow-insecure
import { once } from "node:events";
import { createServer } from "node:http";
import { Client, Service, hasCode, webhookListener } from "@dropyard/client";

const baseURL = process.env.DROPYARD_URL ?? "http://127.0.0.1:8080";

// Once: an account and an API key. Store the secret key; it is shown only here.
const service = new Service(baseURL);
const account = { email: `shop-${Date.now()}@example.com`, password: "seven maple trees" };
await service.register({ name: "Épicerie Métro", ...account });
const key = await service.createAPIKey({ name: "first order", ...account });
const client = new Client(baseURL, key);

// Once: an endpoint for webhooks, here on any free port. Store its secret, too.
const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const endpoint = await client.setWebhookEndpoint({ url: `http://127.0.0.1:${server.address().port}/hooks` });
const delivered = new Promise((resolve) => {
  server.on(
    "request",
    webhookListener(endpoint.secret, (event) => {
      console.log("verified", event.type); // in production, store it under event.id
      if (event.type === "order.delivered") {
        resolve(event);
      }
    }),
  );
});

// For each delivery: a quote if the price matters, and the order.
const hours = (n) => new Date(Date.now() + n * 3600_000).toISOString();
const order = {
  partner_order_id: "A-1",
  service_level: "express",
  reference: "sim:slow", // the simulation then delivers without a failed attempt
  pickup: {
    name: "Épicerie Métro",
    phone: "+15145550100",
    email: account.email,
    address: { line1: "4000 rue Saint-Denis", city: "Montréal", province: "QC", postal_code: "H2W 2M5", country: "CA" },
    time_window: { start: hours(24), end: hours(27) },
  },
  dropoff: {
    name: "Alex Martin",
    phone: "+14165550123",
    email: "alex@example.org",
    address: { line1: "100 Queen St W", city: "Toronto", province: "ON", postal_code: "M5H 2N2", country: "CA" },
    time_window: { start: hours(48), end: hours(72) },
  },
  parcels: [
    {
      parcel_id: "P-1",
      description: "Books",
      length_cm: 30,
      width_cm: 20,
      height_cm: 10,
      weight_kg: 2.5,
      value_cents: 4500,
    },
  ],
};
const quote = await client.createQuote(order);
const created = await client.createOrder({ ...order, quote_id: quote.quote_id });
console.log("created", created.order_id, "for", created.rate_cents / 100, created.currency);

// All faults of a request are in one error, by field.
try {
  await client.createOrder({ ...order, parcels: [] });
} catch (error) {
  if (!hasCode(error, "validation_error")) {
    throw error;
  }
  console.log("refused", error.problems.map((problem) => problem.field).join(", "));
}

await delivered;
for await (const listed of client.orders({ limit: 10 })) {
  console.log(listed.partner_order_id, listed.status, listed.tracking_url);
}
server.close();
