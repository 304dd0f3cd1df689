// Registers a partner, and lets it order, list and cancel.
import { createHmac, randomUUID } from "node:crypto";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./openapi.js";

type Contact = components["schemas"]["Contact"];

const baseUrl = process.argv[2]!;
const account = { email: "typescript@example.com", password: "brume-et-vent-1907" };
const open = createClient<paths>({ baseUrl });

function expect<T>(what: string, answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${what}: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
  console.log(what, answer.response.status);
  return answer.data;
}

expect("register", await open.POST("/v1/auth/register", { body: { name: "TypeScript", ...account } }));
const key = expect("key", await open.POST("/v1/auth/api-keys", { body: { name: "generated", ...account } }));

const signing: Middleware = {
  async onRequest({ request }) {
    const timestamp = Math.floor(Date.now() / 1000).toString();
    const signature = createHmac("sha256", key.secret_key)
      .update(`${timestamp}\n${request.method}\n${new URL(request.url).pathname}\n`)
      .update(await request.clone().text())
      .digest("hex");
    request.headers.set("X-Api-Key", key.public_key);
    request.headers.set("X-Timestamp", timestamp);
    request.headers.set("X-Signature", `v1=${signature}`);
    return request;
  },
};
const client = createClient<paths>({ baseUrl });
client.use(signing);

const contact = (name: string, city: string, province: "QC" | "ON", postal_code: string): Contact => ({
  name,
  phone: "+15145550100",
  email: "shop@example.com",
  address: { line1: "1 Main Street", city, province, postal_code, country: "CA" },
  time_window: { start: "2036-03-03T09:00:00-05:00", end: "2036-03-03T12:00:00-05:00" },
});
const order: components["schemas"]["OrderRequest"] = {
  partner_order_id: "T-1",
  service_level: "standard",
  pickup: contact("Shop", "Montréal", "QC", "H2X 1Y4"),
  dropoff: contact("Customer", "Toronto", "ON", "M5V 2T6"),
  parcels: [{ parcel_id: "P1", description: "Beans", length_cm: 25, width_cm: 20, height_cm: 15, weight_kg: 1.1, value_cents: 3600 }],
  metadata: { channel: "web" },
};
const quote = expect("quote", await client.POST("/v1/rates/quote", { body: order }));
const params = () => ({ header: { "Idempotency-Key": randomUUID() } });
const created = expect("create", await client.POST("/v1/orders", { params: params(), body: { ...order, quote_id: quote.quote_id } }));
const page = expect("list", await client.GET("/v1/orders", { params: { query: { limit: 10 } } }));
if (page.orders[0]?.order_id !== created.order_id || created.status_history[0]?.status !== "pending") {
  throw new Error("the order is not in the list");
}
const cancelled = expect("cancel", await client.POST("/v1/orders/{order_id}/cancel", {
  params: { path: { order_id: created.order_id }, ...params() },
  body: { reason: "changed my mind" },
}));
if (cancelled.cancellation_reason !== "changed my mind") {
  throw new Error("the reason got lost");
}

const refused = await client.POST("/v1/orders", { params: params(), body: { ...order, partner_order_id: "T-2", parcels: [] } });
if (refused.error?.error.code !== "validation_error") {
  throw new Error("an order without parcels was not refused");
}
console.log("refused", refused.response.status, refused.error.error.details.errors[0]?.field);
