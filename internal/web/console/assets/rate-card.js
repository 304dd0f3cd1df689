// Shows at the side what a rate card changes while it is typed, and keeps its tables and the text of its file the
// same. Without this script the buttons send the form, and the page comes back with both.

import { fieldsOf, load, put } from "dropyard/swap.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-rate-card]"));
const rest = 600; // milliseconds after which typing rests

/** Only the latest answer counts: the others are of what the form held before. */
let latest = 0, timer = 0;

/**
 * ask sends the form as its first button does, and shows what differs in the parts that the person does not type in.
 * @param {boolean} inFile whether the text of the file was typed
 */
const ask = async (inFile) => {
  const turn = ++latest, fields = fieldsOf(form, null);
  fields.delete("file");
  if (inFile) fields.set("source", "file");
  try {
    const { page } = await load(form.action, "POST", fields);
    if (turn !== latest) return;
    for (const id of ["effects", inFile ? "tables" : "json"]) {
      const old = document.getElementById(id), fresh = page.getElementById(id);
      if (old && fresh && !old.contains(document.activeElement)) put(old, fresh);
    }
  } catch { /* it is asked for again with the next change, at the latest by the button */ }
};

form.addEventListener("input", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.type === "file") return;
  latest++; // an answer under way is out of date
  clearTimeout(timer);
  // What is at the side is of another card now, which must not be added by mistake.
  for (const button of document.querySelectorAll("form[data-sure] button")) button.setAttribute("disabled", "");
  timer = setTimeout(ask, rest, field.name === "document");
});
