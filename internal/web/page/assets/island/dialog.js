// Dialogs, one at a time. They are the browser's own: what is behind them is inert, and
// the focus returns to where it was, or to the element with data-rest if that is gone or
// cannot take it.

import { useLayoutEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals-core";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";

/** @typedef {{title: string, body: () => any}} Shown */

/** The dialog that is open. @type {import("@preact/signals-core").Signal<Shown | null>} */
export const dialog = signal(null);

/** Opens a dialog. @param {string} title @param {() => any} body what it shows */
export const ask = (title, body) => { dialog.value = { title, body }; };

/** What the field that the next dialog opens with has been typed. */
let ahead = "";

/** Puts a text into the field with which the next dialog opens. @param {string} text */
export const typed = (text) => { ahead = text; };

/** Types what was typed before the dialog was there. */
const catchUp = () => {
  const field = document.activeElement;
  if (ahead && (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) {
    field.value = ahead;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  ahead = "";
};

/** Closes the dialog. */
export const close = () => { dialog.value = null; };

/** @param {{shown: Shown}} props */
const Open = ({ shown }) => {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement), opened = element.current;
    opened?.showModal();
    catchUp();
    return () => {
      opened?.close();
      before?.focus();
      // What the dialog has changed is drawn by then: the button that has opened it may be gone.
      queueMicrotask(() => {
        if (!document.activeElement || document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector("[data-rest]"))?.focus();
      });
    };
  }, []);
  return html`<dialog class="dialog stack" ref=${element} aria-labelledby="dialog-title"
    onCancel=${(/** @type {Event} */ event) => { event.preventDefault(); close(); }}>
    <div class="spread"><h2 id="dialog-title">${shown.title}</h2>
      <button type="button" class="copy" aria-label=${t("act.close")} onClick=${close}><span aria-hidden="true">✕</span></button></div>
    ${shown.body()}
  </dialog>`;
};

/** Where the dialog is shown. */
export const Dialogs = () => dialog.value && html`<${Open} key=${dialog.value.title} shown=${dialog.value} />`;
