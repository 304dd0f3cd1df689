// Keeps what is typed into forms, in this tab, until it is sent: after signing in again it is back, if the
// sign-in page was shown in between. It is gone when the tab is closed, and when its person signs out.

/** What was typed. @typedef {{fields: [string, string][], interrupted: boolean}} Draft */

const prefix = "draft:form:";
const frame = /** @type {HTMLElement | null} */ (document.querySelector(".frame[data-person]"));

/** @type {Storage | undefined} */
let storage;
try {
  storage = sessionStorage;
} catch { /* the browser keeps nothing for this site */ }

/** Returns the names in the storage that begin so. @param {string} beginning */
const names = (beginning) => storage ? Object.keys(storage).filter((name) => name.startsWith(beginning)) : [];

/** @param {string} name @returns {Draft | undefined} */
const read = (name) => {
  const text = storage?.getItem(name);
  return text ? JSON.parse(text) : undefined;
};

/** @param {string} name @param {Draft} draft */
const write = (name, draft) => {
  try {
    storage?.setItem(name, JSON.stringify(draft));
  } catch { /* the storage is full: the form has what was typed as long as it is shown */ }
};

/** The forms of the page that change something. */
const forms = () => frame ? [...frame.querySelectorAll("form")].filter((form) => form.method === "post" && !form.matches(".way-out")) : [];

/** @param {HTMLFormElement} form */
const nameOf = (form) => `${prefix}${frame?.dataset.person}:${new URL(form.action).pathname}${new URL(form.action).search}`;

/** Reports whether a draft may hold what a field does: no password, no code, and no key, which each form has of its own. @param {string} name @param {HTMLFormElement} form */
const isKept = (name, form) => {
  if (name === "_key") return false;
  const field = form.elements.namedItem(name);
  return !(field instanceof HTMLInputElement && (field.type === "password" || field.autocomplete === "one-time-code"));
};

/** @param {HTMLFormElement} form @returns {[string, string][]} */
const fieldsOf = (form) => /** @type {[string, string][]} */ ([...new FormData(form)].filter(([name, value]) => typeof value === "string" && isKept(name, form)));

/** Reports whether a form has fields that are typed into. @param {HTMLFormElement} form */
const isTyped = (form) => [...form.elements].some((field) => field.matches("textarea, select, input:not([type=hidden], [type=file])"));

/** @param {HTMLFormElement} form */
const keep = (form) => { if (isTyped(form)) write(nameOf(form), { fields: fieldsOf(form), interrupted: false }); };

/** Puts a value into a field. It reports whether it could. @param {RadioNodeList | Element | null} field @param {string} value @param {number} index among the fields of the name */
const put = (field, value, index) => {
  const one = field instanceof RadioNodeList ? field[index] ?? null : field;
  if (field instanceof RadioNodeList && one instanceof HTMLInputElement && one.type === "radio") {
    field.value = value;
    return true;
  }
  if (one instanceof HTMLTextAreaElement || one instanceof HTMLSelectElement || one instanceof HTMLInputElement && one.type !== "checkbox") {
    const fits = !(one instanceof HTMLInputElement && one.type === "hidden") || one.name.startsWith("_") || one.value === value;
    one.value = value;
    return fits;
  }
  return one instanceof HTMLInputElement;
};

/**
 * Fills in a form as it was left. A form whose rows differ from those that were typed is
 * shown again by the service, which a button of it asks for.
 * @param {HTMLFormElement} form
 * @param {Draft} draft
 */
const restore = (form, { fields }) => {
  /** @type {Map<string, number>} */
  const seen = new Map();
  const checked = new Set(fields.map(([name, value]) => `${name}=${value}`));
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[type=checkbox]"))) box.checked = checked.has(`${box.name}=${box.value}`);
  const again = /** @type {HTMLButtonElement | null} */ (form.querySelector("[data-restores]"));
  let whole = true;
  for (const [name, value] of fields) {
    const index = seen.get(name) ?? 0, field = /** @type {RadioNodeList | Element | null} */ (form.elements.namedItem(name));
    seen.set(name, index + 1);
    const isThere = field instanceof RadioNodeList ? index < field.length : index === 0;
    if (field && isThere) whole = put(field, value, index) && whole;
    else {
      whole = false;
      if (again) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
  }
  if (whole || !again) return say(form);
  form.dataset.plain = "yes"; // it is sent as a browser does
  form.requestSubmit(again);
};

/** Says that the form holds what was typed. @param {HTMLFormElement} form */
const say = (form) => {
  const notice = Object.assign(document.createElement("p"), { className: "notice", textContent: frame?.dataset.restored ?? "" });
  notice.setAttribute("role", "status");
  form.prepend(notice);
};

if (!frame) { // a sign-in page: what was being typed is restored after it
  for (const name of names(prefix)) write(name, { .../** @type {Draft} */ (read(name)), interrupted: true });
} else {
  for (const form of forms()) {
    const name = nameOf(form), draft = read(name);
    if (draft?.interrupted) {
      write(name, { ...draft, interrupted: false });
      restore(form, draft);
    } else storage?.removeItem(name);
    if (form.querySelector("[data-typed]")) keep(form); // the page is the answer to what was typed
  }
  for (const name of names(prefix)) if (!read(name)?.interrupted && !forms().some((form) => nameOf(form) === name)) storage?.removeItem(name);

  let timer = 0;
  /** @type {HTMLFormElement | undefined} */
  let typed;
  const flush = () => {
    clearTimeout(timer);
    if (typed?.isConnected) keep(typed);
  };
  frame.addEventListener("input", (event) => {
    const form = /** @type {Element} */ (event.target).closest("form");
    if (!form || !forms().includes(form)) return;
    if (typed !== form) flush();
    typed = form;
    clearTimeout(timer);
    timer = setTimeout(flush, 300);
  });
  frame.addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (form.matches(".way-out")) for (const name of names("draft:")) storage?.removeItem(name);
    else flush();
  });
  addEventListener("pagehide", flush);
}
