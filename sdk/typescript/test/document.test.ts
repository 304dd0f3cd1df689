// Compares the requests of every method with the OpenAPI document of the service at DROPYARD_URL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type OrderRequest, type Partner, Service, Session, type operations } from "../src/index.js";

const baseURL = process.env["DROPYARD_URL"] ?? "";
const order = {} as OrderRequest;

/** What people do on pages has no methods: passwords, second factors, the profile, and who else has access. */
const pages = ["Sign-in", "Profile", "Team"];

/** Operations that have no methods either: a GET that logs out, labels at an address, and pages about mail. */
const withoutMethod = [
  "logout",
  "getLinkedLabel",
  "showMailChoice",
  "chooseMail",
  "getOpenAPI30", // of other programs
  "getAsyncAPI",
];

/** A call of every other operation. The compiler compares the names with the document. */
const calls: Partial<Record<keyof operations, (service: Client, session: Session) => Promise<unknown>>> = {
  getHealth: (s) => s.getHealth(),
  getReady: (s) => s.getReady(),
  getOpenAPI: (s) => s.getOpenAPI(),
  getOpenAPIAsJSON: (s) => s.getOpenAPIAsJSON(),
  registerPartner: (s) => s.register({ name: "x", email: "x", password: "x" }),
  login: (s) => s.login({ email: "x", password: "x" }),
  logoutByPost: (_, session) => session.logout(),
  getMe: (_, session) => session.getMe(),
  listAPIKeys: (_, session) => session.listAPIKeys(),
  createAPIKey: (s) => s.createAPIKey({}),
  revokeAPIKey: (_, session) => session.revokeAPIKey("x"),
  createQuote: (s) => s.createQuote(order),
  createQuotes: (s) => s.createQuotes(order),
  createOrder: (s) => s.createOrder(order),
  listOrders: (s) => s.listOrders(),
  createOrderBatch: (s) => s.createOrders([]),
  validateOrder: (s) => s.validateOrder(order),
  getOrder: (s) => s.getOrder("x"),
  getLabel: (s) => s.getLabel("x"),
  createLabelLink: (s) => s.createLabelLink("x"),
  getLabels: (s) => s.getLabels(["x"]),
  editOrder: (s) => s.editOrder("x", {}),
  cancelOrder: (s) => s.cancelOrder("x"),
  createReturn: (s) => s.createReturn("x", { reason: "x", to: "sender", pickup: { time_window: { start: "x", end: "x" } } }),
  requestCancellation: (s) => s.requestCancellation("x", { reason: "x" }),
  listProducts: (s) => s.listProducts(),
  listMovements: (s) => s.listMovements(),
  getWebhookEndpoint: (s) => s.getWebhookEndpoint(),
  putWebhookEndpoint: (s) => s.setWebhookEndpoint({ url: "x" }),
  deleteWebhookEndpoint: (s) => s.deleteWebhookEndpoint(),
  rotateWebhookSecret: (s) => s.rotateWebhookSecret(),
  activateWebhookSecret: (s) => s.activateWebhookSecret(),
  listWebhookEndpoints: (s) => s.listWebhookEndpoints(),
  addWebhookEndpoint: (s) => s.addWebhookEndpoint({ url: "x" }),
  getEndpoint: (s) => s.getEndpoint("x"),
  editEndpoint: (s) => s.editEndpoint("x", {}),
  deleteEndpoint: (s) => s.deleteEndpoint("x"),
  rotateEndpointSecret: (s) => s.rotateEndpointSecret("x"),
  activateEndpointSecret: (s) => s.activateEndpointSecret("x"),
  listEvents: (s) => s.listEvents(),
  listLogs: (s) => s.listLogs(),
  listStatements: (s) => s.listStatements(),
  getStatement: (s) => s.getStatement("x"),
  getFigures: (s) => s.getFigures(),
  getEvent: (s) => s.getEvent("x"),
  redeliverEvent: (s) => s.redeliverEvent("x"),
  redeliverEvents: (s) => s.redeliverEvents({ cursor: "x" }),
  followEvents: (s) => s.readFeed(),
  testWebhook: (s) => s.testWebhook(),
  trackOrder: (s) => s.trackOrder("x"),
  trackOrderPage: (s) => s.trackOrderPage("x"),
  getProof: (s) => s.getProof("x"),
};

interface Described {
  tags: string[];
  operationId: string;
  security: Record<string, unknown>[];
  parameters?: { $ref?: string }[];
  requestBody?: unknown;
}

/** Returns the only request that a call sends. */
async function sent(call: (client: Client, session: Session) => Promise<unknown>): Promise<Request> {
  const requests: Request[] = [];
  const options = {
    fetch: async (request: Request) => {
      requests.push(request);
      return Response.json({}, { headers: { "Set-Cookie": "dropyard_session=x" } });
    },
  };
  const client = new Client("http://service.test", { public_key: "pk_1", secret_key: "sk_1" }, options);
  await call(client, new Session("http://service.test", {} as Partner, "dropyard_session=x", options));
  assert.equal(requests.length, 1);
  return requests[0]!;
}

test(
  "every operation has a method, whose request is as documented",
  { skip: baseURL === "" && "DROPYARD_URL is not set" },
  async () => {
    const document = (await new Service(baseURL).getOpenAPIAsJSON()) as {
      paths: Record<string, Record<string, Described>>;
    };
    const left = new Set(Object.keys(calls));
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const { operationId, tags } = operation;
        if (operationId === undefined || withoutMethod.includes(operationId) || tags.some((tag) => pages.includes(tag))) {
          continue;
        }
        const call = calls[operationId as keyof operations];
        assert.ok(call && left.delete(operationId), `${operationId} has no method`);
        const request = await sent(call);
        const name = `${method.toUpperCase()} ${path}`;
        assert.equal(`${request.method} ${new URL(request.url).pathname}`, name.replace(/\{\w+\}/, "x"));
        const keyed =
          operation.parameters?.some((one) => one.$ref === "#/components/parameters/Idempotency-Key") ?? false;
        assert.equal(request.headers.has("Idempotency-Key"), keyed, `${name}: Idempotency-Key`);
        assert.equal(request.headers.has("Content-Type"), operation.requestBody !== undefined, `${name}: body`);
        const schemes = new Set(operation.security.flatMap(Object.keys));
        assert.ok(!schemes.has("signedKey") || request.headers.has("X-Signature"), `${name}: signature`);
        assert.ok(
          !schemes.has("session") || request.headers.has("X-Signature") || request.headers.has("Cookie"),
          `${name}: session`,
        );
      }
    }
    assert.deepEqual([...left], []);
  },
);
