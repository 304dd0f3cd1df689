"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WebhookError = void 0;
exports.verifyWebhook = verifyWebhook;
exports.verifyDropSignature = verifyDropSignature;
exports.signWebhook = signWebhook;
exports.newWebhookSecret = newWebhookSecret;
exports.parseEvent = parseEvent;
exports.webhookHandler = webhookHandler;
exports.webhookListener = webhookListener;
const node_crypto_1 = require("node:crypto");
/** Means that a request is not a webhook of the service. The message says why. */
class WebhookError extends Error {
    status;
    name = "WebhookError";
    constructor(
    /** The status to answer with. */
    status, message) {
        super(message);
        this.status = status;
    }
}
exports.WebhookError = WebhookError;
/** How far the clocks of sender and receiver may differ, in seconds. */
const tolerance = 300;
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
function verifyWebhook(secret, headers, body, now = Date.now()) {
    const id = header(headers, "webhook-id");
    const timestamp = header(headers, "webhook-timestamp");
    const given = header(headers, "webhook-signature").split(" ");
    const wanted = (typeof secret === "string" ? [secret] : secret).map((one) => standardSignature(one, id, timestamp, body));
    if (id === "" || !wanted.some((want) => given.some((one) => equal(want, one)))) {
        throw new WebhookError(401, "the webhook has no signature under the secret");
    }
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Math.floor(now / 1000) - Number(timestamp)) > tolerance) {
        throw new WebhookError(401, "the webhook-timestamp is more than 5 minutes from now");
    }
    return parseEvent(body);
}
/**
 * Reports whether dropSignature is the signature of a body under the secret, the header of the interface. It does
 * not cover the time: recognise repeated events by their ids. It is false for any signature if the secret is empty.
 */
function verifyDropSignature(secret, body, dropSignature) {
    return secret !== "" && equal(signBody(secret, body), dropSignature);
}
/** The headers of a webhook as the service sends them, for tests of receivers. */
function signWebhook(secret, eventId, body, now = Date.now()) {
    const timestamp = Math.floor(now / 1000).toString();
    return {
        "content-type": "application/json",
        "drop-event-id": eventId,
        "drop-event-timestamp": timestamp,
        "drop-signature": signBody(secret, body),
        "webhook-id": eventId,
        "webhook-timestamp": timestamp,
        "webhook-signature": standardSignature(secret, eventId, timestamp, body),
    };
}
/** A random secret in the form of those of the service, for tests of receivers. */
function newWebhookSecret() {
    return `whsec_${(0, node_crypto_1.randomBytes)(33).toString("base64")}`;
}
function signBody(secret, body) {
    return `v1=${(0, node_crypto_1.createHmac)("sha256", secret).update(body).digest("hex")}`;
}
function standardSignature(secret, id, timestamp, body) {
    const digest = (0, node_crypto_1.createHmac)("sha256", webhookKey(secret)).update(`${id}.${timestamp}.`).update(body);
    return `v1,${digest.digest("base64")}`;
}
/** Returns the key of Standard Webhooks, which is encoded in the secret. */
function webhookKey(secret) {
    const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? "";
    const key = Buffer.from(encoded, "base64");
    if (key.length < 24 || key.length > 64) {
        throw new TypeError("the webhook secret is not whsec_ and the base64 of 24 to 64 bytes");
    }
    return key;
}
function equal(a, b) {
    const [one, other] = [Buffer.from(a), Buffer.from(b)];
    return one.length === other.length && (0, node_crypto_1.timingSafeEqual)(one, other);
}
function header(headers, name) {
    if (headers instanceof Headers) {
        return headers.get(name) ?? "";
    }
    const value = headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    return (typeof value === "string" ? value : value?.[0]) ?? "";
}
/**
 * Parses the body of a webhook, which it does not verify. Ignore events of types that you do not know: the service
 * may add some.
 */
function parseEvent(body) {
    let event;
    try {
        event = JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString());
    }
    catch {
        throw new WebhookError(400, "the body is not JSON");
    }
    if (typeof event?.id !== "string" || typeof event.type !== "string") {
        throw new WebhookError(400, "the body is not an event: it has no id or no type");
    }
    return event;
}
/**
 * Returns a handler for the endpoint that the service posts events to, for frameworks with the Request and
 * Response of fetch. It answers 200 when handle has returned, 500 if it has thrown, and 400 or 401 to what is
 * not a webhook, without calling handle. The same event may arrive more than once.
 */
function webhookHandler(secret, handle) {
    return async (request) => {
        if (request.method !== "POST") {
            return new Response("send events with POST\n", { status: 405, headers: { Allow: "POST" } });
        }
        const body = new Uint8Array(await request.arrayBuffer());
        const [status, message] = await receive(secret, request.headers, body, handle);
        return new Response(message, { status });
    };
}
/**
 * The same as webhookHandler for node:http, Express and other servers that call with a request and a response. Mount
 * it before a body parser such as express.json(), which leaves no body to verify: then it answers 500. After
 * express.raw() it works, too.
 */
function webhookListener(secret, handle) {
    return async (request, response) => {
        if (request.method !== "POST") {
            response.writeHead(405, { Allow: "POST" }).end("send events with POST\n");
            return;
        }
        if (request.readableEnded && !(bodyOf(request) instanceof Uint8Array)) {
            response.writeHead(500).end("a body parser has read the body: mount webhookListener before it\n");
            return;
        }
        const body = await readBody(request).catch(() => undefined); // the sender has closed the connection
        if (body === undefined) {
            response.destroy();
            return;
        }
        const tooLong = body.length > maxBody;
        const [status, message] = tooLong
            ? [413, "the body is too large\n"]
            : await receive(secret, request.headers, body, handle);
        response.writeHead(status).end(message);
    };
}
/** The longest body that a listener reads, in bytes. Events are much shorter. */
const maxBody = 1 << 20;
/** Returns what a body parser has left. */
function bodyOf(request) {
    return request.body;
}
/** Reads a body, and no more of it than shows that it is too long. */
async function readBody(request) {
    const read = bodyOf(request);
    if (read instanceof Uint8Array) {
        return read;
    }
    const chunks = [];
    let size = 0;
    for await (const chunk of request) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBody) {
            break;
        }
    }
    return Buffer.concat(chunks);
}
/** Returns the status and body of the answer to a request. */
async function receive(secret, headers, body, handle) {
    try {
        await handle(verifyWebhook(secret, headers, body));
        return [200, ""];
    }
    catch (error) {
        return error instanceof WebhookError
            ? [error.status, `${error.message}\n`]
            : [500, "the event could not be handled\n"];
    }
}
