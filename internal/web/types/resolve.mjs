// Lets Node find the modules that islands import by name where the pages have them:
// node --import ./resolve.mjs.

import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

const files = {
  "dropyard/plain.js": "../assets/plain.js",
  preact: "preact.mjs", "preact/hooks": "hooks.mjs", "@preact/signals": "signals.mjs", "@preact/signals-core": "signals-core.mjs", htm: "htm.mjs", idb: "idb.mjs",
  signature_pad: "../../courier/vendored/signature_pad.js",
};
/** The modules of the map. */
const ofMap = ["basemap.js", "clusters.js", "dots.js"];
const vendored = new URL("../page/vendored/", import.meta.url), shared = new URL("../page/assets/island/", import.meta.url), map = new URL("../basemap/assets/map/", import.meta.url), own = "dropyard/";

export const resolve = (specifier, context, next) => {
  if (specifier in files) return { url: new URL(files[specifier], vendored).href, shortCircuit: true };
  const name = specifier.slice(own.length);
  return specifier.startsWith(own) ? { url: new URL(name, ofMap.includes(name) ? map : shared).href, shortCircuit: true } : next(specifier, context);
};

if (isMainThread) register(import.meta.url); // Node loads this file again, to ask resolve
