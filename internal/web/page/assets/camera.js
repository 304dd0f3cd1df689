// Reading codes with a camera.

/** @typedef {{detect(image: ImageBitmapSource): Promise<{rawValue: string}[]>}} Reader reads the codes in a picture */

/** What labels have. */
export const labels = ["code_128", "qr_code"];
/** What labels and products have. */
export const products = [...labels, "ean_13", "ean_8", "upc_a", "upc_e"];
/** How long to wait between two pictures, in milliseconds. */
const pause = 150;

/** The browser's own reader, if it has one that reads these codes. @param {string[]} formats @returns {Promise<Reader | null>} */
export const ownReader = async (formats) => {
  const Own = /** @type {any} */ (globalThis).BarcodeDetector;
  const known = await Own?.getSupportedFormats().catch(() => []) ?? [];
  return formats.every((format) => known.includes(format)) ? new Own({ formats }) : null;
};

/** Why there is no picture: a part of the key of a phrase. @param {unknown} error */
const reason = (error) => {
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "refused";
  return name === "NotFoundError" || name === "OverconstrainedError" ? "none" : "broken";
};

/** Why the camera cannot be used. */
export class NoCamera extends Error {
  /** @param {"insecure" | "refused" | "none" | "broken" | "reader"} reason */
  constructor(reason) {
    super(`no camera: ${reason}`);
    this.reason = reason;
  }
}

/** @returns {Promise<MediaStream>} */
const open = async () => {
  if (!navigator.mediaDevices) throw new NoCamera("insecure"); // browsers give it to https only
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: "environment", width: { ideal: 1280 }, height: { ideal: 720 } } });
  } catch (error) {
    throw new NoCamera(reason(error));
  }
};

/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Reads pictures until the signal ends. @param {HTMLVideoElement} video @param {Reader} reader @param {(code: string) => void} found @param {AbortSignal} signal */
const watch = async (video, reader, found, signal) => {
  for (; !signal.aborted; await wait(pause)) {
    if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) continue;
    const codes = await reader.detect(video);
    if (!signal.aborted) for (const { rawValue } of codes) found(rawValue);
  }
};

/**
 * Shows what the camera sees and reads codes, until the signal ends: then the camera is
 * off. It throws a NoCamera if that is not possible.
 * @param {HTMLVideoElement} video
 * @param {(code: string) => void} found called for every picture with a code, so often with the same one
 * @param {AbortSignal} signal
 * @param {() => Promise<Reader | null>} reading returns what reads the pictures; null if nothing does
 */
export const run = async (video, found, signal, reading) => {
  const stream = await open();
  const stop = () => stream.getTracks().forEach((track) => track.stop());
  try {
    if (signal.aborted) return;
    signal.addEventListener("abort", stop); // immediately, not after the picture that is being read
    video.srcObject = stream;
    await video.play();
    const reader = await reading();
    if (!reader) throw new NoCamera("reader");
    await watch(video, reader, found, signal);
  } catch (error) {
    if (!signal.aborted) throw error instanceof NoCamera ? error : new NoCamera("reader");
  } finally {
    stop();
    video.srcObject = null;
  }
};
