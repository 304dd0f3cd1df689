// Lets Node find the libraries of islands where the pages have them:
// node --import ./resolve.mjs.

import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

const files = {
  preact: "preact.mjs", "preact/hooks": "hooks.mjs", "@preact/signals": "signals.mjs", "@preact/signals-core": "signals-core.mjs", htm: "htm.mjs",
};
const folder = new URL("../../page/vendored/", import.meta.url);

export const resolve = (specifier, context, next) =>
  specifier in files ? { url: new URL(files[specifier], folder).href, shortCircuit: true } : next(specifier, context);

if (isMainThread) register(import.meta.url); // Node loads this file again, to ask resolve
