/**
 * A refusal of the service, or an answer of another status than 2xx from something else,
 * such as a proxy. A NoAnswerError means that the outcome of a call is not known.
 */
export class DropyardError extends Error {
    status;
    code;
    details;
    requestId;
    retryAfter;
    docUrl;
    name = "DropyardError";
    constructor(message, 
    /** The HTTP status. */
    status, 
    /** The kind of error; undefined if the answer is not one of the service. */
    code, details, 
    /** Identifies the request for support; empty if the answer is not one of the service. */
    requestId, 
    /** How many seconds the service asks to wait before the next attempt; undefined if it does not ask. */
    retryAfter, 
    /** The page about the code; empty if the service has none. */
    docUrl = "") {
        super(message);
        this.status = status;
        this.code = code;
        this.details = details;
        this.requestId = requestId;
        this.retryAfter = retryAfter;
        this.docUrl = docUrl;
    }
    /** All faults of the request, in field order; empty unless the code is validation_error. */
    get problems() {
        const details = this.details;
        return this.code === "validation_error" ? (details?.errors ?? []) : [];
    }
}
/**
 * No answer of the service arrived, so that it is not known whether the request took effect: the network failed, the
 * time for the attempt was over, or something else answered. Repeat the call with the same idempotencyKey to find
 * out. The cause is the error of fetch, if there is one.
 */
export class NoAnswerError extends Error {
    name = "NoAnswerError";
    /** Whether the time for the last attempt was over. */
    get timedOut() {
        return this.cause instanceof Error && this.cause.name === "TimeoutError";
    }
}
/** Returns the error of a request that fetch has failed for. */
export function noAnswer({ method, url }, cause) {
    const { message, cause: inner } = cause instanceof Error ? cause : new Error(String(cause));
    const { code, message: reason } = (inner ?? {});
    const why = code ?? reason; // such as ECONNREFUSED
    return new NoAnswerError(`${method} ${new URL(url).pathname}: ${message}${why ? ` (${why})` : ""}`, { cause });
}
/**
 * Reports whether an error is a refusal with this code; details then have the type that belongs to it. It goes by
 * the error's name, because a program may have loaded the package both as a module and with require.
 */
export function hasCode(error, code) {
    return error instanceof Error && error.name === "DropyardError" && error.code === code;
}
/** Reads the error from a response that is not 2xx. */
export async function readError(response) {
    const { error, request_id } = parse(await response.text());
    const requestId = request_id ?? response.headers.get("X-Request-Id") ?? "";
    const what = error ? `${error.code}: ${error.message}` : response.statusText;
    const message = `refused with ${response.status} ${what}${requestId && ` (request ${requestId})`}`;
    return new DropyardError(message, response.status, error?.code, error?.details, requestId, retryAfter(response), error?.doc_url);
}
/** Returns an empty object for a body that is not one of the service. */
function parse(text) {
    try {
        const body = JSON.parse(text);
        return typeof body?.error?.code === "string" ? body : {};
    }
    catch {
        return {};
    }
}
function retryAfter(response) {
    const value = response.headers.get("Retry-After") ?? "";
    return /^\d+$/.test(value) ? Number(value) : undefined;
}
