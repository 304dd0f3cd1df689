// Asks for the price of a delivery.
import { readFile } from "node:fs/promises";
import { Client } from "@dropyard/client";

const client = Client.fromEnvironment();
const order = JSON.parse(await readFile("order.json", "utf8"));

const quote = await client.createQuote(order);
console.log(`${(quote.rate_cents / 100).toFixed(2)} ${quote.currency}, by ${quote.estimated_delivery}`);
