import type { Problem, Schemas } from "./types.js";

type ErrorDetail = Schemas["ErrorDetail"];

/** A kind of error, by which programs decide. */
export type ErrorCode = ErrorDetail["code"];

/** What is known about an error of a code, such as the faults of each field. */
export type ErrorDetails<C extends ErrorCode> = C extends unknown
  ? Extract<ErrorDetail, { code: C }> extends { details?: infer D }
    ? D
    : undefined
  : never;

/**
 * A refusal of the service, or an answer of another status than 2xx from something else,
 * such as a proxy. A NoAnswerError means that the outcome of a call is not known.
 */
export class DropyardError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "DropyardError";

  constructor(
    message: string,
    /** The HTTP status. */
    readonly status: number,
    /** The kind of error; undefined if the answer is not one of the service. */
    readonly code: C | undefined,
    readonly details: ErrorDetails<C>,
    /** Identifies the request for support; empty if the answer is not one of the service. */
    readonly requestId: string,
    /** How many seconds the service asks to wait before the next attempt; undefined if it does not ask. */
    readonly retryAfter: number | undefined,
    /** The page about the code; empty if the service has none. */
    readonly docUrl = "",
  ) {
    super(message);
  }

  /** All faults of the request, in field order; empty unless the code is validation_error. */
  get problems(): Problem[] {
    const details = this.details as { errors?: Problem[] } | undefined;
    return this.code === "validation_error" ? (details?.errors ?? []) : [];
  }
}

/**
 * No answer of the service arrived, so that it is not known whether the request took effect: the network failed, the
 * time for the attempt was over, or something else answered. Repeat the call with the same idempotencyKey to find
 * out. The cause is the error of fetch, if there is one.
 */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";

  /** Whether the time for the last attempt was over. */
  get timedOut(): boolean {
    return this.cause instanceof Error && this.cause.name === "TimeoutError";
  }
}

/** Returns the error of a request that fetch has failed for. */
export function noAnswer({ method, url }: Request, cause: unknown): NoAnswerError {
  const { message, cause: inner } = cause instanceof Error ? cause : new Error(String(cause));
  const { code, message: reason } = (inner ?? {}) as { code?: string; message?: string };
  const why = code ?? reason; // such as ECONNREFUSED
  return new NoAnswerError(`${method} ${new URL(url).pathname}: ${message}${why ? ` (${why})` : ""}`, { cause });
}

/**
 * Reports whether an error is a refusal with this code; details then have the type that belongs to it. It goes by
 * the error's name, because a program may have loaded the package both as a module and with require.
 */
export function hasCode<C extends ErrorCode>(error: unknown, code: C): error is DropyardError<C> {
  return error instanceof Error && error.name === "DropyardError" && (error as DropyardError).code === code;
}

/** Reads the error from a response that is not 2xx. */
export async function readError(response: Response): Promise<DropyardError> {
  const { error, request_id } = parse(await response.text());
  const requestId = request_id ?? response.headers.get("X-Request-Id") ?? "";
  const what = error ? `${error.code}: ${error.message}` : response.statusText;
  const message = `refused with ${response.status} ${what}${requestId && ` (request ${requestId})`}`;
  return new DropyardError(
    message,
    response.status,
    error?.code,
    error?.details as ErrorDetails<ErrorCode>,
    requestId,
    retryAfter(response),
    error?.doc_url,
  );
}

interface ErrorBody {
  error?: { code: ErrorCode; message: string; doc_url?: string; details?: unknown };
  request_id?: string;
}

/** Returns an empty object for a body that is not one of the service. */
function parse(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as ErrorBody | null;
    return typeof body?.error?.code === "string" ? body : {};
  } catch {
    return {};
  }
}

function retryAfter(response: Response): number | undefined {
  const value = response.headers.get("Retry-After") ?? "";
  return /^\d+$/.test(value) ? Number(value) : undefined;
}
