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
export declare function signature(secretKey: string, timestamp: string, method: string, path: string, body: string | Uint8Array): string;
/** What a signature of version 2 covers. What a request does not have is empty. */
export interface SignedParts {
    /** Unix time in seconds, as in X-Timestamp. */
    timestamp: string;
    method: string;
    /** The escaped path with /v1, without the query. */
    path: string;
    /** The query as sent, without the question mark. */
    query?: string;
    idempotencyKey?: string;
    contentType?: string;
    /** The header X-Nonce: 16 to 64 visible characters. */
    nonce?: string;
    /** The body as sent, byte for byte. */
    body?: string | Uint8Array;
}
/** The signature of version 2 of a request, for the header X-Signature. */
export declare function signatureV2(secretKey: string, parts: SignedParts): string;
/** The version of a signature. Every key accepts version 2, and some require it. */
export type SignatureVersion = "v1" | "v2";
/** Signs a request: sets X-Api-Key, X-Timestamp and X-Signature, and with version 2 X-Nonce, which is new. */
export declare function sign(request: Request, key: KeyPair, version?: SignatureVersion): Promise<Request>;
/** Middleware that signs, for clients made with openapi-fetch: `client.use(signing(key))`. */
export declare function signing(key: KeyPair, version?: SignatureVersion): {
    onRequest(options: {
        request: Request;
    }): Promise<Request>;
};
