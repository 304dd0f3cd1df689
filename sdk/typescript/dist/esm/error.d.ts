import type { Problem, Schemas } from "./types.js";
type ErrorDetail = Schemas["ErrorDetail"];
/** A kind of error, by which programs decide. */
export type ErrorCode = ErrorDetail["code"];
/** What is known about an error of a code, such as the faults of each field. */
export type ErrorDetails<C extends ErrorCode> = C extends unknown ? Extract<ErrorDetail, {
    code: C;
}> extends {
    details?: infer D;
} ? D : undefined : never;
/**
 * A refusal of the service, or an answer of another status than 2xx from something else,
 * such as a proxy. A NoAnswerError means that the outcome of a call is not known.
 */
export declare class DropyardError<C extends ErrorCode = ErrorCode> extends Error {
    /** The HTTP status. */
    readonly status: number;
    /** The kind of error; undefined if the answer is not one of the service. */
    readonly code: C | undefined;
    readonly details: ErrorDetails<C>;
    /** Identifies the request for support; empty if the answer is not one of the service. */
    readonly requestId: string;
    /** How many seconds the service asks to wait before the next attempt; undefined if it does not ask. */
    readonly retryAfter: number | undefined;
    /** The page about the code; empty if the service has none. */
    readonly docUrl: string;
    readonly name = "DropyardError";
    constructor(message: string, 
    /** The HTTP status. */
    status: number, 
    /** The kind of error; undefined if the answer is not one of the service. */
    code: C | undefined, details: ErrorDetails<C>, 
    /** Identifies the request for support; empty if the answer is not one of the service. */
    requestId: string, 
    /** How many seconds the service asks to wait before the next attempt; undefined if it does not ask. */
    retryAfter: number | undefined, 
    /** The page about the code; empty if the service has none. */
    docUrl?: string);
    /** All faults of the request, in field order; empty unless the code is validation_error. */
    get problems(): Problem[];
}
/**
 * No answer of the service arrived, so that it is not known whether the request took effect: the network failed, the
 * time for the attempt was over, or something else answered. Repeat the call with the same idempotencyKey to find
 * out. The cause is the error of fetch, if there is one.
 */
export declare class NoAnswerError extends Error {
    readonly name = "NoAnswerError";
    /** Whether the time for the last attempt was over. */
    get timedOut(): boolean;
}
/** Returns the error of a request that fetch has failed for. */
export declare function noAnswer({ method, url }: Request, cause: unknown): NoAnswerError;
/**
 * Reports whether an error is a refusal with this code; details then have the type that belongs to it. It goes by
 * the error's name, because a program may have loaded the package both as a module and with require.
 */
export declare function hasCode<C extends ErrorCode>(error: unknown, code: C): error is DropyardError<C>;
/** Reads the error from a response that is not 2xx. */
export declare function readError(response: Response): Promise<DropyardError>;
export {};
