// A program of a partner. The project compiles it as an ES module or as CommonJS.
import * as dropyard from "@dropyard/client";
import { Client, DropyardError, NoAnswerError, Service, hasCode, type OrderRequest } from "@dropyard/client";

async function main(url: string): Promise<void> {
  const service = new Service(url);
  const account = { email: `${crypto.randomUUID()}@example.com`, password: "seven maple trees" };
  await service.register({ name: "Librairie du Port", ...account });
  const client = new Client(url, await service.createAPIKey({ name: "project", ...account }));
  await client.listOrders({}, { onResponse: ({ headers }) => console.log("listed", headers.has("X-Request-Id")) });
  try {
    await client.createOrder({ partner_order_id: "A-1" } as OrderRequest);
  } catch (error) {
    if (hasCode(error, "validation_error") && error instanceof DropyardError) {
      console.log("refused", error.status, error.docUrl.replace(/^.*\/docs/, "/docs"), error.problems.length > 0);
    }
  }
  const nowhere = new Client("http://127.0.0.1:1", client.key, { retryDelays: [] });
  await nowhere.getHealth().catch((error: unknown) => console.log("no answer", error instanceof NoAnswerError));
  console.log(Object.keys(dropyard).filter((name) => name !== "default" && name !== "module.exports").sort().join(" "));
}

void main(process.argv[2] ?? "");
