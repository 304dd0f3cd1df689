// Lets Node find the modules that islands import by name where the pages have them:
// node --import ./resolve.mjs.

import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

const files = {
  "dropyard/plain.js": "../assets/plain.js",
  preact: "preact.mjs", "preact/hooks": "hooks.mjs", "@preact/signals": "signals.mjs", "@preact/signals-core": "signals-core.mjs", htm: "htm.mjs", idb: "idb.mjs",
  signature_pad: "../../courier/vendored/signature_pad.js",
};
const vendored = new URL("../page/vendored/", import.meta.url), shared = new URL("../page/assets/island/", import.meta.url), own = "dropyard/";

export const resolve = (specifier, context, next) => {
  if (specifier in files) return { url: new URL(files[specifier], vendored).href, shortCircuit: true };
  return specifier.startsWith(own) ? { url: new URL(specifier.slice(own.length), shared).href, shortCircuit: true } : next(specifier, context);
};

if (isMainThread) register(import.meta.url); // Node loads this file again, to ask resolve
