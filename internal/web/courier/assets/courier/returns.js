// Parcels to bring back: of orders that were cancelled after their pickup. Those that were in stock go
// to a warehouse, which receives them; others go back to their sender, who signs or is in a photo.

import { html } from "dropyard/html.js";
import { n, t } from "dropyard/text.js";
import { labelOf, resting, rested, said, sayUnstored } from "./acts.js";
import { Address, Ways, parcelsOf, useTicks } from "./card.js";
import { askHandover } from "./handover.js";
import { askGivenBack } from "./proofs.js";
import { places } from "./round.js";

/** @typedef {import("./round.js").Brought} Brought */
/** @typedef {import("./round.js").Round} Round */
/** @typedef {import("./acts.js").Outbox} Outbox */
/** @typedef {import("./acts.js").Picture} Picture */

/** Names the place of parcels. @param {Brought} one */
const nameOf = ({ stop: { name } }) => name || t("courier.bring.unknown");

/**
 * Records that parcels were brought back. It throws if the phone cannot store it.
 * @param {Outbox} outbox
 * @param {Brought[]} returns
 * @param {Picture[]} [pictures] of the sender
 */
const recordBrought = (outbox, returns, pictures) => rested(async () => {
  for (const one of returns) {
    const deed = pictures ? { kind: /** @type {const} */ ("receive"), body: {} } : { kind: /** @type {const} */ ("transfer"), body: { location: one.location } };
    await outbox.record({ order_id: one.order_id, label: labelOf({ ...one, stop: { name: nameOf(one) } }), deed, pictures: pictures ?? [] });
    said.value = { text: t("courier.bring.recorded", { name: nameOf(one) }), danger: false };
  }
});

/** @param {{returns: Brought[], round: Round, outbox: Outbox, scan: () => void}} props */
const Card = ({ returns, round, outbox, scan }) => {
  const first = /** @type {Brought} */ (returns[0]), { taken, ticks } = useTicks(n("courier.bring.orders", returns.length), returns);
  const rests = resting.value || !taken.length ? "true" : null, toSender = first.to === "sender", name = nameOf(first);
  /** @param {() => unknown} act */
  const press = (act) => () => { if (!resting.value && taken.length) act(); };
  const bring = () => toSender ? askGivenBack(name, ({ pictures }) => recordBrought(outbox, taken, pictures)) : recordBrought(outbox, taken).catch(sayUnstored);
  const handOver = () => askHandover(taken.map((one) => ({ ...one, stop: { name } })), round.colleagues.value, outbox);
  return html`<article class="stop bring" data-returns=${returns.map(({ order_id: id }) => id).join(" ")} aria-labelledby=${`bring-${first.order_id}`}>
    <div><h3 id=${`bring-${first.order_id}`} tabindex="-1">${t(toSender ? "courier.bring.sender" : "courier.bring.warehouse", { name })}</h3>
      ${first.place && html`<${Address} job=${first} />`}
      <p class="soft">${first.place && first.location && html`<bdi translate=${false}>${first.location}</bdi> · `}${parcelsOf({ parcels: taken.flatMap(({ parcels }) => parcels) })}</p></div>
    ${returns.length > 1 ? ticks : html`<p class="soft"><bdi>${first.partner_name}</bdi> · <bdi>${first.partner_order_id}</bdi></p>`}
    ${first.place && html`<${Ways} job=${first} scan=${scan} />`}
    <div class="acts" translate=${false}>
      ${(toSender || first.location) && html`<button type="button" data-act="bring" aria-disabled=${rests} class="button first act" onClick=${press(bring)}>${t(toSender ? "courier.bring.do.sender" : "courier.bring.do.warehouse")}</button>`}
      <button type="button" data-act="transfer" aria-disabled=${rests} class="button" onClick=${press(handOver)}>${t("courier.handover")}</button></div>
  </article>`;
};

/** What is to be brought back, by place. @param {{round: Round, outbox: Outbox, scan: () => void}} props */
export const Returns = ({ round, outbox, scan }) => {
  const all = places(round.returns.value);
  return all.length > 0 && html`<section class="stack" aria-labelledby="bring"><h2 id="bring">${t("courier.bring")}</h2>
    ${all.map((returns) => html`<${Card} key=${returns[0]?.order_id} returns=${returns} round=${round} outbox=${outbox} scan=${scan} />`)}</section>`;
};

/** Shows the card of an order that is to be brought back. @param {string} id */
export const showReturn = (id) => requestAnimationFrame(() => {
  const card = document.querySelector(`[data-returns~="${id}"]`);
  card?.scrollIntoView({ block: "start" });
  /** @type {HTMLElement | null | undefined} */ (card?.querySelector("h3"))?.focus({ preventScroll: true });
});
