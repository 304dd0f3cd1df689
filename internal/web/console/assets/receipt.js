// Receipts with a hand scanner, which types a code and Enter. Enter leads to the next field;
// after the last line it adds one. What Enter clicks decides, not the key: scanners on phones
// send no key. Without this script Enter shows the form again with more lines, and books nothing.

const receipt = /** @type {HTMLFieldSetElement | null} */ (document.getElementById("receipt"));
const most = 100; // lines of a receipt, as the use case has it

/**
 * begin makes the lines of a receipt follow each other.
 * @param {HTMLFieldSetElement} receipt
 * @param {HTMLFormElement} form that they are in
 */
const begin = (receipt, form) => {
  const fields = () => [...receipt.querySelectorAll("input")];

  const add = () => {
    const rows = [...receipt.querySelectorAll("div.line")], last = rows.at(-1);
    if (!last || rows.length >= most) return;
    const row = /** @type {Element} */ (last.cloneNode(true));
    for (const fault of row.querySelectorAll(".fault")) fault.remove();
    for (const label of row.querySelectorAll("label")) {
      const field = /** @type {HTMLInputElement} */ (label.nextElementSibling);
      field.id = label.htmlFor = `field-${field.name}-${rows.length}`;
      field.value = "";
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
      label.textContent = label.textContent.replace(/\d+/, String(rows.length + 1));
    }
    last.after(row);
  };

  /**
   * follow leads from a field to the next one.
   * @param {HTMLInputElement} field
   */
  const follow = (field) => {
    if (receipt.contains(field) && !field.value.trim()) return;
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
  const place = /** @type {HTMLInputElement} */ (document.getElementById("field-location"));
  [place, ...fields()].find((field) => field.getAttribute("aria-invalid") || !field.value)?.focus();
};
if (receipt?.form) begin(receipt, receipt.form);
