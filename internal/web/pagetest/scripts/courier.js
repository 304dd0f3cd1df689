// What brings the courier's app into a state: answers in the place of the service's, and
// the finger of the courier. It runs before the scripts of the page.

/** Answers in the place of the service's, by how method and path begin. The latest counts. @type {[string, (answered: () => Promise<Response>) => Promise<Response>][]} */
const answers = [];
const answered = globalThis.fetch;
globalThis.fetch = (path, init) => {
  const asked = `${init?.method ?? "GET"} ${path}`, pass = () => answered(path, init);
  return (answers.findLast(([begins]) => asked.startsWith(begins))?.[1] ?? ((go) => go()))(pass);
};

// The app sets its clock by the Date of responses, which is that of the machine.
const header = Headers.prototype.get;
Headers.prototype.get = function (name) { return name === "Date" ? null : header.call(this, name); };

const lost = () => Promise.reject(new TypeError("Failed to fetch"));
const never = () => new Promise(() => {});
/** Returns an answer of the service. @param {number} status @param {unknown} body */
const service = (status, body) => async () => new Response(JSON.stringify(body), { status, headers: { "X-Request-Id": "req_3f1c9a70b2d84e6655aa" } });
/** Returns an error of the service. @param {number} status @param {string} code @param {unknown} [details] */
const fault = (status, code, details) => service(status, { error: { code, message: "broken", details } });
/** Changes what the service answers. @param {(body: any) => unknown} change */
const changed = (change) => async (go) => {
  const response = await go();
  return new Response(JSON.stringify(change(await response.json())), response);
};

/** Returns an element as soon as it is there. @param {string} what @returns {Promise<any>} */
const seen = (what) => new Promise((resolve) => {
  const look = () => {
    const found = document.querySelector(what);
    if (found) { observer.disconnect(); resolve(found); }
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { attributes: true, childList: true, subtree: true });
  look();
});
/** Taps elements, each as soon as it is there. @param {string[]} all */
const tap = async (...all) => { for (const what of all) (await seen(what)).click(); };
/** Taps the next act of a stop that is on the way to its recipient. */
const act = () => tap('.small[data-status="in_transit"]', '.large[data-status="in_transit"] [data-act="out_for_delivery"]:not([aria-disabled])');
/** Reads the stops again, as when the connection is back. */
const again = async () => { await seen(".stop"); dispatchEvent(new Event("online")); };
/** Returns a module of the app. @param {string} name */
const module = async (name) => { await seen(".stop"); return import(`/assets/courier/${name}`); };

/** Enters a text into a field. @param {string} field @param {string} text */
const enter = async (field, text) => {
  const input = await seen(field);
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
};

/** Types a code into the scanner. @param {string} code */
const type = async (code) => {
  (await seen("#scan-code")).value = code;
  await tap(".scan .code button");
};
/** Gives the phone a camera that sees a parcel, and a reader that reads these codes. @param {string[]} codes */
const camera = (...codes) => {
  const scene = Object.assign(document.createElement("canvas"), { width: 640, height: 480 }), context = scene.getContext("2d");
  const draw = () => {
    for (const [colour, ...box] of [["#5a4a3a", 0, 0, 640, 480], ["#b98f5e", 90, 70, 460, 360], ["#fff", 200, 160, 240, 170]]) { context.fillStyle = colour; context.fillRect(...box); }
    context.fillStyle = "#111";
    for (let x = 0; x < 200; x += 4) if ((x * 7) % 12 < 8) context.fillRect(220 + x, 190, 3, 90);
  };
  draw();
  setInterval(draw, 100);
  navigator.mediaDevices.getUserMedia = async () => scene.captureStream(10);
  globalThis.BarcodeDetector = class {
    static async getSupportedFormats() { return ["code_128", "qr_code"]; }
    async detect() { return codes.map((rawValue) => ({ rawValue })); }
  };
};
/** Takes the camera away, as a browser says so. @param {string} name of the error */
const blind = (name) => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", name); }; };

/** Puts a file into the field of the photo. @param {Blob} content */
const choose = async (content) => {
  const field = await seen(".dialog .taker input"), files = new DataTransfer();
  files.items.add(new File([content], "photo.jpg", { type: "image/jpeg" }));
  field.files = files.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
};
/** Takes a photo of parcels at a door. */
const photograph = async () => {
  const canvas = new OffscreenCanvas(900, 1200), context = canvas.getContext("2d");
  for (const [colour, ...box] of [["#8d99a6", 0, 0, 900, 1200], ["#7a2e2a", 220, 60, 460, 900], ["#777", 0, 960, 900, 240], ["#b98f5e", 330, 720, 330, 300], ["#fff", 430, 790, 130, 90]]) { context.fillStyle = colour; context.fillRect(...box); }
  await choose(await canvas.convertToBlob({ type: "image/jpeg" }));
};
/** Signs with a finger. */
const sign = async () => {
  const canvas = await seen("canvas.signature[width]"); // it has been made as large as its place
  const { left, top } = canvas.getBoundingClientRect();
  const send = (target, type, x, y, buttons) => target.dispatchEvent(new PointerEvent(type,
    { clientX: left + x, clientY: top + y, buttons, pointerId: 1, isPrimary: true, pointerType: "touch", pressure: .5, bubbles: true, cancelable: true }));
  send(canvas, "pointerdown", 40, 90, 1);
  for (let i = 1; i <= 20; i++) {
    await new Promise((resolve) => { setTimeout(resolve, 20); }); // the field takes no more than that
    send(window, "pointermove", 40 + 10 * i, 80 + 34 * Math.sin(i * 1.1), 1);
  }
  send(window, "pointerup", 240, 80, 0);
};
