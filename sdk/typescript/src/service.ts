import type { paths } from "./openapi.js";
import { DropyardError, hasCode, noAnswer, NoAnswerError, readError } from "./error.js";
import type {
  Answer,
  Body,
  Method,
  Operation,
  Partner,
  PathParameters,
  Query,
  RegisterRequest,
  Schemas,
  Tracking,
} from "./types.js";
import { version } from "./version.js";

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

/** The longest that a call waits because the service asks for it, in milliseconds. */
const maxRetryAfter = 120_000;

/** Calls what needs no credentials: registration, keys by e-mail and password, login and public tracking. */
export class Service {
  readonly baseURL: string;
  readonly options: Required<ServiceOptions>;

  /** @param baseURL the service's address, without /v1. */
  constructor(baseURL: string, options: ServiceOptions = {}) {
    if (!/^https?:\/\/[^/]/.test(baseURL)) {
      throw new TypeError(`baseURL: ${JSON.stringify(baseURL)} is not an address such as https://dropyard.example`);
    }
    this.baseURL = baseURL.replace(/\/+$/, "");
    this.options = {
      retryDelays: [1000, 2000, 4000],
      timeout: 35_000,
      fetch: (request) => fetch(request),
      userAgent: `dropyard-typescript/${version}`,
      ...options,
    };
  }

  getHealth(options?: CallOptions): Promise<Schemas["Health"]> {
    return this.request("get", "/v1/health", {}, options);
  }

  /** Succeeds if the service should get requests; otherwise the error has the code unavailable. It makes one attempt. */
  getReady(options?: CallOptions): Promise<Schemas["Ready"]> {
    return this.request("get", "/v1/ready", { once: true }, options);
  }

  /** The OpenAPI document of the partner interface, in YAML. */
  async getOpenAPI(options?: CallOptions): Promise<string> {
    return (await this.call("get", "/openapi.yaml", { accept: "application/yaml" }, options)).text();
  }

  /** The same document in JSON. */
  async getOpenAPIAsJSON(options?: CallOptions): Promise<unknown> {
    return json(await this.call("get", "/openapi.json", {}, options), "GET /openapi.json");
  }

  /** Creates an account. It has the status pending if an operator must approve it first. */
  register(account: RegisterRequest, options?: CallOptions): Promise<Schemas["RegisteredPartner"]> {
    return this.request("post", "/v1/auth/register", { body: account }, options);
  }

  /** @deprecated All clients call it register. */
  registerPartner(account: RegisterRequest, options?: CallOptions): Promise<Schemas["RegisteredPartner"]> {
    return this.register(account, options);
  }

  /** Creates an API key. Store its secret key: no later answer has it. */
  createAPIKey(key: Schemas["CreateAPIKeyRequest"], options?: CallOptions): Promise<Schemas["CreatedAPIKey"]> {
    return this.request("post", "/v1/auth/api-keys", { body: key }, options);
  }

  /** Starts a session, in which API keys are listed and revoked. */
  async login(account: Schemas["LoginRequest"], options?: CallOptions): Promise<Session> {
    const response = await this.call("post", "/v1/auth/login", { body: account, safe: true }, options);
    const cookie = response.headers.getSetCookie().find((one) => sessionCookie.test(one));
    if (cookie === undefined) {
      throw new NoAnswerError("POST /v1/auth/login: the answer has no session cookie");
    }
    const partner = (await json(response, "POST /v1/auth/login")) as Partner;
    return new Session(this.baseURL, partner, cookie.split(";", 1)[0]!, this.options);
  }

  /** The public state of an order, without names, streets and prices. */
  trackOrder(orderId: string, options?: CallOptions): Promise<Tracking> {
    return this.request("get", "/track/{order_id}", { path: { order_id: orderId } }, options);
  }

  /** The page about an order for its recipient, in HTML. */
  async trackOrderPage(orderId: string, query?: { lang?: "en" | "fr" }, options?: CallOptions): Promise<string> {
    return (
      await this.call(
        "get",
        "/track/{order_id}/html",
        { path: { order_id: orderId }, query, accept: "text/html" },
        options,
      )
    ).text();
  }

  /** The picture at the signature_url of an order.delivered event, a JPEG or PNG. The name is the last part of the URL. */
  async getProof(name: string, options?: CallOptions): Promise<Uint8Array> {
    return bytes(await this.call("get", "/proofs/{name}", { path: { name }, accept: "image/*" }, options));
  }

  /** Adds credentials to a request. */
  protected async authorize(request: Request): Promise<Request> {
    return request;
  }

  /**
   * Calls an operation, and returns its answer. This is for operations that have no method of their own: what people
   * do on pages, such as inviting others into their team.
   *
   *     await session.request("post", "/v1/team/invitations", { body: { email, role } });
   */
  async request<M extends Method, P extends keyof paths>(
    method: M,
    path: P,
    sending: Sending<Operation<M, P>>,
    options?: KeyedCallOptions,
  ): Promise<Answer<Operation<M, P>>> {
    const response = await this.call(method, path, sending, options);
    return (await json(response, `${method.toUpperCase()} ${path}`)) as Answer<Operation<M, P>>;
  }

