// The dialogs in which the places and the columns of the list are chosen.

import { useSignal } from "@preact/signals";
import { choices } from "./board.js";
import { columnNames } from "./bar.js";
import { close } from "dropyard/dialog.js";
import { several } from "./filter.js";
import { html } from "dropyard/html.js";
import { plain } from "dropyard/plain.js";
import { filter, narrow, shownColumns, sort, sortBy, toggleColumn } from "./route.js";
import { fixed } from "./sorting.js";
import { n, t } from "dropyard/text.js";

/** @typedef {import("./filter.js").Choice} Choice */

/** @param {{label: string, all: Choice[], chosen: string[], change: (values: string[]) => void}} props */
const Boxes = ({ label, all, chosen, change }) => all.length > 0 && html`<fieldset class="choices"><legend>${label}</legend>
  ${all.map(({ value, label: name, count }) => html`<label class="check" key=${value}><input type="checkbox" checked=${chosen.includes(value)}
    onChange=${() => change(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value])} /><span><bdi>${name}</bdi> <span class="soft">${n("views.orders", count)}</span></span></label>`)}
</fieldset>`;

/** How many zones and how many cities are listed; typing narrows them. */
const listed = 60;

/** The dialog that chooses several zones and cities. */
export const Places = () => {
  const text = useSignal(""), zones = several(filter.value.zone.toUpperCase(), ","), cities = several(filter.value.city, "|");
  /** Returns the choices that fit what was typed; those that are chosen stay. @param {Choice[]} all @param {string[]} chosen */
  const fitting = (all, chosen) => all.filter(({ value }) => chosen.includes(value) || plain(value).includes(plain(text.value.trim()))).slice(0, listed);
  return html`<div class="stack">
    <input class="input" type="search" aria-label=${t("board.where.find")} placeholder=${t("board.where.find")} autocomplete="off" spellcheck=${false}
      onInput=${(/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => { text.value = currentTarget.value; }} />
    <div class="stack places-list">
      <${Boxes} label=${t("board.cities")} all=${fitting(choices.value.cities, cities)} chosen=${cities} change=${(/** @type {string[]} */ values) => narrow({ city: values.join("|") }, { replace: true })} />
      <${Boxes} label=${t("board.zones")} all=${fitting(choices.value.zones, zones)} chosen=${zones} change=${(/** @type {string[]} */ values) => narrow({ zone: values.join() }, { replace: true })} />
    </div>
    <p class="line"><button type="button" class="button first" onClick=${close}>${t("board.where.show")}</button>
      ${zones.length + cities.length > 0 && html`<button type="button" class="button" onClick=${() => narrow({ zone: "", city: "" }, { replace: true })}>${t("board.where.all")}</button>`}</p>
  </div>`;
};

/** The dialog that chooses the columns of the list, and by which it is sorted. */
export const Columns = () => html`<div class="stack">
  <fieldset class="choices"><legend>${t("board.columns.shown")}</legend>
    ${columnNames().filter(([name]) => !fixed.includes(name)).map(([name, label]) => html`<label class="check" key=${name}><input type="checkbox" checked=${shownColumns.value.has(name)}
      onChange=${() => toggleColumn(name)} /><span>${label}</span></label>`)}
  </fieldset>
  <div class="field"><label for="sort-by">${t("board.sort")}</label>
    <select class="input" id="sort-by" value=${sort.value.by} onChange=${(/** @type {{currentTarget: HTMLSelectElement}} */ { currentTarget }) => sortBy(/** @type {any} */ (currentTarget.value))}>
      ${columnNames().map(([name, label]) => html`<option key=${name} value=${name}>${label}</option>`)}
    </select></div>
  <label class="check"><input type="checkbox" checked=${sort.value.isReversed} onChange=${() => sortBy(sort.value.by)} /><span>${t("board.sort.reversed")}</span></label>
  <p class="line"><button type="button" class="button first" onClick=${close}>${t("board.columns.done")}</button></p>
</div>`;
