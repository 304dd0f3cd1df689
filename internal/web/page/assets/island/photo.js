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

/** The beginnings of the brands of HEIC files, which stand in their header: see internal/foundation/picture. */
const heicBrands = /^ftyp(hei[cxms]|hev[cx]|mif1|msf1)$/;

/** Reports whether a file is a HEIC picture, whatever its name says: the service does not read it. @param {Blob} file */
export const isHEIC = async (file) => heicBrands.test(new TextDecoder("latin1").decode(await file.slice(4, 12).arrayBuffer()));

/**
 * Decodes a picture. Where there is no room for all its pixels, an image element may do, which browsers decode to the size
 * at which it is drawn.
 * @param {Blob} file
 * @returns {Promise<{source: ImageBitmap | HTMLImageElement, width: number, height: number, release: () => void}>}
 */
const decode = async (file) => {
  try {
    const source = await createImageBitmap(file, { imageOrientation: "from-image" });
    return { source, width: source.width, height: source.height, release: () => source.close() };
  } catch {
    const source = Object.assign(new Image(), { src: URL.createObjectURL(file) }), release = () => URL.revokeObjectURL(source.src);
    try {
      await source.decode();
    } catch (error) {
      release();
      throw error;
    }
    return { source, width: source.naturalWidth, height: source.naturalHeight, release };
  }
};

/** How many bytes a picture may have for the service. */
const most = 5 << 20;

/** Returns a picture that the service accepts: it is shrunk if it has too many bytes. @param {Blob} file */
export const accepted = async (file) => file.size > most ? shrink(file) : file;

/**
 * Returns a photo as a JPEG. It throws if the file is not a picture that the browser can read.
 * @param {Blob} file
 */
export const shrink = async (file) => {
  const whole = await decode(file), { width, height } = fit(whole.width, whole.height), { canvas, context } = paper(width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(whole.source, 0, 0, width, height);
  whole.release();
  let encoded = await encode(canvas, "image/jpeg", qualities[0]);
  for (const quality of qualities.slice(1)) if (encoded.size > enough) encoded = await encode(canvas, "image/jpeg", quality);
  return encoded;
};
