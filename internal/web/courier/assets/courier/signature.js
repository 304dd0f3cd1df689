// A signature by finger, as a picture.

import SignaturePad from "signature_pad";
import { useEffect, useRef } from "preact/hooks";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";
import { encode, paper } from "dropyard/photo.js";

/** The strokes of a signature. @typedef {{points: {x: number, y: number}[]}[]} Strokes */
/** What can be asked of a signature that is drawn. @typedef {{isEmpty(): boolean, clear(): void, picture(): Promise<Blob>}} Drawn */

/** How much white surrounds a signature, in pixels of the page; it includes half of the pen. */
const margin = 12;
/** How finely signatures are drawn: pixels of the picture per pixel of the page. */
const fineness = 2;

/**
 * Returns the part of the page on which strokes lie, with the margin around them.
 * @param {Strokes} strokes at least one point
 */
export const bounds = (strokes) => {
  const points = strokes.flatMap((stroke) => stroke.points), xs = points.map(({ x }) => x), ys = points.map(({ y }) => y);
  const x = Math.floor(Math.min(...xs)) - margin, y = Math.floor(Math.min(...ys)) - margin;
  return { x, y, width: Math.ceil(Math.max(...xs)) + margin - x, height: Math.ceil(Math.max(...ys)) + margin - y };
};

/** Black on white in both themes, because the picture is. */
const ink = { penColor: "#111", backgroundColor: "#fff", minWidth: 0.8, maxWidth: 2.6 };

/** Returns strokes as a PNG, cropped. @param {Strokes} strokes @returns {Promise<Blob>} */
const picture = (strokes) => {
  const { x, y, width, height } = bounds(strokes);
  const { canvas, context } = paper(width * fineness, height * fineness);
  const copy = new SignaturePad(canvas, ink); // makes it white, so that the scale comes after it
  copy.off();
  context.scale(fineness, fineness);
  context.translate(-x, -y);
  copy.fromData(/** @type {any} */ (strokes), { clear: false });
  return encode(canvas, "image/png");
};

/**
 * Lets a canvas have as many pixels as the screen has where it lies, and keeps what is drawn.
 * @param {HTMLCanvasElement} canvas
 * @param {SignaturePad} pad
 */
const resize = (canvas, pad) => {
  const ratio = Math.max(1, window.devicePixelRatio), { offsetWidth, offsetHeight } = canvas;
  canvas.width = Math.round(offsetWidth * ratio);
  canvas.height = Math.round(offsetHeight * ratio);
  canvas.getContext("2d")?.scale(ratio, ratio);
  pad.redraw();
};

/**
 * The field in which the recipient signs. People without a finger on the screen leave it out.
 * @param {{drawn: (drawn: Drawn | null) => void, changed: (empty: boolean) => void}} props
 */
export const Signature = ({ drawn, changed }) => {
  const element = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  useEffect(() => {
    const canvas = element.current;
    if (!canvas) return;
    const pad = new SignaturePad(canvas, ink);
    const observer = new ResizeObserver(() => resize(canvas, pad));
    pad.addEventListener("endStroke", () => changed(pad.isEmpty()));
    observer.observe(canvas);
    drawn({ isEmpty: () => pad.isEmpty(), clear: () => { pad.clear(); changed(true); }, picture: () => picture(pad.toData()) });
    return () => { drawn(null); observer.disconnect(); pad.off(); };
  }, []);
  return html`<canvas class="signature" ref=${element} role="img" aria-label=${t("courier.proofs.signature.field")}></canvas>`;
};
