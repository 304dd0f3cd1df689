// order.mjs: node order.mjs
import { createHmac } from "node:crypto";

const [url, key, secret] = ["%URL%", "%KEY%", "%SECRET%"];

const order = `%ORDER%`;

function sign(secretKey, timestamp, method, path, body) {
  const text = `${timestamp}\n${method}\n${path}\n${body}`;
  return "v1=" + createHmac("sha256", secretKey).update(text).digest("hex");
}

const now = String(Math.floor(Date.now() / 1000));
const response = await fetch(url + "/v1/orders", {
  method: "POST",
  headers: {
    "X-Api-Key": key,
    "X-Timestamp": now,
    "X-Signature": sign(secret, now, "POST", "/v1/orders", order),
    // The same key and body again: the same order, not a second one.
    "Idempotency-Key": "%IDEMPOTENCY_KEY%",
    "Content-Type": "application/json",
  },
  body: order,
});
console.log(response.status, await response.text());
