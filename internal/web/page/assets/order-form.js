// Keeps the price of an order up to date while it is typed, and adds and removes
// parcels in place. Without this script the same buttons send the form, and the page
// comes back with all that was typed.

import { fieldsOf, load, put } from "dropyard/swap.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-order-form]"));
const pricing = /** @type {HTMLButtonElement} */ (form.querySelector("button[value=price]"));

// What the price, its warnings, or the zone of a window depend on.
const priced = /province|postal_code|city|time_window|weight|_cm$|fragile|service_level|amount|currency|quantity|partner_order_id/;
const isEdit = form.dataset.orderForm === "edit"; // what an edit does depends on every field
const needed = ["service_level", "pickup.address.postal_code", "dropoff.address.postal_code", "parcels[0].weight_kg"];

/**
 * send sends the form as a button does, and returns the page that answers it.
 * @param {HTMLButtonElement} button
 */
const send = async (button) => {
  const { page, ok } = await load(button.formAction, "POST", fieldsOf(form, button));
  if (!ok) throw new Error("refused");
  return page;
};

/**
 * putParts replaces the parts that a button names, where those of its answer differ.
 * @param {Document} page
 * @param {HTMLButtonElement} button
 */
const putParts = (page, button) => {
  for (const id of button.dataset.parts?.split(" ") ?? []) {
    const old = document.getElementById(id), fresh = page.getElementById(id);
    if (old && fresh && old.outerHTML !== fresh.outerHTML) put(old, fresh);
  }
};

/**
 * putWindows fills in the windows of an answer: proposed ones follow the service level and the places.
 * @param {Document} page
 */
const putWindows = (page) => {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[name*=time_window]"))) {
    const fresh = /** @type {HTMLInputElement | null} */ (page.getElementById(field.id));
    if (fresh && fresh.value !== field.value) field.value = fresh.value;
  }
};

/** @param {string} name */
const typed = (name) => /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name))?.value;

// The price is asked for when typing rests. Only the latest answer counts: the others
// are prices of what the form held before.
let latest = 0, timer = 0, arranging = false;
const ask = async () => {
  if (arranging || !isEdit && !needed.every(typed)) return;
  const turn = ++latest;
  try {
    const page = await send(pricing);
    if (turn !== latest || arranging) return;
    putParts(page, pricing);
    putWindows(page);
  } catch { /* the price is asked for again, at the latest when the order is created */ }
};
form.addEventListener("input", (event) => {
  const { name } = /** @type {HTMLInputElement} */ (event.target);
  if (isEdit ? name.startsWith("_") : !priced.test(name)) return;
  latest++; // an answer under way is out of date
  clearTimeout(timer);
  timer = setTimeout(ask, 500);
});

/**
 * arrange adds or removes what a button says. What cannot be sent so is sent as a
 * browser sends it.
 * @param {HTMLButtonElement} button
 */
const arrange = async (button) => {
  if (arranging) return;
  arranging = true;
  latest++;
  form.setAttribute("aria-busy", "true");
  try {
    putParts(await send(button), button);
    const parcels = form.querySelectorAll(".parcel");
    if (button.value === "add") parcels[parcels.length - 1].querySelector("input")?.focus();
    if (button.value.startsWith("remove")) document.getElementById("add-parcel")?.focus();
  } catch {
    form.dataset.plain = "yes";
    form.requestSubmit(button);
  }
  arranging = false;
  form.removeAttribute("aria-busy");
};

// Enter in the search for a product presses its own button, not the first of the form.
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || /** @type {Element} */ (event.target).id !== "find-product") return;
  event.preventDefault();
  form.requestSubmit(/** @type {HTMLButtonElement} */ (form.querySelector("button[value=find]")));
});

// What is chosen from the saved addresses is filled in as its button does.
form.addEventListener("change", (event) => {
  const { dataset } = /** @type {HTMLElement} */ (event.target);
  if (dataset.fills) document.getElementById(dataset.fills)?.click();
});

form.addEventListener("submit", (event) => {
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (!button?.dataset.parts || form.dataset.plain) return;
  event.preventDefault();
  arrange(button);
});
