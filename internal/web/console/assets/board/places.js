// How far couriers are from orders: from where each goes next, or was last, along the surface of the earth
// between the middles of postal areas.

import { areas, readAreas } from "./areas.js";
import { call } from "./api.js";
import { now } from "dropyard/clock.js";
import { kilometres } from "./sequence.js";

/** @typedef {import("./areas.js").Areas} Areas */
/** An order that gets a courier; its zone is the area of its dropoff. @typedef {{order_id: string, status: string, zone?: string, city?: string, order?: any, custody?: any[]}} Wanted */

/** How many orders are looked at: of more, the first ones. */
const mostOrders = 20;
/** For how many couriers it is asked where they are. */
const mostCouriers = 100;
/** How many calls are under way at a time. */
const atOnce = 4;
/** How long it counts where a courier is, in milliseconds. */
const freshMs = 60000;
/** How long a list waits for distances, in milliseconds. */
export const patienceMs = 1500;

/** The area of a postal code. @param {string} code */
const areaOf = (code) => code.replaceAll(" ", "").slice(0, 3).toUpperCase();

/** Reads an order. @param {string} id @returns {Promise<any>} */
const read = (id) => call("GET", `/orders/${encodeURIComponent(id)}`);

/** Returns the area in which a courier gets an order: of its pickup until it has been picked up, then of its dropoff. @param {Wanted} wanted */
const areaFor = async ({ order_id: id, status, zone, order, custody }) => {
  const isAtPickup = ["pending", "accepted", "courier_assigned"].includes(status) || status === "failed" && custody?.length === 1;
  if (isAtPickup) return areaOf((order ?? (await read(id)).order).pickup.address.postal_code);
  return zone ?? "";
};

/** Where couriers are: the area, empty for none, and when that was read. @type {Map<string, {area: string, at: number}>} */
const known = new Map();

/** Returns the area of the next stop of a courier, or of the last one today; empty if there is neither. @param {string} id */
const placeOf = async (id) => {
  const before = known.get(id);
  if (before && now() - before.at < freshMs) return before.area;
  const since = new Date(new Date(now()).setHours(0, 0, 0, 0)).toISOString();
  const { jobs, delivered } = await call("GET", `/jobs?${new URLSearchParams({ courier_id: id, since })}`), last = delivered.latest[0];
  const area = jobs[0]?.stop.area ?? (last ? areaOf((await read(last.order_id)).order.dropoff.address.postal_code) : "");
  known.set(id, { area, at: now() });
  return area;
};

/**
 * Does something for each element, some at a time. What fails is left out: a distance is a help, and nothing waits for it.
 * @template T, R
 * @param {T[]} all @param {(one: T) => Promise<R>} does @returns {Promise<Map<T, R>>}
 */
const each = async (all, does) => {
  const done = new Map(), rest = all.values();
  const work = async () => {
    for (const one of rest) {
      try {
        done.set(one, await does(one));
      } catch { /* it is not known */ }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return done;
};

/** Returns the kilometres from a place to the nearest of others; undefined if that is not known. @param {string} from @param {string[]} to @param {Areas} middles */
export const nearest = (from, to, middles) => {
  const here = middles[from], all = here ? to.flatMap((area) => middles[area] ? [kilometres(here, middles[area])] : []) : [];
  return all.length ? Math.min(...all) : undefined;
};

/**
 * Returns how far couriers are from the nearest of orders, in kilometres, as far as that is known in time.
 * @param {string[]} couriers
 * @param {Wanted[]} orders
 * @returns {Promise<Map<string, number>>}
 */
export const distances = async (couriers, orders) => {
  /** @type {Map<string, number>} */
  const far = new Map();
  const measure = async () => {
    await readAreas();
    const middles = areas.value;
    if (!middles) return;
    const wanted = [...new Set((await each(orders.slice(0, mostOrders), areaFor)).values())];
    await each(couriers.slice(0, mostCouriers), async (id) => {
      const km = nearest(await placeOf(id), wanted, middles);
      if (km !== undefined) far.set(id, km);
    });
  };
  await Promise.race([measure(), new Promise((resolve) => setTimeout(resolve, patienceMs))]);
  return new Map(far);
};
