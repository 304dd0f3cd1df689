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
 * such as a proxy. Any other error of a call means that its outcome is not known.
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
  ) {
    super(message);
  }

  /** All faults of the request, in field order; empty unless the code is validation_error. */
  get problems(): Problem[] {
    const details = this.details as { errors?: Problem[] } | undefined;
    return this.code === "validation_error" ? (details?.errors ?? []) : [];
  }
}

/** Reports whether an error is a refusal with this code; details then have the type that belongs to it. */
export function hasCode<C extends ErrorCode>(error: unknown, code: C): error is DropyardError<C> {
  return error instanceof DropyardError && error.code === code;
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
  );
}

interface ErrorBody {
  error?: { code: ErrorCode; message: string; details?: unknown };
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
