import assert from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import {
  Client,
  DropyardError,
  NoAnswerError,
  type OrderRequest,
  Service,
  hasCode,
  version,
} from "../src/index.js";

const order = { partner_order_id: "A-1" } as OrderRequest; // as good as any for a service that is not there
const key = { public_key: "pk_1", secret_key: "sk_1" };

/** Returns a client of a service that gives these answers one after the other, and the requests that it got. */
function scripted(...answers: (Response | Error)[]): { client: Client; requests: Request[] } {
  const requests: Request[] = [];
  const answer = async (request: Request) => {
    requests.push(request);
    const next = answers.shift();
    if (next instanceof Response) {
      return next;
    }
    throw next ?? new Error("there are no more answers");
  };
  return { client: new Client("http://service.test/", key, { fetch: answer, retryDelays: [1, 1, 1] }), requests };
}

function refusal(status: number, code: string, details?: object, headers?: Record<string, string>): Response {
  return Response.json(
    { error: { code, message: "no", doc_url: `http://service.test/docs/errors/${code}`, details }, request_id: "req_1" },
    { status, headers: headers ?? {} },
  );
}

const lost = () => new TypeError("fetch failed");
const ok = (body: object = { order_id: "ord_1" }) => Response.json(body);
const create = (client: Client) => client.createOrder(order);

const retries: Record<
  string,
  { answers: (Response | Error)[]; call?: (client: Client) => Promise<unknown>; attempts: number; code?: string }
> = {
  "429 and then 201": { answers: [refusal(429, "rate_limited"), ok()], attempts: 2 },
  "500, no answer and 503": {
    answers: [refusal(500, "internal_error"), lost(), refusal(503, "unavailable"), ok()],
    attempts: 4,
  },
  "four times 503": { answers: [1, 2, 3, 4].map(() => refusal(503, "unavailable")), attempts: 4, code: "unavailable" },
  idempotency_in_progress: { answers: [refusal(409, "idempotency_in_progress"), ok()], attempts: 2 },
  conflict: { answers: [refusal(409, "conflict")], attempts: 1, code: "conflict" },
  validation_error: { answers: [refusal(422, "validation_error")], attempts: 1, code: "validation_error" },
  "a wait of 3 minutes": {
    answers: [refusal(429, "quota_exceeded", {}, { "Retry-After": "180" })],
    attempts: 1,
    code: "quota_exceeded",
  },
  "a quote": { answers: [refusal(503, "unavailable"), ok()], call: (client) => client.createQuote(order), attempts: 2 },
  "a read": { answers: [lost(), ok()], call: (client) => client.getOrder("ord_1"), attempts: 2 },
  "a key, 503": {
    answers: [refusal(503, "unavailable")],
    call: (client) => client.createAPIKey({}),
    attempts: 1,
    code: "unavailable",
  },
  "a key, 429": {
    answers: [refusal(429, "rate_limited"), ok()],
    call: (client) => client.createAPIKey({}),
    attempts: 2,
  },
  readiness: {
    answers: [refusal(503, "unavailable")],
    call: (client) => client.getReady(),
    attempts: 1,
    code: "unavailable",
  },
};

for (const [name, given] of Object.entries(retries)) {
  test(`retries: ${name}`, async () => {
    const { client, requests } = scripted(...given.answers);
    const code = await (given.call ?? create)(client).then(
      () => undefined,
      (error: DropyardError) => error.code,
    );
    assert.equal(code, given.code);
    assert.equal(requests.length, given.attempts);
  });
}

test("all attempts have the same Idempotency-Key, and further calls another", async () => {
  const { client, requests } = scripted(lost(), ok(), ok(), ok());
  await client.createOrder(order);
  await client.createOrder(order);
  await client.createOrder(order, { idempotencyKey: "0f7c9a52-6f0b-4c1e-9f5d-3a2f1d6b8e47" });
  const [first, again, second, own] = requests.map((request) => request.headers.get("Idempotency-Key"));
  assert.match(first ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(again, first);
  assert.notEqual(second, first);
  assert.equal(own, "0f7c9a52-6f0b-4c1e-9f5d-3a2f1d6b8e47");
});

test("each attempt is signed at its own time", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_767_225_600_000 });
  const { client, requests } = scripted();
  client.options.fetch = async (request) => {
    requests.push(request);
    t.mock.timers.setTime(1_767_225_602_000);
    return requests.length < 2 ? refusal(503, "unavailable") : ok();
  };
  await client.getOrder("ord_1");
  assert.deepEqual(
    requests.map((request) => request.headers.get("X-Timestamp")),
    ["1767225600", "1767225602"],
  );
});

