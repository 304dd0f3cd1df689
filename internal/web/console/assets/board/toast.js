// What was just done or refused, at the lower right, with what takes it back.

import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { said } from "./acts.js";
import { classes, html } from "dropyard/html.js";
import { t } from "dropyard/text.js";

/** For how long it is shown, in milliseconds; longer while it has the pointer or the focus. */
const shownMs = 10000;

/** Reports whether the toast has the focus. */
export const isInToast = () => Boolean(document.activeElement?.closest(".toast"));

/** Changes what is shown. The focus goes back to the list if what had it is gone then. @param {import("./acts.js").Saying} next */
const show = (next) => {
  if (isInToast()) /** @type {HTMLElement | null} */ (document.querySelector("[data-rest]"))?.focus();
  said.value = next;
};

/** Closes the toast. */
export const dismiss = () => { if (said.value.text) show({ text: "", danger: false, undo: null }); };

/** Takes the last act back, once, while the toast offers that. */
export const undoLast = () => {
  const { undo } = said.value;
  if (!undo) return;
  show({ ...said.value, undo: null });
  undo();
};

/** The toast. The element around it is always there, so that screen readers notice what comes into it. */
export const Toast = () => {
  const now = said.value, pointed = useSignal(false), focused = useSignal(false), isHeld = pointed.value || focused.value;
  useEffect(() => {
    if (!now.text) [pointed.value, focused.value] = [false, false]; // what is gone is not left
    if (!now.text || isHeld) return;
    const timer = setTimeout(dismiss, shownMs);
    return () => clearTimeout(timer);
  }, [now, isHeld]);
  return html`<div class="toasts" role="status" onMouseEnter=${() => { pointed.value = true; }} onMouseLeave=${() => { pointed.value = false; }}
    onFocusIn=${() => { focused.value = true; }} onFocusOut=${() => { focused.value = false; }}>
    ${now.text && html`<div class=${classes("toast", now.danger && "refused")}><p>${now.text}</p>
      ${now.undo && html`<button type="button" class="undo" aria-keyshortcuts="z" onClick=${undoLast}>${t("act.undo")} <kbd aria-hidden="true">z</kbd></button>`}
      <button type="button" class="shut" aria-label=${t("act.close")} onClick=${dismiss}><span aria-hidden="true">✕</span></button></div>`}
  </div>`;
};
