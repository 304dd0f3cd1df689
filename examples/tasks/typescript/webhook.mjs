// Sets the endpoint for webhooks, receives one and verifies it.
import { once } from "node:events";
import { createServer } from "node:http";
import { Client, hasCode, webhookListener } from "@dropyard/client";

const client = Client.fromEnvironment();

const server = createServer().listen(0, "127.0.0.1"); // in production, behind https
await once(server, "listening");
const address = server.address();
const port = typeof address === "object" ? address?.port : 0;

// Once: the endpoint, in place of the one before. Store its secret, which is shown only here.
try {
  await client.deleteWebhookEndpoint();
} catch (error) {
  if (!hasCode(error, "not_found")) throw error;
}
const endpoint = await client.setWebhookEndpoint({ url: `http://127.0.0.1:${port}/hooks` });

server.on("request", webhookListener(endpoint.secret ?? "", (event) => {
  console.log("received", event.type); // in production, store it under event.id
}));

await client.testWebhook();
server.close();
server.closeAllConnections();
