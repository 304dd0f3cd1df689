const mutator = { path: "signed.ts", name: "signed" };

export default {
  openapi: { input: "openapi.yaml", output: { target: "openapi.ts", client: "fetch", override: { mutator } } },
  ops: { input: "ops.yaml", output: { target: "ops.ts", client: "fetch" } },
};
