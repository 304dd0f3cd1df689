// Reading a snapshot of the board as it arrives: the first rows can be shown before the
// last ones have been read.

/** @typedef {import("./rows.js").RawRow} RawRow */
/** @typedef {{orders: RawRow[], after?: string}} Part one part of a snapshot has the position in the feed */

/** What is between two rows. No text of JSON has it, because quotes are escaped there. */
const between = ',{"order_id":';

/**
 * Returns the parts of a snapshot. What is not written as the service does it comes as one
 * part.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @param {number} [least] how many characters a part has at least, but the last one: some 50 rows
 * @returns {AsyncGenerator<Part>}
 */
export async function* parts(body, least = 30000) {
  const reader = body.getReader(), decoder = new TextDecoder();
  let before = "", text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    const cut = text.length < least ? -1 : text.lastIndexOf(between);
    if (cut < 0) continue;
    yield JSON.parse(`${before}${text.slice(0, cut)}]}`);
    before = '{"orders":[';
    text = text.slice(cut + 1);
  }
  yield JSON.parse(before + text);
}
