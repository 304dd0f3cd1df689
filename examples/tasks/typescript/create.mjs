// Creates an order, and repeats the call as after a crash.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client } from "@dropyard/client";

const client = Client.fromEnvironment();
const order = JSON.parse(await readFile("order.json", "utf8"));

order.partner_order_id = `A-${randomUUID()}`; // your own number of the order, used once
const idempotencyKey = randomUUID(); // store it with your order before the call

const created = await client.createOrder(order, { idempotencyKey });
console.log("created", created.order_id, created.status);
const again = await client.createOrder(order, { idempotencyKey });
console.log("again", again.order_id);
