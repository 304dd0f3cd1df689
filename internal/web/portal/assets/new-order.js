// Keeps the price of a new order up to date while it is typed, and adds and removes
// parcels in place. Without this script the same buttons send the form, and the page
// comes back with all that was typed.

const form = document.getElementById("new-order");
const pricing = form.querySelector("button[value=price]");

// What the price, its warnings, or the zone of a window depend on.
const priced = /province|postal_code|city|time_window|weight|_cm$|fragile|service_level|amount|currency|quantity|partner_order_id/;
const needed = ["service_level", "pickup.address.postal_code", "dropoff.address.postal_code", "parcels[0].weight_kg"];

// load sends the form as a button does, and reads the answer as a document.
const load = (button) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open("POST", button.formAction);
  request.responseType = "document";
  request.setRequestHeader("Accept", "text/html");
  request.timeout = 30000;
  request.onload = () => request.response && request.status < 400 ? resolve(request.response) : reject(new Error("refused"));
  request.onerror = request.ontimeout = () => reject(new Error("not reached"));
  request.send(new URLSearchParams(new FormData(form, button)));
});

// put replaces the parts of the page that an answer has, too.
const put = (page, parts) => {
  for (const id of parts) {
    const old = document.getElementById(id), fresh = page.getElementById(id);
    if (!old || !fresh || old.outerHTML === fresh.outerHTML) continue;
    const adopted = document.adoptNode(fresh);
    old.replaceWith(adopted);
    document.dispatchEvent(new CustomEvent("swapped", { detail: adopted }));
  }
};

// The price is asked for when typing rests. Only the latest answer counts: the others
// are prices of what the form held before.
let latest = 0, timer = 0, arranging = false;
const ask = async () => {
  if (arranging || !needed.every((name) => form.elements[name]?.value)) return;
  const turn = ++latest;
  try {
    const page = await load(pricing);
    if (turn === latest && !arranging) put(page, pricing.dataset.parts.split(" "));
  } catch { /* the price is asked for again, at the latest when the order is created */ }
};
form.addEventListener("input", (event) => {
  if (!priced.test(event.target.name)) return;
  latest++; // an answer under way is out of date
  clearTimeout(timer);
  timer = setTimeout(ask, 500);
});

// arrange adds or removes what a button says. What cannot be sent so is sent as a
// browser sends it.
const arrange = async (button) => {
  if (arranging) return;
  arranging = true;
  latest++;
  form.setAttribute("aria-busy", "true");
  try {
    const page = await load(button);
    put(page, button.dataset.parts.split(" "));
    const parcels = form.querySelectorAll(".parcel");
    if (button.value === "add") parcels[parcels.length - 1].querySelector("input").focus();
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
  if (event.key !== "Enter" || event.target.id !== "find") return;
  event.preventDefault();
  form.requestSubmit(form.querySelector("button[value=find]"));
});

form.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button?.dataset.parts || form.dataset.plain) return;
  event.preventDefault();
  arrange(button);
});
