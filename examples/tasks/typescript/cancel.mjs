// Cancels an order.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client } from "@dropyard/client";

const client = Client.fromEnvironment();
const order = JSON.parse(await readFile("order.json", "utf8"));

order.partner_order_id = `A-${randomUUID()}`;
const created = await client.createOrder(order);

const cancelled = await client.cancelOrder(created.order_id, { reason: "the customer changed their mind" });
console.log(cancelled.order_id, cancelled.status);
