import { createHmac } from "node:crypto";
import { createApiClient } from "./openapi.js";

const [url, key, secret] = process.argv.slice(2) as [string, string, string];
const client = createApiClient(url);

client.axios.interceptors.request.use((request) => {
  const timestamp = String(Math.floor(Date.now() / 1000));
  request.data = request.data === undefined ? undefined : JSON.stringify(request.data);
  const { pathname } = new URL(request.url!, request.baseURL);
  const signature = createHmac("sha256", secret)
    .update([timestamp, request.method!.toUpperCase(), pathname, request.data ?? ""].join("\n"))
    .digest("hex");
  request.headers.set({ "X-Api-Key": key, "X-Timestamp": timestamp, "X-Signature": `v1=${signature}` });
  request.headers.set("Content-Type", "application/json");
  return request;
});

const quote = await client.createQuote({
  service_level: "standard",
  pickup: { address: { postal_code: "H2X 1Y4", country: "CA" } },
  dropoff: { address: { postal_code: "M5V 2T6", country: "CA" } },
  parcels: [{ weight_kg: 1.1 }],
});
console.log("quote", quote.service_level, quote.currency);
