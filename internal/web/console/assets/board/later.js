// Modules that the first rows do not need. They come when all rows are there, or when
// they are first used: board.go has their names.

import { effect, signal } from "@preact/signals-core";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";

/**
 * Returns a component that is loaded when it is first shown. If it cannot be loaded, it
 * can be tried again.
 * @param {() => Promise<any>} load
 */
export const later = (load) => {
  const loaded = signal(/** @type {any} */ (null)), failed = signal(false);
  const read = () => {
    failed.value = false;
    load().then((component) => { loaded.value = component; }, () => { failed.value = true; });
  };
  let begun = false;
  /** @param {Record<string, unknown>} props */
  return (props) => {
    if (loaded.value) return html`<${loaded.value} ...${props} />`;
    if (!begun) {
      begun = true;
      queueMicrotask(read);
    }
    return failed.value
      ? html`<div class="empty" role="alert"><p><strong>${t("act.unreachable")}</strong></p><button type="button" class="button" onClick=${read}>${t("refused.again")}</button></div>`
      : html`<p class="empty soft">${t("board.loading")}</p>`;
  };
};

/** Whether the reader wants to save data. Not all browsers know. */
const saves = () => /** @type {{connection?: {saveData: boolean}}} */ (navigator).connection?.saveData;

/** What comes later. On phones, whose connection may be slow, and cost, it is loaded when it is shown. */
const rest = () => matchMedia("(width > 640px)").matches && !saves()
  ? [import("./asking.js"), import("./panel.js"), import("./couriers.js"), import("./printing.js")] : [];

/** Loads what comes later once the board is live, so that it is there when it is used. @param {import("@preact/signals-core").Signal<{kind: string}>} state */
export const loadLater = (state) => {
  const stop = effect(() => {
    if (state.value.kind !== "live") return;
    // What cannot be loaded now is tried again when it is used.
    setTimeout(() => { stop(); Promise.allSettled(rest()); }, 1000);
  });
};
