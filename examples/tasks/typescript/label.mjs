// Writes the labels of an order to a file.
import { writeFile } from "node:fs/promises";
import { Client } from "@dropyard/client";

const client = Client.fromEnvironment();

const orderId = process.argv[2];
if (orderId === undefined) throw new Error("usage: node label.mjs ORDER_ID");
const label = await client.getLabel(orderId);
await writeFile("label.pdf", label);
console.log("wrote label.pdf");
