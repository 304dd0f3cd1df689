// Shows times in the reader's zone, and makes buttons work that copy or print. Without it times
// name their zone.

const language = document.documentElement.lang === "fr" ? "fr-CA" : "en";
const words = document.body.dataset;
const makeFormats = () => ({
  full: new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" }),
  clock: new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" }),
  date: new Intl.DateTimeFormat(language, { weekday: "long", month: "long", day: "numeric" }),
  dated: new Intl.DateTimeFormat(language, { dateStyle: "long" }),
  relative: new Intl.RelativeTimeFormat(language, { numeric: "auto" }),
});
/** @type {ReturnType<typeof makeFormats> | undefined} */
let made;
/** Returns the formats, which a page without times does not wait for. */
const formats = () => made ??= makeFormats();
const dayMs = 86400000;

/** Writes the first day of a month as an ordinal in French, 1er, as the server does. @param {string} date */
const ordinal = (date) => language === "en" ? date : date.replace(/(?:^|\s)1(?=\s)/, "$&er");

/** @param {string} text */
const capital = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

/**
 * day names the day of a time: a word for yesterday, today and tomorrow.
 * @param {Date} at
 * @param {Date} now
 */
const day = (at, now) => {
  const days = Math.round((new Date(at).setHours(12, 0, 0, 0) - new Date(now).setHours(12, 0, 0, 0)) / dayMs);
  if (Math.abs(days) <= 1) return formats().relative.format(days, "day");
  return ordinal((at.getFullYear() === now.getFullYear() ? formats().date : formats().dated).format(at));
};

/**
 * span is a time under a day as "2 h 10" or "12 min".
 * @param {number} ms
 */
const span = (ms) => {
  const minutes = Math.round(ms / 60000), hours = Math.floor(minutes / 60);
  return hours ? `${hours} h ${String(minutes % 60).padStart(2, "0")}` : `${minutes} min`;
};

/** @type {Record<string, (at: Date, now: Date) => string>} */
const shown = {
  moment: (at, now) => `${capital(day(at, now))}${words.comma} ${formats().clock.format(at)}`,
  within: (at, now) => `${day(at, now)}${words.comma} ${formats().clock.format(at)}`,
  relative: (at, now) => {
    const ms = at.getTime() - now.getTime();
    if (Math.abs(ms) >= dayMs) return `${day(at, now)}${words.comma} ${formats().clock.format(at)}`;
    if (Math.abs(ms) < 59500) return words.now ?? "";
    return ((ms < 0 ? words.ago : words.in) ?? "").replace("{t}", span(Math.abs(ms)));
  },
};

/** @param {ParentNode} root */
const localise = (root) => {
  const now = new Date();
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (root.querySelectorAll("time[data-show]"))) {
    const at = new Date(time.dateTime), text = shown[time.dataset.show ?? ""](at, now);
    if (time.textContent !== text) time.textContent = text;
    time.title = formats().full.format(at);
  }
};

document.addEventListener("click", async (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest?.("[data-print]")) return print();
  const button = /** @type {HTMLElement | null} */ (target.closest?.("[data-copy], [data-copy-from]"));
  if (!button) return;
  const { copy, copyFrom } = button.dataset; // a text, or the id of the element that has it
  try {
    await navigator.clipboard.writeText(copy ?? document.getElementById(copyFrom ?? "")?.textContent ?? "");
  } catch {
    return; // not allowed here: the text beside the button can be selected
  }
  const label = button.textContent;
  button.textContent = words.copied ?? "";
  button.classList.add("copied");
  setTimeout(() => { button.textContent = label; button.classList.remove("copied"); }, 2000);
});

// A form that changes something is sent once: what answers it may be shown only once.
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (event.defaultPrevented || form.method !== "post" || "swap" in form.dataset || "orderForm" in form.dataset) return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  form.setAttribute("aria-busy", "true");
});
addEventListener("pageshow", () => {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-sent]"))) {
    delete form.dataset.sent;
    form.removeAttribute("aria-busy");
  }
});

document.documentElement.classList.add("scripts");
document.addEventListener("swapped", (event) => localise(/** @type {CustomEvent<Element>} */ (event).detail.parentNode ?? document));
localise(document);
setInterval(() => localise(document), 30000);
