// Reads an order.
import { Client } from "@dropyard/client";

const { DROPYARD_URL = "", DROPYARD_KEY = "", DROPYARD_SECRET = "" } = process.env;
const client = new Client(DROPYARD_URL, { public_key: DROPYARD_KEY, secret_key: DROPYARD_SECRET });

const order = await client.getOrder(process.argv[2] ?? "");
console.log(order.order_id, order.status, order.estimated_delivery);
for (const change of order.status_history) {
  console.log(change.timestamp, change.status);
}
