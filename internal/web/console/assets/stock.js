// Counts with a hand scanner, which types a code and Enter. Each scan is counted here
// and only the name of its product is asked for, so that scans need not wait for each
// other. What was counted is kept in the tab and survives a reload. Without this script
// each Enter sends the form, and the page comes back with all that was counted.

import { load } from "dropyard/swap.js";

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("count"));
const booked = /** @type {HTMLElement | null} */ (document.querySelector("[data-booked]"));
/** @param {string} [location] */
const keyOf = (location) => `count ${window.location.pathname} ${location}`;

if (booked) {
  sessionStorage.removeItem(keyOf(booked.dataset.booked));
  history.replaceState(null, "", window.location.pathname);
}

/**
 * begin counts what is scanned.
 * @param {HTMLFormElement} form
 */
const begin = (form) => {
  const scan = /** @type {HTMLInputElement} */ (document.getElementById("scan"));
  const lines = /** @type {HTMLTableSectionElement} */ (document.getElementById("lines"));
  const empty = /** @type {HTMLTemplateElement} */ (document.getElementById("line"));
  const latest = /** @type {HTMLElement} */ (document.getElementById("latest"));
  const key = keyOf(form.dataset.location);
  /**
   * field returns a field of a line.
   * @param {HTMLTableRowElement} row
   * @param {string} name
   */
  const field = (row, name) => /** @type {HTMLInputElement} */ (row.querySelector(`[name=${name}]`));
  /** @param {HTMLTableRowElement} row */
  const counted = (row) => field(row, "counted");
  const rows = () => [...lines.rows];

  const save = () => sessionStorage.setItem(key, JSON.stringify(rows().map((row) => [row.dataset.code, counted(row).value])));

  /**
   * say shows what was scanned last, in large type.
   * @param {HTMLTableRowElement} row
   */
  const say = (row) => {
    latest.textContent = `${counted(row).value} × ${row.querySelector("b")?.textContent}`;
    latest.classList.toggle("fault", row.classList.contains("unknown"));
  };

  /**
   * newRow returns a line for a code.
   * @param {string} code
   * @param {string} quantity
   */
  const newRow = (code, quantity) => {
    const row = /** @type {HTMLTableRowElement} */ (empty.content.firstElementChild?.cloneNode(true));
    row.dataset.code = code;
    for (const text of row.querySelectorAll("b, .small")) text.textContent = code; // as high as with its name
    field(row, "code").value = code;
    field(row, "remove").value = code;
    counted(row).value = quantity;
    counted(row).setAttribute("aria-label", code);
    return row;
  };

  /** @type {Map<string | undefined, string | undefined>} */
  const names = new Map(); // the code of the line that counts, by other codes of its product
  /**
   * name puts the names of products in the place of codes. Two codes of one product become
   * one line. What cannot be asked now is looked up when the differences are shown.
   * @param {string[]} codes
   */
  const name = async (codes) => {
    const answer = await load(`${form.dataset.lines}?${new URLSearchParams(codes.map((code) => ["code", code]))}`).catch(() => null);
    if (!answer?.ok) return;
    const named = /** @type {HTMLTableSectionElement} */ (answer.page.getElementById("lines"));
    for (const found of [...named.rows]) {
      const row = rows().find((one) => one.dataset.code === found.dataset.code);
      if (!row) continue;
      const twin = found.dataset.product && rows().find((one) => one !== row && one.dataset.product === found.dataset.product);
      if (twin) {
        counted(twin).value = String(Number(counted(twin).value) + Number(counted(row).value));
        names.set(row.dataset.code, twin.dataset.code);
        row.remove();
        say(twin);
        continue;
      }
      counted(found).value = counted(row).value;
      const last = latest.dataset.code === row.dataset.code;
      row.replaceWith(document.adoptNode(found));
      if (last) say(found);
    }
    save();
  };

  /**
   * add counts what was scanned: a code, or 12* and a code.
   * @param {string} text
   */
  const add = (text) => {
    const typed = /^([0-9]{1,10})\*(.+)$/.exec(text);
    const scanned = (typed ? typed[2] : text).trim(), code = names.get(scanned) ?? scanned;
    let row = rows().find((one) => one.dataset.code === code);
    const known = Boolean(row);
    row ??= newRow(code, "0");
    counted(row).value = typed ? String(Number(typed[1])) : String((Number(counted(row).value) || 0) + 1);
    lines.prepend(row);
    latest.dataset.code = code;
    say(row);
    save();
    if (!known) name([code]);
  };

  /** @param {KeyboardEvent} event */
  const enter = (event) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (event.target === scan && scan.value.trim()) add(scan.value.trim());
    if (event.target === scan) scan.value = "";
    scan.focus();
  };
  form.addEventListener("keydown", enter);
  form.addEventListener("input", (event) => { if (/** @type {HTMLInputElement} */ (event.target).name === "counted") save(); });
  form.addEventListener("submit", (event) => {
    const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
    if (button?.value === "review") return;
    event.preventDefault();
    if (button?.name === "remove") button.closest("tr")?.remove();
    else if (scan.value.trim()) add(scan.value.trim());
    scan.value = "";
    save();
    scan.focus();
  });
  // A scanner types wherever the focus is: what is typed beside the fields goes into the first.
  document.addEventListener("keydown", (event) => {
    if (event.target === document.body && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) scan.focus();
  });

  // A page that a form was answered with has the lines; reloading it must not send the form again.
  if (lines.rows.length) {
    save();
    history.replaceState(null, "", form.dataset.self);
  } else {
    /** @type {[string, string][]} */
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    for (const [code, quantity] of kept) lines.append(newRow(code, quantity));
    for (let i = 0; i < kept.length; i += 50) name(kept.slice(i, i + 50).map(([code]) => code));
  }
};
if (form) begin(form);