test("what is not answered is a NoAnswerError with its cause", async () => {
  const cause = lost();
  const silent = scripted(cause);
  silent.client.options.retryDelays = [];
  await assert.rejects(create(silent.client), (error) => {
    assert.ok(error instanceof NoAnswerError);
    assert.deepEqual([error.name, error.message, error.cause], ["NoAnswerError", "POST /v1/orders: fetch failed", cause]);
    return !error.timedOut && !(error instanceof DropyardError);
  });
  const { client } = scripted(new Response("<html>"));
  await assert.rejects(create(client), NoAnswerError);
});

test("a timeout is a NoAnswerError, and the caller's signal its own reason", async (t) => {
  const server = createServer(() => {}).listen(0, "127.0.0.1"); // never answers
  t.after(() => (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new Client(url, key, { timeout: 20, retryDelays: [] });
  await assert.rejects(client.getOrder("ord_1"), (error) => error instanceof NoAnswerError && error.timedOut);
  const patient = new Client(url, key, { retryDelays: [1] });
  const signal = AbortSignal.abort(new Error("enough"));
  await assert.rejects(patient.getOrder("ord_1", { signal }), /^Error: enough$/);
});

test("a service that cannot be reached is a NoAnswerError with the reason", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const client = new Client(`http://127.0.0.1:${port}`, key, { retryDelays: [] });
  await assert.rejects(client.getOrder("ord_1"), /NoAnswerError: GET \/v1\/orders\/ord_1: fetch failed \(ECONNREFUSED\)/);
});

test("a request that cannot be sent is not retried", async () => {
  const { client, requests } = scripted();
  await assert.rejects(client.createOrder(order, { idempotencyKey: "line\nbreak" }), TypeError);
  assert.equal(requests.length, 0);
});

test("what cannot be an address or a key is refused at once", () => {
  for (const url of ["", "dropyard.example", "localhost:8080", "ftp://dropyard.example", "https://"]) {
    assert.throws(() => new Service(url), /^TypeError: baseURL: ".*" is not an address such as https:\/\/dropyard.example$/);
  }
  for (const [public_key, secret_key] of [["", "sk_1"], ["pk_1", ""], ["pk_…", "sk_1"], ["pk_1", "sk_1\n"]] as const) {
    assert.throws(() => new Client("https://a.example", { public_key, secret_key }), /_key: empty, or not a key as/);
  }
});

test("a client of the environment", (t) => {
  const before = { ...process.env };
  t.after(() => (process.env = before));
  Object.assign(process.env, { DROPYARD_URL: "https://a.example/", DROPYARD_KEY: "pk_1", DROPYARD_SECRET: "sk_1" });
  const client = Client.fromEnvironment({ userAgent: "shop/7" });
  assert.equal(client.baseURL, "https://a.example");
  assert.deepEqual(client.key, { public_key: "pk_1", secret_key: "sk_1" });
  assert.equal(client.options.userAgent, "shop/7");
  delete process.env["DROPYARD_URL"];
  process.env["DROPYARD_SECRET"] = "";
  assert.throws(() => Client.fromEnvironment(), { message: "not set in the environment: DROPYARD_URL, DROPYARD_SECRET" });
});

test("requests name the client and its version, or what the caller has set", async (t) => {
  const agents: unknown[] = [];
  const server = createServer((request, response) => {
    agents.push(request.headers["user-agent"]);
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Client(url, key).getOrder("ord_1");
  await new Client(url, key, { userAgent: "shop/7" }).getOrder("ord_1");
  assert.deepEqual(agents, [`dropyard-typescript/${version}`, "shop/7"]);
});

test("earlier names of methods call the same operations", async () => {
  const { client, requests } = scripted(ok(), ok(), ok(), ok());
  await client.registerPartner({ name: "x", email: "x", password: "x" });
  await client.createOrderBatch([]);
  await client.putWebhookEndpoint({ url: "x" });
  await client.followEvents();
  assert.deepEqual(
    requests.map((request) => new URL(request.url).pathname),
    ["/v1/auth/register", "/v1/orders/batch", "/v1/webhooks/endpoint", "/v1/webhooks/feed"],
  );
});

test("Retry-After is followed", async () => {
  const { client } = scripted(refusal(429, "rate_limited", undefined, { "Retry-After": "1" }), ok());
  const begun = performance.now();
  await client.getOrder("ord_1");
  assert.ok(performance.now() - begun >= 990);
});

test("a signal ends a call between attempts", async () => {
  const { client, requests } = scripted(refusal(429, "rate_limited", undefined, { "Retry-After": "60" }));
  const controller = new AbortController();
  const call = client.getOrder("ord_1", {
    signal: controller.signal,
    onResponse: () => setImmediate(() => controller.abort(new Error("enough"))),
  });
  await assert.rejects(call, /enough/);
  assert.equal(requests.length, 1);
});

test("errors have types by their codes", async () => {
  const details = {
    field: "parcels",
    value: null,
    expected: "1 to 50 parcels",
    errors: [{ field: "parcels", value: null, expected: "1 to 50 parcels" }],
  };
  const { client } = scripted(
    refusal(422, "validation_error", details),
    refusal(422, "insufficient_stock", { items: [{ product_id: 1, available: 2, requested: 3 }] }),
  );
  const first: unknown = await client.createOrder(order).catch((error: unknown) => error);
  assert.ok(hasCode(first, "validation_error"));
  assert.deepEqual([first.status, first.requestId, first.details.field], [422, "req_1", "parcels"]);
  assert.equal(first.docUrl, "http://service.test/docs/errors/validation_error");
  assert.deepEqual(
    first.problems.map((problem) => problem.expected),
    ["1 to 50 parcels"],
  );
  assert.equal(first.message, "refused with 422 validation_error: no (request req_1)");
  const second: unknown = await client.createOrder(order).catch((error: unknown) => error);
  assert.ok(hasCode(second, "insufficient_stock"));
  assert.equal(second.details.items[0]?.available, 2);
  assert.deepEqual(second.problems, []);
});

test("answers that are not of the service are errors without a code", async () => {
  for (const answer of [
    new Response("<html>", { status: 404 }),
    Response.json(null, { status: 404 }),
    new Response(null, { status: 302 }),
  ]) {
    const { client } = scripted(answer);
    await assert.rejects(
      client.getOrder("ord_1"),
      (error) =>
        error instanceof DropyardError &&
        error.code === undefined &&
        error.docUrl === "" &&
        error.status === answer.status,
    );
  }
});

test("ids and queries are escaped, and ids that lead elsewhere refused", async () => {
  const { client, requests } = scripted(ok(), ok({ orders: [] }));
  await client.getOrder("a/b c");
  await client.listOrders({ created_from: "2026-03-02T09:00:00+01:00", limit: 2 });
  assert.deepEqual(
    requests.map((request) => request.url),
    [
      "http://service.test/v1/orders/a%2Fb%20c",
      "http://service.test/v1/orders?created_from=2026-03-02T09%3A00%3A00%2B01%3A00&limit=2",
    ],
  );
  for (const id of ["", ".", ".."]) {
    await assert.rejects(client.getOrder(id), TypeError);
  }
});

test("iterators read page after page", async () => {
  const { client, requests } = scripted(
    ok({ orders: [{ order_id: "3" }, { order_id: "2" }], next_cursor: "c" }),
    ok({ orders: [{ order_id: "1" }] }),
    ok({ movements: [{ movement_id: 4 }, { movement_id: 3 }], count: 2, limit: 2 }),
    ok({ movements: [{ movement_id: 3 }, { movement_id: 2 }], count: 2, limit: 2 }),
    ok({ movements: [{ movement_id: 1 }], count: 1, limit: 2 }),
    ok({ products: [{ product_id: 1 }], count: 1, total: 2 }),
    ok({ products: [{ product_id: 2 }], count: 1, total: 2 }),
  );
  const got: unknown[] = [];
  for await (const one of client.orders({ status: "pending", offset: 1 })) got.push(one.order_id);
  for await (const one of client.movements({ limit: 2 })) got.push(one.movement_id);
  for await (const one of client.products()) got.push(one.product_id);
  assert.deepEqual(got, ["3", "2", "1", 4, 3, 2, 1, 1, 2]);
  assert.deepEqual(
    requests.map((request) => new URL(request.url).search),
    [
      "?status=pending&offset=1",
      "?status=pending&cursor=c",
      "?limit=2&offset=0",
      "?limit=2&offset=2",
      "?limit=2&offset=4",
      "?offset=0",
      "?offset=1",
    ],
  );
});

for (const cookie of ["dropyard_session=abc", "__Host-dropyard_session=abc"]) {
  test(`login keeps the cookie ${cookie}`, () => keepsCookie(cookie));
}

async function keepsCookie(cookie: string) {
  const requests: Request[] = [];
  const service = new Service("http://service.test", {
    fetch: async (request) => {
      requests.push(request);
      return Response.json(
        { partner_id: "par_1" },
        { headers: { "Set-Cookie": `${cookie}; HttpOnly; Path=/` } },
      );
    },
  });
  const session = await service.login({ email: "shop@example.com", password: "seven maple trees" });
  await session.getMe();
  assert.equal(session.partner.partner_id, "par_1");
  assert.equal(requests[1]?.headers.get("Cookie"), cookie);
}
