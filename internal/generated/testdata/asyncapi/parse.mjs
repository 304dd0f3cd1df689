// Parses the document, and prints its version, its types of messages and what is wrong with it.
import fs from "node:fs";
import { Parser } from "@asyncapi/parser";

const { document, diagnostics } = await new Parser().parse(fs.readFileSync("asyncapi.yaml", "utf8"));
for (const { code, message, path } of diagnostics) {
  if (code !== "asyncapi-latest-version") console.log(code, message, path.join("/"));
}
console.log(document?.version(), document?.operations().all().map((operation) => operation.id()).join(" "));
