// Texts as searches compare them.

/** Returns a text as searches compare it: cases and accents make no difference. @param {string} text */
export const plain = (text) => (/^[\x00-\x7f]*$/.test(text) ? text : text.normalize("NFD").replace(/\p{M}/gu, "")).toLowerCase();
