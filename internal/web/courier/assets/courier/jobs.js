// Reading a courier's stops from /ops/v1, with the session's cookie.

/** @typedef {import("./round.js").Answer} Answer */
/** @typedef {import("./round.js").Fault} Fault */

/** How long a response may take, in milliseconds. */
const timeout = 20000;

/** @param {Response} response @returns {Promise<Fault>} */
const faultOf = async (response) => {
  const requestID = response.headers.get("X-Request-Id") ?? "";
  const { error } = await response.json().catch(() => ({}));
  return error?.code ? { status: response.status, code: error.code, requestID } : { status: 0, code: "unreachable", requestID: "" }; // the page of a network
};

/** Returns the body of a response. It throws a Fault. @param {string} path @returns {Promise<any>} */
const read = async (path) => {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(`/ops/v1${path}`, { headers: { Accept: "application/json" }, cache: "no-store", redirect: "error", signal: AbortSignal.timeout(timeout) });
    if (response.ok) return await response.json();
  } catch {
    throw /** @type {Fault} */ ({ status: 0, code: "unreachable", requestID: "" });
  }
  throw await faultOf(response);
};

/** Reads the stops, and the deliveries since a time. @param {string} since @returns {Promise<Answer>} */
export const readJobs = (since) => read(`/jobs?since=${encodeURIComponent(since)}`);

/** Reads where an order goes; undefined if that cannot be read now. @param {string} id @returns {Promise<import("./round.js").Stop | undefined>} */
export const readDropoff = async (id) => {
  try {
    const { order: { dropoff } } = await read(`/orders/${id}`);
    return { ...dropoff, kind: "dropoff", area: dropoff.address.postal_code.slice(0, 3), deadline: dropoff.time_window.end };
  } catch {
    return undefined; // it is asked for again with the next reading
  }
};
