// Which parcel a code belongs to, without a connection.

import { readings, same } from "./readings.js";

/** @typedef {{parcel_id: string, label: string, barcode?: string}} Parcel */
/** @typedef {{order_id: string, stop: {name: string}, parcels: Parcel[]}} Job an order of GET /ops/v1/jobs */
/** Place is the number of the parcel in its order, from 1; null if the code is that of the order. @typedef {{job: Job, place: number | null}} Match */

/** The id of the order in the tracking URL of a label's QR code. */
const tracking = /\/track\/(ord_[0-9a-z]{32})(?:\/html)?\/?$/i;

/** What a code may call a parcel by, the first that fits counts. @type {((parcel: Parcel) => string | undefined)[]} */
const names = [(parcel) => parcel.label, (parcel) => parcel.barcode, (parcel) => parcel.parcel_id];

/** @param {Parcel[]} parcels @param {string} code */
const placeOf = (parcels, code) => {
  for (const name of names) {
    const at = parcels.findIndex((parcel) => same(name(parcel) ?? "", code));
    if (at >= 0) return at + 1;
  }
  return 0;
};

/** Returns the orders that a code names by their ids. @param {Job[]} jobs @param {string} code @returns {Match[]} */
const named = (jobs, code) => {
  const order = (tracking.exec(code.split(/[?#]/)[0] ?? "")?.[1] ?? code).toLowerCase();
  return jobs.filter((job) => job.order_id === order).map((job) => ({ job, place: null }));
};

/** Returns the parcels that a code names. @param {Job[]} jobs @param {string} code @returns {Match[]} */
const labelled = (jobs, code) => jobs.flatMap((job) => {
  const place = placeOf(job.parcels, code);
  return place ? [{ job, place }] : [];
});

/**
 * Returns the parcels that a code stands for. There may be several, because partners
 * choose their barcodes.
 * @param {Job[]} jobs
 * @param {string} text
 * @returns {Match[]}
 */
export const match = (jobs, text) => {
  const codes = readings(text);
  for (const find of [named, labelled]) {
    for (const code of codes) {
      const found = find(jobs, code);
      if (found.length) return found;
    }
  }
  return [];
};

/**
 * Returns the parcels of a job whose places are not among those that were scanned.
 * @param {Job} job
 * @param {number[]} places
 */
export const missing = (job, places) => job.parcels.filter((_, i) => !places.includes(i + 1));
