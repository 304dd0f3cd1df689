// Receipts with a hand scanner, which types a code and Enter. The name of the product is shown
// at once, and its quantity is 1. Enter leads to the next field; after the last line it adds
// one. The same code again adds a unit to its line, and a code that is scanned into a quantity
// begins a line, as does the camera. What Enter clicks decides, not the key: scanners on phones
// send no key. Without this script Enter shows the form again with more lines, and books nothing.

import { load } from "dropyard/swap.js";

const receipt = /** @type {HTMLFieldSetElement | null} */ (document.getElementById("receipt"));
const most = 100; // lines of a receipt, as the use case has it
const shortestCode = 8; // characters of a barcode; quantities are shorter

/**
 * begin makes the lines of a receipt follow each other.
 * @param {HTMLFieldSetElement} receipt
 * @param {HTMLFormElement} form that they are in
 */
const begin = (receipt, form) => {
  const fields = () => [...receipt.querySelectorAll("input")];

  /** @param {Element} within */
  const rowOf = (within) => /** @type {Element} */ (within.closest("div.line"));
  /** @param {Element} row @param {string} name */
  const inputOf = (row, name) => /** @type {HTMLInputElement} */ (row.querySelector(`[name=${name}]`));
  /** @param {Element} row */
  const quantityOf = (row) => inputOf(row, "quantity");
  /** @param {Element} row */
  const productOf = (row) => inputOf(row, "product").value.trim();
  /** @param {Element} row */
  const nameIn = (row) => /** @type {HTMLElement} */ (row.querySelector("[data-name]"));
  const rows = () => [...receipt.querySelectorAll("div.line")];

  /** Adds units to a line, or takes them away. @param {Element} row @param {number} by */
  const step = (row, by) => {
    const quantity = quantityOf(row), units = Math.max(0, (Number(quantity.value) || 0) + by);
    quantity.value = units ? String(units) : "";
  };

  /** Shows the name of the product of a line, or that there is none. @param {Element} row */
  const name = async (row) => {
    const code = productOf(row), shown = nameIn(row);
    shown.textContent = "";
    if (!code) return;
    const answer = await load(`${receipt.dataset.names}&${new URLSearchParams({ code })}`).catch(() => null);
    const found = answer?.ok && answer.page.querySelector("#lines tr");
    if (!found || productOf(row) !== code) return;
    const isUnknown = found.classList.contains("unknown");
    shown.textContent = found.querySelector(isUnknown ? ".small" : "b")?.textContent ?? "";
    shown.classList.toggle("fault", isUnknown);
  };

  const add = () => {
    const rows = [...receipt.querySelectorAll("div.line")], last = rows.at(-1);
    if (!last || rows.length >= most) return;
    const row = /** @type {Element} */ (last.cloneNode(true));
    for (const fault of row.querySelectorAll(".fault:not([data-name])")) fault.remove();
    for (const label of row.querySelectorAll("label")) {
      const field = /** @type {HTMLInputElement} */ (label.nextElementSibling);
      field.id = label.htmlFor = `field-${field.name}-${rows.length}`;
      field.value = "";
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
      label.textContent = label.textContent.replace(/\d+/, String(rows.length + 1));
    }
    nameIn(row).textContent = "";
    nameIn(row).classList.remove("fault");
    last.after(row);
  };

  /** Begins a line with a code, or adds a unit to the one that has it. @param {string} code */
  const scan = (code) => {
    const free = () => rows().map((row) => inputOf(row, "product")).find((one) => !one.value.trim());
    if (!free()) add();
    const product = free();
    if (!product) return; // there are as many lines as may be
    product.value = code;
    name(rowOf(product));
    follow(product);
  };

  /**
   * follow leads from a field to the next one.
   * @param {HTMLInputElement} field
   */
  const follow = (field) => {
    if (receipt.contains(field) && !field.value.trim()) return;
    if (field.name === "product" && receipt.contains(field)) {
      const row = rowOf(field), twin = rows().find((one) => one !== row && productOf(one) === productOf(row));
      if (twin) {
        step(twin, 1);
        field.value = "";
        return;
      }
      if (!quantityOf(row).value) step(row, 1);
    }
    if (field.name === "quantity" && field.value.trim().length >= shortestCode) {
      const code = field.value.trim();
      field.value = "1";
      return scan(code);
    }
    if (field === fields().at(-1)) add();
    const all = [.../** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input:not([type=hidden]), button.first"))];
    const next = all[all.indexOf(field) + 1];
    next?.focus();
    next?.select?.(); // the button has none
  };
  // Enter in any field of the form clicks its first button, which is the one for more lines,
  // and leaves the focus where it is.
  const more = /** @type {HTMLButtonElement} */ (receipt.querySelector("[name=act]"));
  more.addEventListener("click", (event) => {
    event.preventDefault();
    const field = document.activeElement;
    if (event.detail === 0 && field instanceof HTMLInputElement && field.form === form) return follow(field);
    add();
    fields().at(-2)?.focus();
  });
  form.addEventListener("scanned", (event) => {
    event.preventDefault();
    scan(/** @type {CustomEvent<string>} */ (event).detail);
  });
  receipt.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.name === "product") name(rowOf(target));
  });
  receipt.addEventListener("click", ({ target }) => {
    const button = target instanceof Element && /** @type {HTMLElement | null} */ (target.closest("[data-step]"));
    if (button) step(rowOf(button), Number(button.dataset.step));
  });
  const place = /** @type {HTMLInputElement} */ (document.getElementById("field-location"));
  [place, ...fields()].find((field) => field.getAttribute("aria-invalid") || !field.value)?.focus();
};
if (receipt?.form) begin(receipt, receipt.form);
