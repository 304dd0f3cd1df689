// Receives webhooks with Express. The README beside it says how to run it.
import { webhookListener } from "@dropyard/client";
import express from "express";

const app = express();

// Before express.json(): the signature is that of the body as it was sent.
app.post(
  "/hooks",
  webhookListener(process.env.WEBHOOK_SECRET, (event) => {
    console.log("received", event.type); // in production, store it under event.id, unless it is stored already
  }),
);

app.use(express.json()); // for all other routes

const server = app.listen(Number(process.env.PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/hooks`);
});
