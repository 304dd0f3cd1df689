// Writes the labels of an order to a file.
import { writeFile } from "node:fs/promises";
import { Client } from "@dropyard/client";

const { DROPYARD_URL = "", DROPYARD_KEY = "", DROPYARD_SECRET = "" } = process.env;
const client = new Client(DROPYARD_URL, { public_key: DROPYARD_KEY, secret_key: DROPYARD_SECRET });

const label = await client.getLabel(process.argv[2] ?? "");
await writeFile("label.pdf", label);
console.log("wrote label.pdf");
