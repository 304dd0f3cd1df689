// Signs a request in the browser and sends it. Key, secret and token stay in the form:
// nothing keeps them, and the browser's cookies are not sent.

const section = document.getElementById("trial");
const form = section?.querySelector("form");
const shown = document.getElementById("trial-answer");
const encoder = new TextEncoder();

/** signature returns the value of X-Signature.
 * @param {string} secret @param {string} text */
const signature = async (secret, text) => {
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  return "v1=" + Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
};

/** request returns the address and the options of what the form asks for.
 * @param {HTMLFormElement} from */
const request = async (from) => {
  const { method = "GET", route = "", kind = "" } = from.dataset;
  const headers = new Headers(), query = new URLSearchParams();
  let path = route;
  for (const input of from.querySelectorAll("input")) {
    const value = input.value.trim(), name = input.name;
    if (input.dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    if (input.dataset.in === "query" && value) query.set(name, value);
    if (input.dataset.in === "header" && value) headers.set(name, value);
    if (name === "Idempotency-Key" && !value) headers.set(name, crypto.randomUUID());
  }
  const body = from.querySelector("textarea")?.value ?? "";
  if (kind) headers.set("Content-Type", kind);
  /** @param {string} name */
  const typed = (name) => from.querySelector(/** @type {"input"} */ (`input[name="${name}"]`))?.value.trim() ?? "";
  if (typed("key")) {
    const now = String(Math.floor(Date.now() / 1000));
    headers.set("X-Api-Key", typed("key"));
    headers.set("X-Timestamp", now);
    headers.set("X-Signature", await signature(typed("secret"), `${now}\n${method}\n${path}\n${body}`));
  }
  if (typed("token")) headers.set("Authorization", `Bearer ${typed("token")}`);
  const address = query.size ? `${path}?${query}` : path;
  return { address, options: { method, headers, body: kind ? body : undefined, credentials: /** @type {const} */ ("omit") } };
};

/** readable returns a body as people read it. @param {string} text */
const readable = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

if (section && form && shown && isSecureContext) { // without https browsers do not sign
  section.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const { address, options } = await request(form);
      const answer = await fetch(address, options);
      shown.textContent = `${answer.status} ${answer.statusText}\n\n${readable(await answer.text())}`;
    } catch (fault) {
      shown.textContent = String(fault);
    }
    shown.hidden = false;
    shown.focus();
  });
}
