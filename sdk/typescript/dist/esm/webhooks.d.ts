import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookEvent } from "./types.js";
/** The headers of a request, as fetch or node:http has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/** The secret of the endpoint, or the old and the new one during a rotation. */
export type WebhookSecret = string | readonly string[];
/** Means that a request is not a webhook of the service. The message says why. */
export declare class WebhookError extends Error {
    /** The status to answer with. */
    readonly status: number;
    readonly name = "WebhookError";
    constructor(
    /** The status to answer with. */
    status: number, message: string);
}
/**
 * Verifies a webhook in constant time, and returns its event. Otherwise it throws a WebhookError.
 *
 * It reads the headers of Standard Webhooks, whose signature covers the event's id and the time, and refuses
 * requests that are more than 5 minutes old, so that a recorded one cannot be replayed later. While a secret is
 * rotated, the header has a signature with each secret, of which either verifies.
 *
 * @param body the body as received, byte for byte, not parsed and encoded again.
 * @param now the time, in milliseconds since 1970.
 */
export declare function verifyWebhook(secret: WebhookSecret, headers: WebhookHeaders, body: string | Uint8Array, now?: number): WebhookEvent;
/**
 * Reports whether dropSignature is the signature of a body under the secret, the header of the interface. It does
 * not cover the time: recognise repeated events by their ids. It is false for any signature if the secret is empty.
 */
export declare function verifyDropSignature(secret: string, body: string | Uint8Array, dropSignature: string): boolean;
/** The headers of a webhook as the service sends them, for tests of receivers. */
export declare function signWebhook(secret: string, eventId: string, body: string | Uint8Array, now?: number): Record<string, string>;
/** A random secret in the form of those of the service, for tests of receivers. */
export declare function newWebhookSecret(): string;
/**
 * Parses the body of a webhook, which it does not verify. Ignore events of types that you do not know: the service
 * may add some.
 */
export declare function parseEvent(body: string | Uint8Array): WebhookEvent;
/** Stores an event under its id, unless it is stored already. If it fails, the service sends the event again later. */
export type EventHandler = (event: WebhookEvent) => void | Promise<void>;
/**
 * Returns a handler for the endpoint that the service posts events to, for frameworks with the Request and
 * Response of fetch. It answers 200 when handle has returned, 500 if it has thrown, and 400 or 401 to what is
 * not a webhook, without calling handle. The same event may arrive more than once.
 */
export declare function webhookHandler(secret: WebhookSecret, handle: EventHandler): (request: Request) => Promise<Response>;
/**
 * The same as webhookHandler for node:http, Express and other servers that call with a request and a response. Mount
 * it before a body parser such as express.json(), which leaves no body to verify: then it answers 500. After
 * express.raw() it works, too.
 */
export declare function webhookListener(secret: WebhookSecret, handle: EventHandler): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
