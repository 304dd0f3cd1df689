// A small shop: a quote, an order from stock, its label, a refusal, a cancellation, and a
// webhook. The README above this folder says how to run it.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, hasCode, webhookListener, type OrderRequest } from "@dropyard/client";

const shop = Client.fromEnvironment();

// An endpoint in place of the one before, with a new secret. In production it is behind https.
const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
await shop.deleteWebhookEndpoint().catch((error: unknown) => {
  if (!hasCode(error, "not_found")) throw error;
});
const endpoint = await shop.setWebhookEndpoint({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` });
const cancelled = new Promise<void>((resolve) => {
  server.on("request", webhookListener(endpoint.secret ?? "", (event) => {
    if (event.type === "order.cancelled") resolve(); // in production, store each under event.id
  }));
});

const order: OrderRequest = { ...JSON.parse(await readFile("order.json", "utf8")), partner_order_id: randomUUID() };

const { service_level, pickup, dropoff, parcels } = order;
const quote = await shop.createQuote({ service_level, pickup, dropoff, parcels });
console.log(`${(quote.rate_cents / 100).toFixed(2)} ${quote.currency}, by ${quote.estimated_delivery}`);

const created = await shop.createOrder({ ...order, quote_id: quote.quote_id }); // at this price
for (const item of created.items ?? []) {
  console.log(`ordered ${created.order_id}: ${item.quantity} x ${item.name}`);
}

await writeFile("label.pdf", await shop.getLabel(created.order_id));
console.log("wrote label.pdf");

try {
  await shop.createOrder({ ...order, partner_order_id: randomUUID(), parcels: [] });
} catch (error) {
  if (!hasCode(error, "validation_error")) throw error;
  for (const problem of error.problems) console.log(`refused: ${problem.field}: ${problem.expected}`);
}

await shop.cancelOrder(created.order_id, { reason: "the customer changed their mind" });
console.log("cancelled", created.order_id);

await cancelled;
console.log("received order.cancelled of", created.order_id);
server.close();
server.closeAllConnections();
