// Asks for the price of a delivery.
import { readFile } from "node:fs/promises";
import { Client } from "@dropyard/client";

const { DROPYARD_URL = "", DROPYARD_KEY = "", DROPYARD_SECRET = "" } = process.env;
const client = new Client(DROPYARD_URL, { public_key: DROPYARD_KEY, secret_key: DROPYARD_SECRET });
const order = JSON.parse(await readFile("order.json", "utf8"));

const quote = await client.createQuote(order);
console.log(`${(quote.rate_cents / 100).toFixed(2)} ${quote.currency}, by ${quote.estimated_delivery}`);
