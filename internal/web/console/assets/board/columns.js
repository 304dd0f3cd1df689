// What couriers have to do: a column for each that is looked at, kept up to date, and the
// changes that desks make to them.

import { effect, signal, untracked } from "@preact/signals-core";
import { moveEach, say, transfer } from "./acts.js";
import { Refused, allCouriers, call, newKey } from "./api.js";
import { doneText, inTurn, undoOf } from "./done.js";
import { inOrder, mayHandOver, moved } from "./sequence.js";
import { now, tick } from "dropyard/clock.js";
import { store } from "./store.js";
import { n, t } from "dropyard/text.js";

/** @typedef {import("./sequence.js").Job} Job */
/** @typedef {import("./api.js").Courier} Courier */

/**
 * The work of a courier.
 * @typedef {object} Column
 * @property {"loading" | "ready" | "error"} kind
 * @property {Job[]} jobs in sequence
 * @property {boolean} more there are more than these
 * @property {number} unread how many messages the courier has not read
 * @property {number} version of the sequence
 * @property {string[]} [proposal] the sequence that is proposed
 * @property {Refused} [refused] why it could not be read
 */

/** All couriers by id. @type {import("@preact/signals-core").Signal<Map<string, Courier>>} */
export const couriers = signal(new Map());
/** The columns that are looked at, by courier. @type {import("@preact/signals-core").Signal<Map<string, Column>>} */
export const columns = signal(new Map());
/** What was last refused; it stays until it is closed. @type {import("@preact/signals-core").Signal<{text: string, lines: string[]}>} */
export const refusals = signal({ text: "", lines: [] });
/** Couriers with a change on its way. @type {import("@preact/signals-core").Signal<Set<string>>} */
export const busy = signal(new Set());

/** In place of a courier's id: the column of orders without one. */
export const noCourier = "none";

/** @param {string} text @param {string[]} [lines] */
const warn = (text, lines = []) => { refusals.value = { text, lines }; };

/** @param {string} id @param {Partial<Column>} parts */
const put = (id, parts) => {
  const old = columns.value.get(id) ?? { kind: "loading", jobs: [], more: false, unread: 0, version: 0 };
  columns.value = new Map(columns.value).set(id, /** @type {Column} */ ({ ...old, ...parts }));
};

/** Reads all couriers. */
export const readCouriers = async () => { couriers.value = new Map((await allCouriers()).map((courier) => [courier.courier_id, courier])); };

/** The orders and versions that each column was read at. @type {Map<string, string>} */
const stamps = new Map();
/** When each column was read. @type {Map<string, number>} */
const readAt = new Map();

/** @param {string} id */
const stampOf = (id) => {
  let stamp = "";
  for (const row of store.rows.values()) if (row.courier?.courier_id === id) stamp += `${row.order_id}.${row.version} `;
  return stamp;
};

/** Reads what a courier has to do. @param {string} id */
export const load = async (id) => {
  stamps.set(id, stampOf(id));
  readAt.set(id, now());
  if (!columns.value.has(id)) put(id, { kind: "loading" });
  try {
    const name = encodeURIComponent(id);
    const [round, sequence] = await Promise.all([call("GET", `/jobs?courier_id=${name}`), call("GET", `/couriers/${name}/sequence`)]);
    put(id, { kind: "ready", jobs: round.jobs, more: round.more, unread: round.messages.length, version: sequence.version, refused: undefined });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    put(id, columns.value.get(id)?.kind === "ready" ? { refused: error } : { kind: "error", refused: error });
  }
};

/** How long a column is shown before it is read again, in milliseconds: sequences have no feed. */
const freshMs = 60000;

/**
 * Reads the columns that are looked at, and again those whose orders have changed.
 * @param {() => string[]} wanted the couriers that are looked at; it reads signals
 * @returns {() => void} ends that
 */
export const follow = (wanted) => effect(() => {
  const ids = wanted();
  store.version.value;
  tick.value;
  const at = now();
  untracked(() => {
    for (const id of ids) {
      if (busy.value.has(id)) continue;
      if (!columns.value.has(id) || stamps.get(id) !== stampOf(id) || at - (readAt.get(id) ?? 0) > freshMs) load(id);
    }
  });
});

/** What a refusal means to the reader. @param {unknown} error */
const reasonOf = (error) => {
  if (!(error instanceof Refused)) throw error;
  const id = error.requestID ? ` · ${t("refused.request", { id: error.requestID })}` : "";
  return (error.status === 0 ? t("views.unreachable") : t("views.refused")) + id;
};

