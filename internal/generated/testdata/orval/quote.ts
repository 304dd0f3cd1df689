import { createQuote } from "./openapi.js";

const answer = await createQuote({
  service_level: "standard",
  pickup: { address: { postal_code: "H2X 1Y4", country: "CA" } },
  dropoff: { address: { postal_code: "M5V 2T6", country: "CA" } },
  parcels: [{ weight_kg: 1.1 }],
});
if (answer.status !== 200) {
  throw new Error(JSON.stringify(answer));
}
console.log("quote", answer.data.service_level, answer.data.currency);
