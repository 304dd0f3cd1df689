import type { paths } from "./openapi.js";
import type { Answer, Body, Method, Operation, Partner, PathParameters, Query, RegisterRequest, Schemas, Tracking } from "./types.js";
export interface ServiceOptions {
    /** The waits before the second and further attempts, in milliseconds: 1, 2 and 4 seconds unless given. */
    retryDelays?: readonly number[];
    /** The longest that one attempt may take, in milliseconds. The service itself takes up to 30 seconds. */
    timeout?: number;
    /** Sends a request; the global fetch unless given. */
    fetch?: (request: Request) => Promise<Response>;
    /** The header User-Agent; dropyard-typescript with the version unless given. Browsers send their own. */
    userAgent?: string;
}
export interface CallOptions {
    /** Ends the call, together with its retries. */
    signal?: AbortSignal;
    /** Is called with the response of each attempt, whether it is a refusal or not; for its headers. */
    onResponse?: (response: Response) => void;
}
export interface KeyedCallOptions extends CallOptions {
    /**
     * A UUID, under which a call takes effect once. Without it every call has a new one. Store it before
     * the call, and the call can be repeated after a crash of your program: it returns the same order again.
     */
    idempotencyKey?: string;
}
/** What a call sends, and how it may be repeated. */
export interface Sending<O> {
    path?: PathParameters<O>;
    query?: Query<O> | undefined;
    body?: Body<O>;
    /** The media type wanted; JSON unless given. */
    accept?: string;
    /** The version that the object must still have. */
    version?: number | undefined;
    /** Takes an Idempotency-Key. */
    keyed?: boolean;
    /** Is a POST without a key whose repetition does no harm. */
    safe?: boolean;
    /** Is not sent again, although that would do no harm. */
    once?: boolean;
}
/** Calls what needs no credentials: registration, keys by e-mail and password, login and public tracking. */
export declare class Service {
    readonly baseURL: string;
    readonly options: Required<ServiceOptions>;
    /** @param baseURL the service's address, without /v1. */
    constructor(baseURL: string, options?: ServiceOptions);
    getHealth(options?: CallOptions): Promise<Schemas["Health"]>;
    /** Succeeds if the service should get requests; otherwise the error has the code unavailable. It makes one attempt. */
    getReady(options?: CallOptions): Promise<Schemas["Ready"]>;
    /** The OpenAPI document of the partner interface, in YAML. */
    getOpenAPI(options?: CallOptions): Promise<string>;
    /** The same document in JSON. */
    getOpenAPIAsJSON(options?: CallOptions): Promise<unknown>;
    /** Creates an account. It has the status pending if an operator must approve it first. */
    register(account: RegisterRequest, options?: CallOptions): Promise<Schemas["RegisteredPartner"]>;
    /** @deprecated All clients call it register. */
    registerPartner(account: RegisterRequest, options?: CallOptions): Promise<Schemas["RegisteredPartner"]>;
    /** Creates an API key. Store its secret key: no later answer has it. */
    createAPIKey(key: Schemas["CreateAPIKeyRequest"], options?: CallOptions): Promise<Schemas["CreatedAPIKey"]>;
    /** Starts a session, in which API keys are listed and revoked. */
    login(account: Schemas["LoginRequest"], options?: CallOptions): Promise<Session>;
    /** The public state of an order, without names, streets and prices. */
    trackOrder(orderId: string, options?: CallOptions): Promise<Tracking>;
    /** The page about an order for its recipient, in HTML. */
    trackOrderPage(orderId: string, query?: {
        lang?: "en" | "fr";
    }, options?: CallOptions): Promise<string>;
    /** The picture at the signature_url of an order.delivered event, a JPEG or PNG. The name is the last part of the URL. */
    getProof(name: string, options?: CallOptions): Promise<Uint8Array>;
    /** Adds credentials to a request. */
    protected authorize(request: Request): Promise<Request>;
    /**
     * Calls an operation, and returns its answer. This is for operations that have no method of their own: what people
     * do on pages, such as inviting others into their team.
     *
     *     await session.request("post", "/v1/team/invitations", { body: { email, role } });
     */
    request<M extends Method, P extends keyof paths>(method: M, path: P, sending: Sending<Operation<M, P>>, options?: KeyedCallOptions): Promise<Answer<Operation<M, P>>>;
    /**
     * Calls an operation, again while that is safe, and returns the response if it is 2xx. All attempts have
     * the same Idempotency-Key.
     */
    protected call<M extends Method, P extends keyof paths>(method: M, path: P, sending: Sending<Operation<M, P>>, options?: KeyedCallOptions): Promise<Response>;
    /** Waits until a request may be sent again, or throws the error if it may not. */
    private beforeNext;
    /** Sends one request, and reads the whole answer; throws only what the caller has ended it with. */
    private attempt;
    /** Returns a function that returns the request for one attempt, because a signature covers the time. */
    private requests;
}
/** Manages an account and its API keys. It ends 12 hours after its last use. */
export declare class Session extends Service {
    /** The account, as it was at the login. */
    readonly partner: Partner;
    private readonly cookie;
    constructor(baseURL: string, 
    /** The account, as it was at the login. */
    partner: Partner, cookie: string, options?: ServiceOptions);
    getMe(options?: CallOptions): Promise<Partner>;
    /** Ends the session. */
    logout(options?: CallOptions): Promise<Schemas["LoggedOut"]>;
    listAPIKeys(options?: CallOptions): Promise<Schemas["APIKeyList"]>;
    /** Revokes an API key, which stops working within 5 seconds. */
    revokeAPIKey(keyId: string, options?: CallOptions): Promise<Schemas["RevokedAPIKey"]>;
    protected authorize(request: Request): Promise<Request>;
}
/** Waits; fails as soon as the signal is aborted. */
export declare function pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
/** Reads a body that is neither JSON nor text. */
export declare function bytes(response: Response): Promise<Uint8Array>;
