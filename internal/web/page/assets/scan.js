// Codes that are scanned into a form with the camera, besides a hand scanner and the keyboard: where the browser reads codes
// itself, a form with a field for them has a button. A code is filled in, and the form is sent, unless the script of the
// form does with it what it does with other scans: it cancels the event "scanned".

import { NoCamera, ownReader, products, run } from "dropyard/camera.js";

const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("camera"));
const video = /** @type {HTMLVideoElement} */ (dialog.querySelector("video")), said = /** @type {HTMLElement} */ (dialog.querySelector("[role=status]"));
const reading = () => ownReader(products);

if (await reading()) document.documentElement.classList.add("reads-codes");

/** @param {HTMLFormElement} form */
const scan = (form) => {
  const ends = new AbortController();
  [said.textContent, video.hidden] = ["", false];
  dialog.addEventListener("close", () => ends.abort(), { once: true });
  dialog.showModal();
  /** @param {string} code */
  const found = (code) => {
    if (ends.signal.aborted) return; // a picture may have several codes
    ends.abort();
    dialog.close();
    if (!form.dispatchEvent(new CustomEvent("scanned", { detail: code, cancelable: true }))) return;
    const field = /** @type {HTMLInputElement | null} */ (form.querySelector(".scan"));
    if (!field) return;
    field.value = code;
    form.requestSubmit(/** @type {HTMLElement | null} */ (form.querySelector(".button:not([type=button])")));
  };
  run(video, found, ends.signal, reading).catch((error) => {
    said.textContent = dialog.dataset[error instanceof NoCamera ? error.reason : "broken"] ?? "";
    video.hidden = true;
  });
};

document.addEventListener("click", ({ target }) => {
  const pressed = target instanceof Element ? target : null, form = pressed?.closest("[data-camera]")?.closest("form");
  if (form) scan(form);
  else if (pressed?.closest("[data-close]")) dialog.close();
});
