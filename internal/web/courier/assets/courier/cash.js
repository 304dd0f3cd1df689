// Amounts that are collected at the door, and the cash that a courier carries. Nothing here
// touches the page.

/** @typedef {import("dropyard/amounts.js").Amount} Cash */
/** What a courier collected, as a delivery says it. @typedef {Cash & {method: "cash" | "terminal" | "none", notes?: string}} Collected */
/** An order of which a courier carries the cash; of none it is what corrections have left. @typedef {Cash & {order_id: string | null, partner_order_id: string | null, collected_at: string | null, unconfirmed: boolean}} CashOfOrder */
/** The cash of a courier (GET /ops/v1/couriers/{courier_id}/cash): its orders, oldest first. @typedef {{balances: Cash[], orders: CashOfOrder[]}} Carried */
/** @typedef {{order_id: string, kind: string, status?: string, at: string, body: unknown}} Act */
/** @typedef {{order_id: string, partner_order_id: string, cod: Cash | null}} Job */

/** How long the reason of a difference may be. */
export const maxNotes = 500;

/** No cash. @type {Carried} */
export const noCash = { balances: [], orders: [] };

/**
 * Returns the cash that a delivery brings; null if it brings none. An app that did not ask how
 * much it was made sure that it was all, in cash: the service counts it until the desk knows better.
 * @param {Act} act
 * @param {Job} [job]
 */
const broughtBy = (act, job) => {
  /** @type {{collected?: Collected}} */
  const { collected } = JSON.parse(String(act.body));
  if (!collected) return job?.cod ? { ...job.cod, unconfirmed: true } : null;
  const { amount_cents, currency, method } = collected;
  return method === "cash" ? { amount_cents, currency, unconfirmed: false } : null;
};

/**
 * Returns the cash that a courier carries after acts that the service's answer may not have yet.
 * Each order counts once: an answer to its delivery may have been lost.
 * @param {Carried} known
 * @param {Act[]} acts oldest first
 * @param {Job[]} jobs
 * @returns {Carried}
 */
export const carried = (known, acts, jobs) => {
  const orders = [...known.orders], sums = new Map(known.balances.map(({ currency, amount_cents }) => [currency, amount_cents]));
  for (const act of acts) {
    if (act.kind !== "move" || act.status !== "delivered" || orders.some(({ order_id: id }) => id === act.order_id)) continue;
    const job = jobs.find(({ order_id: id }) => id === act.order_id), cash = broughtBy(act, job);
    if (!cash) continue;
    orders.push({ order_id: act.order_id, partner_order_id: job?.partner_order_id ?? null, collected_at: act.at, ...cash });
    sums.set(cash.currency, (sums.get(cash.currency) ?? 0) + cash.amount_cents);
  }
  orders.sort((a, b) => a.currency.localeCompare(b.currency) || (a.collected_at ?? "").localeCompare(b.collected_at ?? "")); // as the service does
  return { balances: [...sums].map(([currency, amount_cents]) => ({ currency, amount_cents })), orders };
};
