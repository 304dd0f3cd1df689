// Photos as they are stored and sent: small enough for a phone's connection, upright, and
// without what the camera writes about the place and the phone.

/** The longest side of a photo, in pixels. */
const longest = 2048;
/** The qualities of JPEG that are tried in turn, until a photo has at most `enough` bytes. */
const qualities = [0.82, 0.7, 0.55];
const enough = 600000;

/**
 * Returns the size at which a picture is stored: its longest side is at most `most`.
 * @param {number} width
 * @param {number} height
 * @param {number} [most]
 */
export const fit = (width, height, most = longest) => {
  const scale = Math.min(1, most / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
};

/**
 * Returns a canvas with a white ground. White shows through what is transparent.
 * @param {number} width
 * @param {number} height
 */
export const paper = (width, height) => {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser has no canvas of this size");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  return { canvas, context };
};

/**
 * Returns a canvas as a file. It throws if the browser cannot encode it.
 * @param {HTMLCanvasElement} canvas
 * @param {string} type
 * @param {number} [quality]
 * @returns {Promise<Blob>}
 */
export const encode = (canvas, type, quality) => new Promise((resolve, reject) => {
  canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("the picture cannot be encoded")), type, quality);
});

/**
 * Returns a photo as a JPEG. It throws if the file is not a picture that the browser can read.
 * @param {Blob} file
 */
export const shrink = async (file) => {
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  const { width, height } = fit(bitmap.width, bitmap.height), { canvas, context } = paper(width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  let encoded = await encode(canvas, "image/jpeg", qualities[0]);
  for (const quality of qualities.slice(1)) if (encoded.size > enough) encoded = await encode(canvas, "image/jpeg", quality);
  return encoded;
};
