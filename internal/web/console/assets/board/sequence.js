// The order in which couriers do their stops, and an estimate of the way. Everything here
// is pure.

/** @typedef {import("./rows.js").Status} Status */
/** @typedef {import("./areas.js").Areas} Areas */
/** @typedef {import("./areas.js").Pace} Pace */

/**
 * What a courier has to do for an order (Job in api/ops.yaml), as far as it is shown.
 * @typedef {object} Job
 * @property {string} order_id
 * @property {string} partner_name
 * @property {string} partner_order_id
 * @property {Status} status
 * @property {number} version
 * @property {{kind: "pickup" | "dropoff", name: string, area: string, deadline: string, address: {line1: string, city: string}, time_window: {start: string, end: string}}} stop
 * @property {string | null} next_attempt
 */

/** A visit of a stop: times in milliseconds, and kilometres from the stop before. @typedef {{arrival: number, late: number, way: number}} Visit */

const earthRadius = 6371;
const degree = Math.PI / 180;

/** Returns the kilometres between two places along the surface of the earth. @param {[number, number]} a @param {[number, number]} b */
export const kilometres = (a, b) => {
  /** @param {number} x */
  const half = (x) => Math.sin(x * degree / 2) ** 2;
  const h = half(b[0] - a[0]) + Math.cos(a[0] * degree) * Math.cos(b[0] * degree) * half(b[1] - a[1]);
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(h)));
};

/**
 * Estimates when stops are done in the given order, as internal/route does. The way begins
 * now at the first stop. An area that is not known counts as next door.
 * @param {Job[]} jobs
 * @param {Areas} areas
 * @param {Pace} pace
 * @param {number} now
 * @returns {Visit[]}
 */
export const follow = (jobs, areas, pace, now) => {
  let here = jobs[0]?.stop.area ?? "", at = now;
  return jobs.map(({ stop, next_attempt: next }) => {
    const from = areas[here], to = areas[stop.area];
    const way = from && to ? kilometres(from, to) : 0;
    const earliest = Math.max(Date.parse(stop.time_window.start), next ? Date.parse(next) : 0);
    const arrival = Math.max(at + way / pace.speed * 3600000, earliest);
    here = stop.area;
    at = arrival + pace.atStop;
    return { arrival, late: Math.max(0, arrival - Date.parse(stop.deadline)), way };
  });
};

/** Sums up visits: kilometres, stops that are late, and by how much in all. @param {Visit[]} visits */
export const total = (visits) => visits.reduce((sum, { way, late }) => ({
  way: sum.way + way, stops: sum.stops + (late > 0 ? 1 : 0), late: sum.late + late,
}), { way: 0, stops: 0, late: 0 });

/** Reports whether a sequence is better by what is shown: 0.1 km, a late stop, or a minute of delay. @param {Visit[]} before @param {Visit[]} after */
export const improves = (before, after) => {
  const old = total(before), next = total(after);
  return Math.round(next.way * 10) < Math.round(old.way * 10) || next.stops < old.stops || Math.round(next.late / 60000) < Math.round(old.late / 60000);
};

/** For how long before a deadline a stop is tight, in milliseconds. */
const tight = 30 * 60000;

/**
 * How a stop stands: its window has passed, it will have when the courier arrives, or
 * there is little time.
 * @param {Job} job
 * @param {Visit | undefined} visit
 * @param {number} now
 * @returns {"overdue" | "endangered" | "tight" | ""}
 */
export const standing = (job, visit, now) => {
  const deadline = Date.parse(job.stop.deadline);
  if (deadline < now) return "overdue";
  if (visit && visit.late > 0) return "endangered";
  return deadline - Math.max(visit?.arrival ?? now, now) < tight ? "tight" : "";
};

/**
 * Returns a list with one element moved to the place before which it is put.
 * @template T
 * @param {T[]} list
 * @param {number} from
 * @param {number} before an index of the list as it is; its length for the end
 * @returns {T[]}
 */
export const moved = (list, from, before) => {
  const rest = list.filter((_, i) => i !== from), it = /** @type {T} */ (list[from]);
  rest.splice(before > from ? before - 1 : before, 0, it);
  return rest;
};

/** Returns jobs in the order of ids. Those that are not named keep their order, at the end. @param {Job[]} jobs @param {string[]} ids */
export const inOrder = (jobs, ids) => {
  const places = new Map(ids.map((id, i) => [id, i]));
  return [...jobs].sort((a, b) => (places.get(a.order_id) ?? ids.length) - (places.get(b.order_id) ?? ids.length));
};

/** Reports whether an order in a status can be given to another courier without its parcels: not once it was picked up. @param {Status} status */
export const mayHandOver = (status) => status === "pending" || status === "accepted" || status === "courier_assigned";
