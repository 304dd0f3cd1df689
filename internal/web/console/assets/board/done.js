// The message after an act on orders, and its undo where a reverse move exists.

import { signal } from "@preact/signals-core";
import { insist, moveEach, moveOf, say, transfer } from "./acts.js";
import { n, t } from "dropyard/text.js";

/** @typedef {import("./acts.js").Target} Target */
/** @typedef {import("./acts.js").Move} Move */
/** @typedef {import("./acts.js").Outcome} Outcome */

/** How an act on many orders stands. @typedef {{text: string, total: number, done: number, refused: {order: string, why: string}[], ended: boolean}} Progress */

/** The act on many orders that is under way, or that has ended with refusals; null for none. @type {import("@preact/signals-core").Signal<Progress | null>} */
export const progress = signal(null);

/** The acts that are under way: one begins when those before it have ended. */
let running = Promise.resolve();

/** Does something when the acts before it have ended. @param {() => Promise<void>} act */
export const inTurn = (act) => { running = running.then(() => act(), () => act()); };

/** The phrases that say what was done, by what orders were moved to. @type {Record<string, string>} */
const phrases = {
  accepted: "act.done.accepted", courier_assigned: "act.done.assigned", picked_up: "act.done.picked_up", in_transit: "act.done.in_transit",
  out_for_delivery: "act.done.out_for_delivery", delivered: "act.done.delivered", failed: "act.done.failed", cancelled: "act.done.cancelled", [transfer]: "act.done.transferred",
};

/** Returns the message after an act on orders; empty if there are none. @param {Target[]} moved as they were before, but for what is new @param {Move} move @param {string} [receiver] the name of the courier or location that has got them */
export const doneText = (moved, move, receiver = "") => {
  const [first] = moved, key = move.status === "accepted" && first?.courier ? "act.done.unassigned" : phrases[move.status];
  return first && key ? n(key, moved.length, { order: first.partner_order_id, receiver }) : "";
};

/** Returns the move that takes a move of an order back; null if there is none. @param {Target} before the order before the move @param {Move} move @returns {Move | null} */
export const reverseOf = (before, move) => {
  const { courier, holder } = before, { status } = moveOf(before, move), had = courier?.courier_id ?? "";
  if (status === "courier_assigned") return had ? { status, courier_id: had } : { status: "accepted" };
  if (status === "accepted") return had ? { status: "courier_assigned", courier_id: had } : null;
  if (status !== transfer) return null;
  if (holder?.kind === "location" && holder.id) return { status, location: holder.id };
  return had && holder?.kind !== "sender" ? { status, courier_id: had } : null;
};

/** Returns the moves that take a move of orders back, with the orders of each; none unless there is one for every order. @param {Target[]} moved @param {Move} move */
export const reversals = (moved, move) => {
  /** @type {Map<string, {move: Move, orders: Target[]}>} */
  const groups = new Map();
  for (const one of moved) {
    const back = reverseOf(one, move), key = JSON.stringify(back);
    if (!back) return [];
    groups.set(key, { move: back, orders: [...groups.get(key)?.orders ?? [], one] });
  }
  return [...groups.values()];
};

/**
 * Returns a function that takes a move of orders back, each from the version that the move has left: an order that
 * was changed since is refused, and listed with who was faster. Null if it cannot be taken back.
 * @param {Target[]} moved
 * @param {Move} move
 * @param {{send?: typeof insist, then?: () => Promise<any>}} [options] then is what follows
 * @returns {(() => void) | null}
 */
export const undoOf = (moved, move, { send = insist, then = async () => {} } = {}) => {
  const groups = reversals(moved, move);
  if (!groups.length) return null;
  return () => inTurn(async () => {
    /** @type {Outcome} */
    const all = { moved: [], refused: [] };
    for (const { move: back, orders } of groups) {
      const { moved: done, refused } = await moveEach(orders, back, send);
      all.moved.push(...done);
      all.refused.push(...refused);
    }
    const [first] = all.moved;
    report(first ? n("act.undone", all.moved.length, { order: first.partner_order_id }) : t("act.undo"), all, null);
    await then();
  });
};

/** Says how an act has ended, and lists what was refused. @param {string} text @param {Outcome} outcome @param {(() => void) | null} undo */
const report = (text, { moved, refused }, undo) => {
  const isDone = moved.length > 0, not = refused.length > 0 ? n("act.not", refused.length) : "";
  say([isDone && text, not].filter(Boolean).join(". "), refused.length > 0, undo);
  progress.value = refused.length ? { text, total: moved.length + refused.length, done: moved.length, refused, ended: true } : null;
};

/**
 * Moves many orders and shows how that stands. What is refused is listed, with who was
 * faster; the rest is done, and can be taken back.
 * @param {string} text what is done
 * @param {Target[]} seen
 * @param {Move} move
 * @param {typeof insist} [send]
 * @param {string} [receiver] the name of the courier or location that gets the orders
 * @returns {Promise<Outcome>}
 */
export const moveAll = async (text, seen, move, send = insist, receiver = "") => {
  progress.value = { text, total: seen.length, done: 0, refused: [], ended: false };
  /** @param {Outcome} outcome */
  const show = ({ moved, refused }) => { progress.value = { text, total: seen.length, done: moved.length, refused: [...refused], ended: false }; };
  const outcome = await moveEach(seen, move, send, show);
  report(doneText(outcome.moved, move, receiver) || text, outcome, undoOf(outcome.moved, move, { send }));
  return outcome;
};
