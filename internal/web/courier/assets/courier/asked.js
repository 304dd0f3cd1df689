// What the service asks about a delivery before it accepts it: what was collected. The delivery
// waits in the outbox until the courier has answered.

import { useSignal } from "@preact/signals";
import { tick } from "dropyard/clock.js";
import { ask } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { moment, n, t } from "dropyard/text.js";
import { rested, said, useReady } from "./acts.js";
import { money } from "dropyard/amounts.js";
import { useCollecting } from "./collect.js";
import { Unstored, useStoring } from "./storing.js";

/** @typedef {import("./cash.js").Cash} Cash */
/** @typedef {import("./cash.js").Collected} Collected */
/** @typedef {import("./round.js").Round} Round */
/** @typedef {import("./outbox.js").Act} Act */
/** @typedef {Pick<import("./outbox.js").Outbox, "waiting" | "refused" | "answer">} Outbox */

/** Returns what a delivery says was collected; undefined if it does not. @param {Act} act @returns {Collected | undefined} */
const collectedOf = ({ body }) => JSON.parse(String(body)).collected;

/** What the service has asked about a delivery, again. @typedef {{act: Act, due: () => Cash | null | undefined, outbox: Outbox}} Again */

/** @param {Again} props */
const Again = ({ act, due, outbox }) => {
  const before = collectedOf(act), { store, storing, failed } = useStoring();
  const { fields, read } = useCollecting(due() ?? { amount_cents: 0, currency: before?.currency ?? "CAD" }, before, act.asked?.field === "collected.notes");
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    const collected = read();
    if (collected) void store(() => rested(async () => {
      await outbox.answer(act.id, collected);
      said.value = { text: t("courier.ask.recorded", { name: act.label }), danger: false };
    }));
  };
  return html`<form class="stack" noValidate onSubmit=${submit}>${fields}<${Unstored} failed=${failed} />
    <button class="button first large" aria-disabled=${storing.value ? "true" : null}>${t("courier.ask.send")}</button></form>`;
};

/** The fields of which the service asks after the amount to collect was changed. */
const changes = new Set(["collected.notes", "collected.currency"]);

/** Says what the service asks about a delivery. @param {Act} act @param {Cash | null | undefined} due */
const question = ({ asked }, due) => {
  if (asked?.field === "collected") return t("courier.ask.missing");
  if (!changes.has(asked?.field ?? "") || due === undefined) return t("courier.refused.other", { text: asked?.message ?? "" });
  return t("courier.ask.changed", { amount: due ? money(due) : t("courier.changed.nothing") });
};

/** @param {{act: Act, more: number, round: Round, outbox: Outbox, readDue: (id: string) => Promise<Cash | null | undefined>}} props */
const Card = ({ act, more, round, outbox, readDue }) => {
  const ready = useReady(), read = useSignal(/** @type {Cash | null | undefined} */ (undefined));
  /** The amount to collect, as the round has it, or as it was read for this. */
  const due = () => {
    const known = round.due(act.order_id);
    return known === undefined ? read.value : known;
  };
  const open = async () => {
    if (!ready.value) return;
    if (due() === undefined) read.value = await readDue(act.order_id);
    if (due() === undefined) said.value = { text: t("courier.ask.unknown"), danger: true };
    else ask(t("courier.ask", { name: act.label }), () => html`<${Again} act=${act} due=${due} outbox=${outbox} />`);
  };
  return html`<article class="stop refusal" data-asks=${act.id} aria-labelledby=${`asks-${act.id}`}>
    <h2 id=${`asks-${act.id}`}>${t("courier.ask", { name: act.label })}</h2>
    <p>${question(act, due())}</p>
    <p class="soft">${t("courier.refused.tapped", { t: moment(Date.parse(act.at), tick.value) })}${more > 0 && ` · ${n("courier.refused.more", more)}`}</p>
    <button type="button" class="button first act" data-act="answer" translate=${false} aria-disabled=${ready.value ? null : "true"} onClick=${open}>${t("courier.ask.do")}</button>
  </article>`;
};

/** What the service asks about deliveries, one after the other, and after what it has refused. It is read out as soon as it is there. @param {{round: Round, outbox: Outbox, readDue: (id: string) => Promise<Cash | null | undefined>}} props */
export const Questions = ({ round, outbox, readDue }) => {
  const [first, ...rest] = outbox.refused.value.length ? [] : outbox.waiting.value.filter(({ asked }) => asked);
  return html`<div class="refusals" role="alert">${first && html`<${Card} key=${first.id} act=${first} more=${rest.length} round=${round} outbox=${outbox} readDue=${readDue} />`}</div>`;
};