  /**
   * Calls an operation, again while that is safe, and returns the response if it is 2xx. All attempts have
   * the same Idempotency-Key.
   */
  protected async call<M extends Method, P extends keyof paths>(
    method: M,
    path: P,
    sending: Sending<Operation<M, P>>,
    options: KeyedCallOptions = {},
  ): Promise<Response> {
    const next = this.requests(method, path, sending, options);
    const repeatable = !sending.once && (method !== "post" || sending.keyed === true || sending.safe === true);
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.attempt(await next(), options);
      if (outcome instanceof Response) {
        return outcome;
      }
      await this.beforeNext(attempt, outcome, repeatable, options.signal);
    }
  }

  /** Waits until a request may be sent again, or throws the error if it may not. */
  private async beforeNext(attempt: number, error: Failure, repeatable: boolean, signal?: AbortSignal): Promise<void> {
    const delay = this.options.retryDelays[attempt];
    if (delay === undefined || !mayRepeat(error, repeatable)) {
      throw error;
    }
    const asked = error instanceof DropyardError ? (error.retryAfter ?? 0) * 1000 : 0;
    if (asked > maxRetryAfter) {
      throw error;
    }
    await pause(asked || delay, signal);
  }

  /** Sends one request, and reads the whole answer; throws only what the caller has ended it with. */
  private async attempt(request: Request, { signal, onResponse }: CallOptions): Promise<Response | Failure> {
    let response: Response;
    try {
      response = await this.options.fetch(request);
      const body = await response.arrayBuffer();
      response = new Response(body.byteLength > 0 ? body : null, response);
    } catch (cause) {
      signal?.throwIfAborted();
      return noAnswer(request, cause);
    }
    onResponse?.(response);
    return response.ok ? response : readError(response);
  }

  /** Returns a function that returns the request for one attempt, because a signature covers the time. */
  private requests<O>(
    method: Method,
    path: string,
    sending: Sending<O>,
    options: KeyedCallOptions,
  ): () => Promise<Request> {
    const url = this.baseURL + target(path, sending.path ?? {}, sending.query ?? {});
    const headers = new Headers({ Accept: sending.accept ?? "application/json", "User-Agent": this.options.userAgent });
    if (sending.keyed) {
      headers.set("Idempotency-Key", options.idempotencyKey ?? crypto.randomUUID());
    }
    if (sending.version !== undefined) headers.set("If-Match", `"${sending.version}"`);
    const init: RequestInit = { method: method.toUpperCase(), headers, redirect: "manual" };
    if (sending.body !== undefined) {
      headers.set("Content-Type", "application/json");
      init.body = JSON.stringify(sending.body);
    }
    return () => {
      const limit = AbortSignal.timeout(this.options.timeout);
      const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
      return this.authorize(new Request(url, { ...init, signal }));
    };
  }
}

/** Why an attempt did not succeed. */
type Failure = DropyardError | NoAnswerError;

/** A cookie that holds a session; its name has a prefix if the service is served over HTTPS. */
const sessionCookie = /^(__Host-)?dropyard_session=/;

/** Manages an account and its API keys. It ends 12 hours after its last use. */
export class Session extends Service {
  constructor(
    baseURL: string,
    /** The account, as it was at the login. */
    readonly partner: Partner,
    private readonly cookie: string,
    options?: ServiceOptions,
  ) {
    super(baseURL, options);
  }

  getMe(options?: CallOptions): Promise<Partner> {
    return this.request("get", "/v1/auth/me", {}, options);
  }

  /** Ends the session. */
  logout(options?: CallOptions): Promise<Schemas["LoggedOut"]> {
    return this.request("post", "/v1/auth/logout", { safe: true }, options);
  }

  listAPIKeys(options?: CallOptions): Promise<Schemas["APIKeyList"]> {
    return this.request("get", "/v1/auth/api-keys", {}, options);
  }

  /** Revokes an API key, which stops working within 5 seconds. */
  revokeAPIKey(keyId: string, options?: CallOptions): Promise<Schemas["RevokedAPIKey"]> {
    return this.request("delete", "/v1/auth/api-keys/{key_id}", { path: { key_id: keyId } }, options);
  }

  protected override async authorize(request: Request): Promise<Request> {
    request.headers.set("Cookie", this.cookie);
    return request;
  }
}

/** Returns the path and query of a request. An id that would lead to another path is an error. */
function target(path: string, parameters: object, query: object): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((parameters as Record<string, unknown>)[name] ?? "");
    if (["", ".", ".."].includes(value)) {
      throw new TypeError(`${path}: ${name} cannot be ${JSON.stringify(value)}`);
    }
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) search.append(name, String(one));
    }
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/**
 * Reports whether a request may be sent again after an error. 429 means that the service has done nothing;
 * any other failure allows it only if the request is repeatable.
 */
function mayRepeat(error: Failure, repeatable: boolean): boolean {
  if (!(error instanceof DropyardError)) {
    return repeatable;
  }
  return error.status === 429 || (repeatable && (error.status >= 500 || hasCode(error, "idempotency_in_progress")));
}

/** Waits; fails as soon as the signal is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Reads a body in JSON, the answer to a request such as GET /v1/orders. */
async function json(response: Response, request: string): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    throw new NoAnswerError(`${request}: the answer is not that of the service`, { cause });
  }
}

/** Reads a body that is neither JSON nor text. */
export async function bytes(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}
