// Messages from the desk to couriers, and when they were read.

import { useEffect } from "preact/hooks";
import { signal, useSignal } from "@preact/signals";
import { insist, press, reader, whyNot } from "./acts.js";
import { call } from "./api.js";
import { tick } from "dropyard/clock.js";
import { ask } from "dropyard/dialog.js";
import { draft, drafted } from "dropyard/draft.js";
import { html } from "dropyard/html.js";
import { moment, t } from "dropyard/text.js";

/** A message (CourierMessage in api/ops.yaml). @typedef {{message_id: string, text: string, at: string, read_at: string | null}} Message */

/** How many messages the dialog shows. */
const shown = 5;
/** How often it is asked whether a message was read, in milliseconds. */
const everyMs = 10000;

/** The latest messages to couriers, newest first, by courier. @type {import("@preact/signals").Signal<Map<string, Message[]>>} */
const latest = signal(new Map());

/** Reads the latest messages to a courier. What cannot be read now is read later. @param {string} id */
const read = (id) => call("GET", `/couriers/${encodeURIComponent(id)}/messages?limit=${shown}`)
  .then(({ messages }) => { latest.value = new Map(latest.value).set(id, messages); }, () => {});

/** Keeps the messages up to date while the newest is not read. @param {string} id @param {boolean} now read them in any case */
const useMessages = (id, now) => {
  const messages = latest.value.get(id) ?? [], waits = messages[0]?.read_at === null;
  useEffect(() => { if (now) void read(id); }, [now]);
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => { if (!document.hidden) void read(id); }, everyMs);
    return () => clearInterval(timer);
  }, [waits]);
  return messages;
};

/** When a message was read. @param {{message: Message}} props */
const Read = ({ message: { read_at: at } }) => at ? html`<span class="soft">${t("views.message.read", { t: moment(Date.parse(at), tick.value) })}</span>` : html`<strong class="warn">${t("views.message.unread")}</strong>`;

/** The newest message to a courier. @param {{id: string, unread: number}} props unread is how many of the courier's messages are not read */
export const Newest = ({ id, unread }) => {
  const [message] = useMessages(id, unread > 0);
  return message ? html`<span class="newest"><${Read} message=${message} /> · <bdi>${message.text}</bdi></span>` : null;
};

/** @param {{id: string}} props */
const Messages = ({ id }) => {
  const name = `message:${reader}:${id}`, messages = useMessages(id, true), text = useSignal(drafted(name)), pressed = useSignal(/** @type {import("./acts.js").Press | null} */ (null)), busy = useSignal(false), fault = useSignal("");
  /** @param {string} typed */
  const keep = (typed) => { text.value = typed; draft(name, typed); };
  /** @param {Event} event */
  const send = async (event) => {
    event.preventDefault();
    if (!text.value.trim() || busy.value) return;
    pressed.value ??= press("POST", `/couriers/${encodeURIComponent(id)}/messages`, { text: text.value.trim() });
    busy.value = true;
    try {
      await insist(pressed.value);
      [pressed.value, fault.value] = [null, ""];
      keep("");
      await read(id);
    } catch (error) { // the text stays, and is sent with the same key
      fault.value = whyNot(error);
    }
    busy.value = false;
  };
  return html`<form class="stack" onSubmit=${send}>
    <textarea class="input" rows="3" maxlength="500" autofocus aria-label=${t("views.message.text")} value=${text.value}
      onInput=${(/** @type {{currentTarget: HTMLTextAreaElement}} */ event) => { keep(event.currentTarget.value); pressed.value = null; }}></textarea>
    ${fault.value && html`<p class="fault" role="alert">${fault.value}</p>`}
    <p><button class="button first" disabled=${busy.value}>${t("views.message.send")}</button></p>
    <div class="stack" role="status">${messages.map((message) => html`<div key=${message.message_id}><p class="long"><bdi>${message.text}</bdi></p>
      <p class="small"><span class="soft">${moment(Date.parse(message.at), tick.value)}</span> · <${Read} message=${message} /></p></div>`)}</div>
  </form>`;
};

/** Asks what to write to a courier. @param {string} id @param {string} courier the name */
export const askMessage = (id, courier) => ask(t("views.message.to", { courier }), () => html`<${Messages} id=${id} />`);
