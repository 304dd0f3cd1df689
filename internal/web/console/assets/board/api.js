// Calls of the operators' interface, /ops/v1, with the session's cookie.

/**
 * @typedef {object} Request
 * @property {unknown} [body] sent as JSON, but a file as it is
 * @property {string} [key] an idempotency key: with it a call that is repeated changes nothing twice
 * @property {AbortSignal} [signal]
 * @property {number} [timeout] in milliseconds; 30 s if it is left out
 * @property {boolean} [streamed] returns the body as a stream
 */

/** Why a call was refused, or that the server was not reached. */
export class Refused extends Error {
  /**
   * @param {number} status of the response; 0 if there was none
   * @param {string} code as the interface names it; "unreachable" if there was no response
   * @param {string} message in English, for programs
   * @param {any} [details]
   * @param {string} [requestID]
   */
  constructor(status, code, message, details, requestID = "") {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestID = requestID;
  }
}

/** Returns a new idempotency key. */
export const newKey = () => crypto.randomUUID();

/** Leads to the sign-in page, and back here after it. */
export const signIn = () => location.assign(`/console/login?next=${encodeURIComponent(location.pathname + location.search)}`);

/**
 * @param {Response} response
 * @returns {Promise<Refused>}
 */
const refusalOf = async (response) => {
  const requestID = response.headers.get("X-Request-Id") ?? "";
  try {
    const { error, request_id } = await response.json();
    return new Refused(response.status, error.code, error.message, error.details, request_id ?? requestID);
  } catch { // not from this service
    return new Refused(response.status, "unavailable", `status ${response.status}`, undefined, requestID);
  }
};

/** @typedef {{courier_id: string, name: string, phone: string, vehicle: string, active: boolean}} Courier */

/** Reads all couriers. @returns {Promise<Courier[]>} */
export const allCouriers = async () => {
  /** @type {Courier[]} */
  const all = [];
  for (let cursor = ""; ;) {
    const page = await call("GET", `/couriers?${new URLSearchParams({ limit: "500", ...(cursor && { cursor }) })}`);
    all.push(...page.couriers);
    cursor = page.next_cursor ?? "";
    if (!cursor) return all;
  }
};

/**
 * Calls the interface and returns the body of the response. It throws a Refused for
 * everything but an abort by the caller's signal. Without a session it leads to the
 * sign-in page.
 * @param {string} method
 * @param {string} path below /ops/v1
 * @param {Request} [request]
 * @returns {Promise<any>}
 */
export const call = async (method, path, { body, key, signal, timeout = 30000, streamed = false } = {}) => {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  const isFile = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = isFile ? body.type || "image/jpeg" : "application/json";
  if (key) headers["Idempotency-Key"] = key;
  const ends = AbortSignal.timeout(timeout);
  try {
    const response = await fetch(`/ops/v1${path}`, {
      method, headers, body: body === undefined || isFile ? body : JSON.stringify(body), cache: "no-store",
      signal: signal ? AbortSignal.any([signal, ends]) : ends,
    });
    if (response.ok && streamed) return response.body;
    if (response.ok) return response.status === 204 ? null : await response.json();
    const refused = await refusalOf(response);
    if (refused.status === 401) signIn();
    throw refused;
  } catch (error) {
    if (error instanceof Refused || signal?.aborted) throw error;
    throw new Refused(0, "unreachable", String(error));
  }
};