/** Does something to couriers, whose columns stay as they are until it is done. @param {string[]} ids @param {() => Promise<void>} act */
const doing = async (ids, act) => {
  busy.value = new Set([...busy.value, ...ids]);
  try {
    await act();
  } finally {
    busy.value = new Set([...busy.value].filter((id) => !ids.includes(id)));
  }
};

/** Returns a row of a courier, which has the name before couriers are read. @param {string} id */
const rowWith = (id) => store.ordered.find((row) => row.courier?.courier_id === id);

/** @param {string} id */
export const nameOf = (id) => id === noCourier ? t("views.no_courier") : couriers.value.get(id)?.name ?? rowWith(id)?.courier?.name ?? id;

/**
 * Writes the sequence of a courier: all stops of the column, which has no more than a
 * sequence may have. It is shown before it is written. If another desk was
 * faster, what that desk wrote is read and shown instead.
 * @param {string} id
 * @param {string[]} ids the orders in sequence
 * @param {string} done what to say then; empty for nothing
 * @param {number} [taken] the version that is taken back; then that is not offered again
 */
export const save = (id, ids, done, taken) => doing([id], async () => {
  const column = columns.value.get(id);
  if (!column) return;
  const before = column.jobs.map((job) => job.order_id);
  put(id, { jobs: inOrder(column.jobs, ids), proposal: undefined });
  try {
    const body = { order_ids: ids, version: taken ?? column.version };
    const { version } = await call("PUT", `/couriers/${encodeURIComponent(id)}/sequence`, { body, key: newKey() });
    put(id, { version });
    if (done) say(done, false, taken === undefined ? () => inTurn(() => save(id, before, t("views.restored", { courier: nameOf(id) }), version)) : null);
  } catch (error) {
    const conflict = error instanceof Refused && (error.status === 409 || error.status === 422);
    const text = conflict ? t("views.conflict", { courier: nameOf(id) }) : reasonOf(error);
    await load(id);
    warn(text);
  }
});

/** Moves an order within its column, before the one at an index. @param {string} id @param {string} order @param {number} before @param {boolean} [isSaid] */
export const reorder = async (id, order, before, isSaid = true) => {
  const jobs = columns.value.get(id)?.jobs ?? [], from = jobs.findIndex((job) => job.order_id === order);
  if (from < 0 || before === from || before === from + 1 || before < 0 || before > jobs.length) return;
  const to = moved(jobs, from, before), place = to.findIndex((job) => job.order_id === order) + 1;
  await save(id, to.map((job) => job.order_id), !isSaid ? "" : t("views.moved", { order: jobs[from]?.partner_order_id ?? "", place, of: jobs.length }));
};

/** Asks for the sequence by the shortest way. @param {string} id */
export const propose = (id) => doing([id], async () => {
  try {
    const { order_ids: ids } = await call("POST", `/couriers/${encodeURIComponent(id)}/sequence/proposal`);
    put(id, { proposal: ids });
  } catch (error) {
    warn(reasonOf(error));
  }
});

/** Forgets a proposal. @param {string} id */
export const drop = (id) => put(id, { proposal: undefined });

/**
 * Gives orders to another courier, with their parcels if those were picked up, or to none: then what was picked up stays.
 * @param {string[]} orders
 * @param {string} from
 * @param {string} to
 * @param {string} [before] the order before which one is put in the other's sequence; empty
 *   for the end. If it is left out, the order gets the place that the service gives it.
 */
export const handOver = (orders, from, to, before) => doing([from, to], async () => {
  const rows = orders.flatMap((id) => store.rows.get(id) ?? []);
  const carried = rows.filter((row) => !mayHandOver(row.status)), staying = to === noCourier ? carried : [];
  const movable = rows.filter((row) => !staying.includes(row));
  const change = to === noCourier ? { status: "accepted" } : { status: carried.length ? transfer : "courier_assigned", courier_id: to };
  const { moved: handed, refused } = await moveEach(movable, change), read = () => Promise.all([from, to].filter((id) => id !== noCourier).map(load));
  const text = doneText(handed, change, nameOf(to)), [first] = handed;
  const lines = [...staying.map((row) => t("views.picked_up", { order: row.partner_order_id })), ...refused.map((one) => t("act.refused.order", one))];
  if (lines.length) warn(n("act.not", lines.length), lines);
  await read();
  if (before !== undefined && first && to !== noCourier) {
    const jobs = columns.value.get(to)?.jobs ?? [], at = jobs.findIndex((job) => job.order_id === before);
    await reorder(to, first.order_id, at < 0 ? jobs.length : at, false);
  }
  if (text) say(text, false, undoOf(handed, change, { then: read }));
});
