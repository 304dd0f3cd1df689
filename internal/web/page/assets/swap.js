// Replaces a part of the page. Without it links and forms navigate.
//
//   <a data-swap="list">, <form data-swap="list">  replace the element with that id
//   <main data-live="20">                          reads the page again every 20 s, and
//                                                  replaces what differs of data-part
//
// The document gets the event "swapped" then.

/** @typedef {{ page: Document, url: string, ok: boolean, status: number }} Answer ok is false for an error */

// load reads a page as a document. XMLHttpRequest parses it, so that no text becomes
// markup in this page: Trusted Types have nothing to forbid.
/** @type {(url: string, method?: string, body?: URLSearchParams | null) => Promise<Answer>} */
export const load = (url, method = "GET", body = null) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open(method, url);
  request.responseType = "document";
  request.setRequestHeader("Accept", "text/html");
  request.timeout = 30000;
  request.onload = () => request.response
    ? resolve({ page: request.response, url: request.responseURL, ok: request.status < 400, status: request.status })
    : reject(new Error("not a page"));
  request.onerror = request.ontimeout = () => reject(new Error("not reached"));
  request.send(body);
});

// fieldsOf returns what a browser sends of a form whose button was pressed.
/** @type {(form: HTMLFormElement, button: HTMLElement | null) => URLSearchParams} */
export const fieldsOf = (form, button) => new URLSearchParams(/** @type {any} */ (new FormData(form, button)));

// put replaces an element by that of another page, and keeps the focus on what has
// the same id.
/** @type {(old: Element, fresh: Element) => void} */
export const put = (old, fresh) => {
  const focused = old.contains(document.activeElement) ? document.activeElement?.id : "";
  const adopted = document.adoptNode(fresh);
  old.replaceWith(adopted);
  document.dispatchEvent(new CustomEvent("swapped", { detail: adopted }));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
};

// swap shows a part of the page at url. What cannot be shown so is navigated to. Of what is
// only read, the latest answer counts; the answer to a POST is always shown, because the
// change has been made, and what it says may be shown only once.
let latest = 0;
/** @type {(id: string, url: string, how?: { method?: string, body?: URLSearchParams | null, remember?: boolean }) => Promise<void>} */
const swap = async (id, url, { method = "GET", body = null, remember = true } = {}) => {
  const turn = ++latest;
  const old = /** @type {HTMLElement} */ (document.getElementById(id));
  old.setAttribute("aria-busy", "true");
  try {
    const answer = await load(url, method, body);
    if (turn !== latest && method === "GET") return; // another click was faster
    const fresh = answer.page.getElementById(id);
    // A form that leads nowhere else is sent as a browser does: its own address may have no page.
    if (!fresh && method !== "GET" && answer.url === new URL(url, location.href).href) throw new Error("no part");
    if (!fresh || new URL(answer.url).origin !== location.origin) return location.assign(answer.url);
    put(document.getElementById(id) ?? old, fresh);
    document.title = answer.page.title;
    if (!remember) return;
    if (!history.state) history.replaceState({ swap: id }, "");
    history.pushState({ swap: id }, "", answer.url);
  } catch {
    if (method !== "GET") { old.removeAttribute("aria-busy"); throw new Error("not sent"); }
    location.assign(url);
  }
};

document.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement | null} */ (/** @type {Element} */ (event.target).closest?.("a[data-swap]"));
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const id = link?.dataset.swap;
  if (!id || !plain || event.defaultPrevented || !document.getElementById(id)) return;
  event.preventDefault();
  swap(id, link.href);
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target), id = form.dataset.swap;
  if (!id || event.defaultPrevented || !document.getElementById(id)) return;
  event.preventDefault();
  const fields = fieldsOf(form, event.submitter);
  if (form.method === "get") {
    const url = new URL(form.action);
    url.search = String(fields);
    swap(id, url.href);
    return;
  }
  if (form.getAttribute("aria-busy")) return; // a double click; the hidden key would catch it, too
  form.setAttribute("aria-busy", "true");
  // What cannot be sent this way is sent as a browser sends it; the hidden key makes
  // sure that it changes nothing twice.
  swap(id, form.action, { method: "POST", body: fields }).then(() => form.removeAttribute("aria-busy"), () => form.submit());
});

// Pages reached by swaps are shown again by reading them again.
addEventListener("popstate", () => {
  const part = history.state?.swap;
  if (part && document.getElementById(part)) swap(part, location.href, { remember: false });
});

// refresh replaces the parts that differ, and nothing else, so that a screen reader
// speaks when something happens. It compares with what the server sent before,
// because other scripts show times in the reader's zone.
/** @param {Document} page */
const parts = (page) => [...page.querySelectorAll("[data-part]")];
const seen = new Map(parts(document).map((part) => [part.id, part.outerHTML]));
const refresh = async () => {
  const { page, ok } = await load(location.href);
  const live = page.querySelector("[data-live]");
  if (!ok) return 1;
  for (const fresh of parts(page)) {
    const html = fresh.outerHTML, old = document.getElementById(fresh.id);
    if (!old || seen.get(fresh.id) === html) continue;
    seen.set(fresh.id, html);
    put(old, fresh);
  }
  document.title = page.title;
  return live;
};

// follow refreshes a live page while it is looked at, and immediately when it is
// looked at again. It ends with a page that is not live.
/** @param {number} seconds */
const follow = (seconds) => {
  let timer = 0, running = false;
  /** @param {number} factor */
  const later = (factor) => { timer = setTimeout(round, seconds * 1000 * factor); };
  const round = async () => {
    clearTimeout(timer);
    if (document.hidden || running) return;
    running = true;
    /** @type {unknown} */
    let live = true;
    try { live = await refresh(); } catch { /* offline: the next round tries again */ }
    running = false;
    if (live) later(1); else document.removeEventListener("visibilitychange", round);
  };
  document.addEventListener("visibilitychange", round);
  addEventListener("online", round);
  later(1);
};
const live = /** @type {HTMLElement | null} */ (document.querySelector("[data-live]"));
if (live) follow(Number(live.dataset.live));
