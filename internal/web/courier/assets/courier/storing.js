// How a dialog stores what was entered in it.

import { useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { close, dialog } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";

/**
 * Returns how a dialog stores what it asks for. store calls a function, and closes the
 * dialog when that has ended; if it throws, the dialog stays with what was entered, and
 * Unstored says so.
 */
export const useStoring = () => {
  const mine = useRef(dialog.peek()), storing = useSignal(false), failed = useSignal(false);
  /** @param {() => unknown} run */
  const store = async (run) => {
    if (storing.value) return;
    [storing.value, failed.value] = [true, false];
    try {
      await run();
      if (dialog.peek() === mine.current) close();
    } catch { // the storage is full or broken
      failed.value = true;
    }
    storing.value = false;
  };
  return { store, storing, failed };
};

/** Says that the phone could not store it. @param {{failed: import("@preact/signals").Signal<boolean>}} props */
export const Unstored = ({ failed }) => failed.value && html`<p class="fault" role="alert">${t("courier.not_stored")}</p>`;
