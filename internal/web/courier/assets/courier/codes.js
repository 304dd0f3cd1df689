// Which parcel a code belongs to, without a connection.

/** @typedef {{parcel_id: string, label: string, barcode?: string}} Parcel */
/** @typedef {{order_id: string, stop: {name: string}, parcels: Parcel[]}} Job an order of GET /ops/v1/jobs */
/** Place is the number of the parcel in its order, from 1; null if the code is that of the order. @typedef {{job: Job, place: number | null}} Match */

/** The id of the order in the tracking URL of a label's QR code. */
const tracking = /\/track\/(ord_[0-9a-z]{32})(?:\/html)?\/?$/;

/** What a code may call a parcel by, the first that fits counts. @type {((parcel: Parcel) => string | undefined)[]} */
const names = [(parcel) => parcel.label, (parcel) => parcel.barcode, (parcel) => parcel.parcel_id];

/** @param {Parcel[]} parcels @param {string} code */
const placeOf = (parcels, code) => {
  for (const name of names) {
    const at = parcels.findIndex((parcel) => name(parcel) === code);
    if (at >= 0) return at + 1;
  }
  return 0;
};

/**
 * Returns the parcels that a code stands for. There may be several, because partners
 * choose their barcodes.
 * @param {Job[]} jobs
 * @param {string} text
 * @returns {Match[]}
 */
export const match = (jobs, text) => {
  const code = text.trim(), order = tracking.exec(code.split(/[?#]/)[0] ?? "")?.[1] ?? code;
  const named = jobs.filter((job) => job.order_id === order);
  if (named.length) return named.map((job) => ({ job, place: null }));
  return jobs.flatMap((job) => {
    const place = placeOf(job.parcels, code);
    return place ? [{ job, place }] : [];
  });
};

/**
 * Returns the parcels of a job whose places are not among those that were scanned.
 * @param {Job} job
 * @param {number[]} places
 */
export const missing = (job, places) => job.parcels.filter((_, i) => !places.includes(i + 1));
