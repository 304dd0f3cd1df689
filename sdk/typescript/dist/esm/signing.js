import { createHmac, randomUUID } from "node:crypto";
/**
 * The signature of a request, for the header X-Signature.
 *
 * @param timestamp Unix time in seconds, as in X-Timestamp.
 * @param path the escaped path with /v1, without the query.
 * @param body the body as sent, byte for byte; empty if there is none.
 */
export function signature(secretKey, timestamp, method, path, body) {
    const digest = createHmac("sha256", secretKey)
        .update(`${timestamp}\n${method.toUpperCase()}\n${path}\n`)
        .update(body);
    return `v1=${digest.digest("hex")}`;
}
/** The signature of version 2 of a request, for the header X-Signature. */
export function signatureV2(secretKey, parts) {
    const lines = [
        parts.timestamp,
        parts.method.toUpperCase(),
        parts.path,
        parts.query ?? "",
        parts.idempotencyKey ?? "",
        parts.contentType ?? "",
        parts.nonce ?? "",
    ];
    const digest = createHmac("sha256", secretKey)
        .update(lines.map((line) => `${line}\n`).join(""))
        .update(parts.body ?? "");
    return `v2=${digest.digest("hex")}`;
}
/** Signs a request: sets X-Api-Key, X-Timestamp and X-Signature, and with version 2 X-Nonce, which is new. */
export async function sign(request, key, version = "v1") {
    const timestamp = Math.floor(Date.now() / 1000).toString();
    const body = new Uint8Array(await request.clone().arrayBuffer());
    request.headers.set("X-Api-Key", key.public_key);
    request.headers.set("X-Timestamp", timestamp);
    const { pathname: path, search } = new URL(request.url);
    if (version === "v1") {
        request.headers.set("X-Signature", signature(key.secret_key, timestamp, request.method, path, body));
        return request;
    }
    const nonce = randomUUID();
    const parts = {
        timestamp,
        method: request.method,
        path,
        query: search.slice(1),
        idempotencyKey: request.headers.get("Idempotency-Key") ?? "",
        contentType: request.headers.get("Content-Type") ?? "",
        nonce,
        body,
    };
    request.headers.set("X-Nonce", nonce);
    request.headers.set("X-Signature", signatureV2(key.secret_key, parts));
    return request;
}
/** Middleware that signs, for clients made with openapi-fetch: `client.use(signing(key))`. */
export function signing(key, version = "v1") {
    return { onRequest: ({ request }) => sign(request, key, version) };
}
