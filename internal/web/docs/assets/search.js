// Searches the documentation in the browser. The index is loaded when the reader first
// types; without scripts the contents at the side remain.

import { plain } from "dropyard/plain.js";

/** @typedef {{p: string, t: string, x: string, o?: boolean}} Entry */

const form = /** @type {HTMLFormElement} */ (document.getElementById("search"));
const input = /** @type {HTMLInputElement} */ (form.querySelector("input"));
const list = /** @type {HTMLElement} */ (document.getElementById("found"));
const count = /** @type {HTMLElement} */ (document.getElementById("found-count"));
const most = 12;

/** @type {Promise<Entry[]> | undefined} */
let loading;

const load = () => {
  loading ??= fetch(form.dataset.index ?? "").then((answer) => answer.json()).catch((fault) => {
    loading = undefined; // the next search tries again
    throw fault;
  });
  return loading;
};

// What readers type, and what the documentation writes instead.
const synonyms = new Map([
  ["pagination", "next_cursor"], ["paging", "next_cursor"], ["sandbox", "test mode"], ["duplicate", "idempotency"],
  ["duplicates", "idempotency"], ["localhost", "laptop"], ["hmac", "signing"],
]);

// The weight of entries for other readers than partners.
const others = 0.2;

/** score is 0 unless an entry has all words or their synonyms; words in its title count
 * more.
 * @param {Entry} entry @param {string[]} words */
const score = (entry, words) => {
  const title = plain(entry.t), text = plain(`${entry.p} ${entry.x}`);
  let sum = 0;
  for (const word of words) {
    const forms = [word, synonyms.get(word) ?? word];
    if (forms.some((form) => title.includes(form))) sum += 10 - Math.min(title.length / 20, 5);
    else if (forms.some((form) => text.includes(form))) sum += 1;
    else return 0;
  }
  return entry.o ? sum * others : sum;
};

/** @param {Entry} entry */
const row = (entry) => {
  const item = document.createElement("li"), link = document.createElement("a");
  link.href = entry.p;
  link.textContent = entry.t;
  item.append(link);
  return item;
};

const wordsTyped = () => plain(input.value).split(/\s+/).filter(Boolean);

const search = async () => {
  const words = wordsTyped(), entries = words.length ? await load() : [];
  if (words.join() !== wordsTyped().join()) return; // typed on while the index was read
  const found = entries
    .map((entry) => ({ entry, score: score(entry, words) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most);
  list.replaceChildren(...found.map((one) => row(one.entry)));
  count.textContent = words.length && !found.length ? form.dataset.none ?? "" : "";
};

input.addEventListener("input", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
