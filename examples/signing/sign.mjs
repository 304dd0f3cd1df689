// Signs requests and verifies webhooks with the standard library of Node.js. It reads
// vectors, one JSON object on a line, and prints for each the signature of the request,
// or whether the webhook is valid.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createInterface } from "node:readline";

// sign returns the header X-Signature. The timestamp is Unix time in seconds, as in
// X-Timestamp. The path is as sent, with /v1 and without the query, and so is the body;
// without a body it is empty.
function sign(secretKey, timestamp, method, path, body) {
  const text = `${timestamp}\n${method}\n${path}\n${body}`;
  return "v1=" + createHmac("sha256", secretKey).update(text).digest("hex");
}

// verify reports whether a webhook was signed with the secret, and at most 5 minutes from
// now, in Unix seconds. The body is as received. While the secret is rotated, the header
// has two signatures, of which one must match.
function verify(secret, headers, body, now) {
  const timestamp = headers["webhook-timestamp"] ?? "";
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > 300) {
    return false;
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const text = `${headers["webhook-id"]}.${timestamp}.${body}`;
  const want = Buffer.from("v1," + createHmac("sha256", key).update(text).digest("base64"));
  return (headers["webhook-signature"] ?? "").split(" ").some((given) => {
    const signature = Buffer.from(given);
    return signature.length === want.length && timingSafeEqual(signature, want);
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const v = JSON.parse(line);
  if (v.method) {
    console.log(sign(v.secret_key, v.timestamp, v.method, v.path, v.body));
  } else {
    console.log(verify(v.secret, v.headers, v.body, v.now) ? "valid" : "invalid");
  }
}
