// Handles the errors of a call.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client, DropyardError, NoAnswerError, hasCode } from "@dropyard/client";

const client = Client.fromEnvironment();
const order = JSON.parse(await readFile("order.json", "utf8"));

order.partner_order_id = `A-${randomUUID()}`;
order.parcels[0].weight_kg = 71; // too heavy
const idempotencyKey = randomUUID();

try {
  await client.createOrder(order, { idempotencyKey });
} catch (error) {
  if (hasCode(error, "validation_error")) { // correct these fields
    for (const { field, expected } of error.problems) {
      console.log(`${field}: ${expected}`);
    }
  } else if (hasCode(error, "insufficient_stock")) { // order less, or restock
    console.log(error.details.items);
  } else if (error instanceof DropyardError) { // any other refusal; docUrl is the page about its code
    console.log(error.code, error.message, error.docUrl, error.requestId);
  } else if (error instanceof NoAnswerError) { // the order may exist: call again later with the same key
    console.log("no answer", idempotencyKey);
  } else {
    throw error;
  }
}
