// What reads codes in pictures: the browser, or a module for browsers that cannot.

import { labels, ownReader } from "dropyard/camera.js";

/** @typedef {import("dropyard/camera.js").Reader} Reader */

/** The reader that browsers without one load. @returns {Promise<Reader>} */
const loadedReader = async () => {
  const { BarcodeDetector, prepareZXingModule } = await import("barcode-detector/ponyfill");
  const wasm = import.meta.resolve("zxing_reader.wasm"); // the import map has its path
  await prepareZXingModule({ overrides: { locateFile: () => wasm }, fireImmediately: true });
  return new BarcodeDetector({ formats: /** @type {any} */ (labels) });
};

/** Returns what reads the codes of labels. */
export const reader = async () => await ownReader(labels) ?? await loadedReader();
