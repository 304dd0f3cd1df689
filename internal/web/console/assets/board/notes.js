// The order that is open: it is read, and its notes are shown. The field for a note is there
// from the start, so that the key that leads to it is not followed by one that acts.

import { useEffect, useLayoutEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { insist, press, reader, say, whyNot } from "./acts.js";
import { call } from "./api.js";
import { tick } from "dropyard/clock.js";
import { draft, drafted } from "dropyard/draft.js";
import { html } from "dropyard/html.js";
import { later } from "./later.js";
import { entered, noteField } from "./route.js";
import { store } from "./store.js";
import { full, moment, t } from "dropyard/text.js";

/** An order as GET /ops/v1/orders/{order_id} has it. @typedef {Record<string, any>} OrderRecord */
/** What has been read of an order. @typedef {ReturnType<typeof useRecord>} Found */

const Top = later(async () => (await import("./panel.js")).Top);
const Rest = later(async () => (await import("./panel.js")).Rest);

/** The name of an operator. @param {OrderRecord} record @param {string} id */
export const nameOf = (record, id) => record.operators[id] ?? id;

/** A time, in full where it is pointed at. @param {{at: string}} props */
export const When = ({ at }) => html`<time datetime=${at} title=${full(Date.parse(at))}>${moment(Date.parse(at), tick.value)}</time>`;

/**
 * Reads an order, and again when the feed has a newer version of it.
 * @param {string} id
 */
const useRecord = (id) => {
  const record = useSignal(/** @type {OrderRecord | null} */ (null)), failed = useSignal(/** @type {any} */ (null)), own = useSignal(0);
  const row = (store.version.value, store.rows.get(id));
  const read = async () => {
    try {
      record.value = await call("GET", `/orders/${encodeURIComponent(id)}`);
      failed.value = null;
    } catch (error) { failed.value = error; }
  };
  const known = record.value?.version ?? 0, isGone = Boolean(record.value) && !row;
  const isStale = Boolean(record.value && row && row.version > known);
  useEffect(() => { read(); }, [row?.version ?? 0, isGone]);
  return { record, failed, own, read, isStale };
};

/** The notes, and a field for another one, which is there before the order has been read. @param {{id: string, record: OrderRecord | null, added: () => void}} props */
const Notes = ({ id, record, added }) => {
  const name = `note:${reader}:${id}`, text = useSignal(drafted(name)), pressed = useSignal(/** @type {import("./acts.js").Press | null} */ (null)), busy = useSignal(false), fault = useSignal("");
  useLayoutEffect(() => { if (entered(noteField)) document.getElementById(noteField)?.focus(); }, []);
  /** Keeps what is typed at once: the next key may close the panel. @param {string} typed */
  const keep = (typed) => { text.value = typed; draft(name, typed); };
  /** @param {Event} event */
  const send = async (event) => {
    event.preventDefault();
    if (!text.value.trim() || busy.value) return;
    pressed.value ??= press("POST", `/orders/${id}/notes`, { text: text.value.trim() });
    busy.value = true;
    try {
      await insist(pressed.value);
      [pressed.value, fault.value] = [null, ""];
      keep("");
      say(t("act.note.done"));
      added();
    } catch (error) { // the text stays, and is sent with the same key
      fault.value = whyNot(error);
    }
    busy.value = false;
  };
  return html`<section>
    <h3>${t("act.notes")}</h3>
    ${record?.notes.map((/** @type {any} */ note) => html`<div key=${note.note_id}><p class="long"><bdi>${note.text}</bdi></p><p class="soft small"><${When} at=${note.at} /> · ${nameOf(/** @type {OrderRecord} */ (record), note.operator_id)}</p></div>`)}
    <form onSubmit=${send}>
      <label class="hidden" for=${noteField}>${t("act.note")}</label>
      <textarea id=${noteField} class="input" rows="2" maxlength="2000" placeholder=${t("act.note")} value=${text.value}
        onInput=${(/** @type {{currentTarget: HTMLTextAreaElement}} */ event) => { keep(event.currentTarget.value); pressed.value = null; }}
        onKeyDown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event); }}></textarea>
      ${fault.value && html`<p class="fault" role="alert">${fault.value}</p>`}
      <button class="button" disabled=${busy.value}>${t("act.note.do")}</button>
    </form>
  </section>`;
};

/** The panel of an order. @param {{id: string}} props */
export const Panel = ({ id }) => {
  const found = useRecord(id), { record, read } = found;
  return html`<div class="panel-order">
    <${Top} found=${found} />
    <div class="panel-body"><${Notes} id=${id} record=${record.value} added=${read} /></div>
    ${record.value && html`<${Rest} found=${found} />`}
  </div>`;
};
