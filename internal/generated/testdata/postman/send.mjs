// Sends the requests of some folders of the collection, and prints the status of each answer.
import fs from "node:fs";
import newman from "newman";

const [api_key, secret] = process.argv.slice(2);
const collection = JSON.parse(fs.readFileSync("collection.json", "utf8"));
const orders = collection.item.find((folder) => folder.name === "Orders").item;
const list = structuredClone(orders.find((item) => item.request.url.raw === "{{base_url}}/v1/orders" && item.request.method === "GET"));
list.request.url.query = [
  { key: "search", value: "É't{{letter}} <a>" },
  { key: "limit", value: "3" },
];
orders.push(list);

newman
  .run({
    collection,
    folder: ["Rates", "Orders"],
    envVar: [
      { key: "api_key", value: api_key },
      { key: "secret", value: secret },
      { key: "letter", value: "é" },
    ],
  })
  .on("request", (error, { request, response }) => {
    if (error) throw error;
    console.log(response.code, request.method, request.url.getPathWithQuery().replaceAll(/ord_\w+/g, "ID").replace(/label\/.+/, "label/TOKEN"));
  })
  .on("done", (error, summary) => {
    const failures = summary?.run.failures ?? [];
    for (const failure of failures) console.error(failure.error.message);
    process.exitCode = error || failures.length ? 1 : 0;
  });
