// Reads an order.
import { Client } from "@dropyard/client";

const client = Client.fromEnvironment();

const orderId = process.argv[2];
if (orderId === undefined) throw new Error("usage: node read.mjs ORDER_ID");
const order = await client.getOrder(orderId);
console.log(order.order_id, order.status, order.estimated_delivery);
for (const change of order.status_history) {
  console.log(change.timestamp, change.status);
}
