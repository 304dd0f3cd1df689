// What the desk has written to the courier, and the button that calls it.

import { useEffect } from "preact/hooks";
import { tick } from "dropyard/clock.js";
import { html } from "dropyard/html.js";
import { moment, n, t } from "dropyard/text.js";
import { rested, resting, said, sayUnstored } from "./acts.js";

/** @typedef {import("./round.js").Round} Round */
/** @typedef {import("./round.js").Message} Message */
/** @typedef {import("./acts.js").Outbox} Outbox */

/** Records that the courier has read a message. It throws if the phone cannot store it. @param {Outbox} outbox @param {string} courier @param {Message} message */
const recordRead = (outbox, courier, { message_id: id }) => rested(async () => {
  const path = `/ops/v1/couriers/${courier}/messages/${id}/read`;
  await outbox.record({ order_id: id, label: t("courier.message"), deed: { kind: "read", path, body: {} } });
  said.value = { text: t("courier.message.recorded"), danger: false };
});

/** @param {{message: Message, more: number, read: () => unknown}} props */
const Card = ({ message, more, read }) => {
  // The stops below it move: a finger may be on its way to one.
  useEffect(() => { void rested(async () => {}); }, []);
  return html`<article class="stop message" data-message=${message.message_id} aria-labelledby=${`message-${message.message_id}`}>
    <h2 id=${`message-${message.message_id}`}>${t("courier.message")}</h2>
    <p class="said"><bdi>${message.text}</bdi></p>
    <p class="soft">${moment(Date.parse(message.at), tick.value)}${more > 0 && ` · ${n("courier.refused.more", more)}`}</p>
    <button type="button" class="button first act" data-act="read" translate=${false} aria-disabled=${resting.value ? "true" : null}
      onClick=${() => { if (!resting.value) read(); }}>${t("courier.message.read")}</button>
  </article>`;
};

/** The messages, one after the other. They are read out as soon as they are there. @param {{round: Round, outbox: Outbox, courier: string}} props */
export const Messages = ({ round, outbox, courier }) => {
  const [first, ...rest] = round.messages.value;
  return html`<div role="alert">${first && html`<${Card} key=${first.message_id} message=${first} more=${rest.length}
    read=${() => recordRead(outbox, courier, first).catch(sayUnstored)} />`}</div>`;
};

/** Calls the desk, also without a connection. @param {{round: Round}} props */
export const Call = ({ round }) => round.phone.value && html`<a class="button call" href=${`tel:${round.phone.value}`} aria-label=${t("courier.call.dispatch")} title=${t("courier.call.dispatch")}>
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2"><path d="M6 3h4l2 5-3 2a12 12 0 0 0 5 5l2-3 5 2v4a2 2 0 0 1-2 2A17 17 0 0 1 4 5a2 2 0 0 1 2-2z" /></svg></a>`;
