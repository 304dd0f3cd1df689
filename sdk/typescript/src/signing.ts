import { createHmac } from "node:crypto";

/** A pair of keys, as `createAPIKey` returns it. The secret key is never sent. */
export interface KeyPair {
  public_key: string;
  secret_key: string;
}

/**
 * The signature of a request, for the header X-Signature.
 *
 * @param timestamp Unix time in seconds, as in X-Timestamp.
 * @param path the escaped path with /v1, without the query.
 * @param body the body as sent, byte for byte; empty if there is none.
 */
export function signature(
  secretKey: string,
  timestamp: string,
  method: string,
  path: string,
  body: string | Uint8Array,
): string {
  const digest = createHmac("sha256", secretKey)
    .update(`${timestamp}\n${method.toUpperCase()}\n${path}\n`)
    .update(body);
  return `v1=${digest.digest("hex")}`;
}

/** Signs a request: sets X-Api-Key, X-Timestamp and X-Signature. */
export async function sign(request: Request, key: KeyPair): Promise<Request> {
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const body = new Uint8Array(await request.clone().arrayBuffer());
  request.headers.set("X-Api-Key", key.public_key);
  request.headers.set("X-Timestamp", timestamp);
  request.headers.set(
    "X-Signature",
    signature(key.secret_key, timestamp, request.method, new URL(request.url).pathname, body),
  );
  return request;
}

/** Middleware that signs, for clients made with openapi-fetch: `client.use(signing(key))`. */
export function signing(key: KeyPair): { onRequest(options: { request: Request }): Promise<Request> } {
  return { onRequest: ({ request }) => sign(request, key) };
}
