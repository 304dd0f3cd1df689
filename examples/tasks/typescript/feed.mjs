// Follows the events of orders on a machine that webhooks cannot reach.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client } from "@dropyard/client";

const client = Client.fromEnvironment();
const order = JSON.parse(await readFile("order.json", "utf8"));

const events = await client.feed(); // from now on

order.partner_order_id = `A-${randomUUID()}`;
const created = await client.createOrder(order);
await client.cancelOrder(created.order_id);

for await (const event of events) { // waits for the next one
  if (!("order_id" in event.data)) {
    continue; // a statement, for example, is about no order
  }
  console.log(event.type, event.data.order_id);
  if (event.type === "order.cancelled" && event.data.order_id === created.order_id) {
    break;
  }
}
