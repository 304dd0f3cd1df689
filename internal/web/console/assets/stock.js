// Counts with a hand scanner, which types a code and Enter. Each scan is counted here
// and only the name of its product is asked for, so that scans need not wait for each
// other. What was counted is kept in the tab and survives a reload. Without this script
// each Enter sends the form, and the page comes back with all that was counted.

const form = document.getElementById("count");
const booked = document.querySelector("[data-booked]");
const keyOf = (location) => `count ${window.location.pathname} ${location}`;

if (booked) {
  sessionStorage.removeItem(keyOf(booked.dataset.booked));
  history.replaceState(null, "", window.location.pathname);
}

// load reads a page as a document, so that no text becomes markup in this one.
const load = (url) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open("GET", url);
  request.responseType = "document";
  request.setRequestHeader("Accept", "text/html");
  request.timeout = 30000;
  request.onload = () => request.response && request.status < 400 ? resolve(request.response) : reject(new Error("refused"));
  request.onerror = request.ontimeout = () => reject(new Error("not reached"));
  request.send();
});

const begin = () => {
  const scan = document.getElementById("scan"), lines = document.getElementById("lines");
  const empty = document.getElementById("line"), latest = document.getElementById("latest");
  const key = keyOf(form.dataset.location);
  const counted = (row) => row.querySelector("[name=counted]");
  const rows = () => [...lines.rows];

  const save = () => sessionStorage.setItem(key, JSON.stringify(rows().map((row) => [row.dataset.code, counted(row).value])));

  // say shows what was scanned last, in large type.
  const say = (row) => {
    latest.textContent = `${counted(row).value} × ${row.querySelector("b").textContent}`;
    latest.classList.toggle("fault", row.classList.contains("unknown"));
  };

  const newRow = (code, quantity) => {
    const row = empty.content.firstElementChild.cloneNode(true);
    row.dataset.code = code;
    for (const text of row.querySelectorAll("b, .small")) text.textContent = code; // as high as with its name
    row.querySelector("[name=code]").value = code;
    row.querySelector("[name=remove]").value = code;
    counted(row).value = quantity;
    counted(row).setAttribute("aria-label", code);
    return row;
  };

  // name puts the names of products in the place of codes. Two codes of one product become
  // one line. What cannot be asked now is looked up when the differences are shown.
  const names = new Map(); // the code of the line that counts, by other codes of its product
  const name = async (codes) => {
    let page;
    try {
      page = await load(`${form.dataset.lines}?${new URLSearchParams(codes.map((code) => ["code", code]))}`);
    } catch { return; }
    for (const found of [...page.getElementById("lines").rows]) {
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

  const enter = (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    if (event.target === scan && scan.value.trim()) add(scan.value.trim());
    if (event.target === scan) scan.value = "";
    scan.focus();
  };
  form.addEventListener("keydown", enter);
  form.addEventListener("input", (event) => { if (event.target.name === "counted") save(); });
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button?.value === "review") return;
    event.preventDefault();
    if (button?.name === "remove") button.closest("tr").remove();
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
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    for (const [code, quantity] of kept) lines.append(newRow(code, quantity));
    for (let i = 0; i < kept.length; i += 50) name(kept.slice(i, i + 50).map(([code]) => code));
  }
};
if (form) begin();
