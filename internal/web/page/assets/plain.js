// Texts as searches compare them.

/**
 * Returns a text as searches compare it: cases, accents, hyphens and apostrophes make no
 * difference. Fold of package board does the same.
 * @param {string} text
 */
export const plain = (text) => (/^[\x00-\x7f]*$/.test(text) ? text : text.normalize("NFD").replace(/\p{M}/gu, "")).toLowerCase()
  .replace(/œ/g, "oe").replace(/æ/g, "ae").replace(/[-\u2010-\u2013'’]/g, " ");
