// Receipts with a hand scanner, which types a code and Enter. Enter leads to the next field;
// after the last line it adds one. What Enter clicks decides, not the key: scanners on phones
// send no key. Without this script Enter shows the form again with more lines, and books nothing.

const receipt = document.getElementById("receipt");
const most = 100; // lines of a receipt, as the use case has it

const begin = () => {
  const fields = () => [...receipt.querySelectorAll("input")];

  const add = () => {
    const rows = [...receipt.querySelectorAll("div.line")], last = rows.at(-1);
    if (rows.length >= most) return;
    const row = last.cloneNode(true);
    for (const fault of row.querySelectorAll(".fault")) fault.remove();
    for (const label of row.querySelectorAll("label")) {
      const field = label.nextElementSibling;
      field.id = label.htmlFor = `field-${field.name}-${rows.length}`;
      field.value = "";
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
      label.textContent = label.textContent.replace(/\d+/, String(rows.length + 1));
    }
    last.after(row);
  };

  // follow leads from a field to the next one.
  const follow = (field) => {
    if (receipt.contains(field) && !field.value.trim()) return;
    if (field === fields().at(-1)) add();
    const all = [...receipt.form.querySelectorAll("input:not([type=hidden]), button.first")];
    const next = all[all.indexOf(field) + 1];
    next?.focus();
    next?.select?.();
  };
  // Enter in any field of the form clicks its first button, which is the one for more lines,
  // and leaves the focus where it is.
  receipt.querySelector("[name=act]").addEventListener("click", (event) => {
    event.preventDefault();
    const field = document.activeElement;
    if (event.detail === 0 && field.tagName === "INPUT" && field.form === receipt.form) return follow(field);
    add();
    fields().at(-2).focus();
  });
  const place = document.getElementById("field-location");
  [place, ...fields()].find((field) => field.getAttribute("aria-invalid") || !field.value)?.focus();
};
if (receipt) begin();
