// Creates an order of goods from stock.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client } from "@dropyard/client";

const client = Client.fromEnvironment();
const order = JSON.parse(await readFile("order.json", "utf8"));

order.partner_order_id = `A-${randomUUID()}`;
for await (const product of client.products()) {
  if (product.is_available) {
    order.items = [{ product_id: product.product_id, quantity: 1 }];
    break;
  }
}

const created = await client.createOrder(order);
for (const item of created.items ?? []) {
  console.log("created", created.order_id, "with", item.quantity, "x", item.name);
}
