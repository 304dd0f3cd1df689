import { Feed } from "./feed.js";
import { Service, bytes } from "./service.js";
import { sign } from "./signing.js";
/** The environment variables that `Client.fromEnvironment` reads: the address, and both parts of the key. */
const variables = ["DROPYARD_URL", "DROPYARD_KEY", "DROPYARD_SECRET"];
/**
 * Calls a service with an API key. A method that makes one request is named with a verb, such as listOrders; the
 * plural alone, such as orders, iterates over all pages.
 */
export class Client extends Service {
    key;
    /** The version with which requests are signed. */
    signatures;
    constructor(baseURL, key, options = {}) {
        const { signatures = "v1", ...rest } = options;
        super(baseURL, rest);
        this.key = key;
        for (const name of ["public_key", "secret_key"]) {
            if (!/^[\x21-\x7e]+$/.test(key[name])) {
                throw new TypeError(`${name}: empty, or not a key as createAPIKey returns it`);
            }
        }
        this.signatures = signatures;
    }
    /**
     * A client of the service at DROPYARD_URL, with the API key DROPYARD_KEY and its secret DROPYARD_SECRET. The error
     * names what is not set.
     */
    static fromEnvironment(options = {}) {
        const missing = variables.filter((name) => !process.env[name]);
        if (missing.length > 0) {
            throw new Error(`not set in the environment: ${missing.join(", ")}`);
        }
        const [baseURL = "", public_key = "", secret_key = ""] = variables.map((name) => process.env[name]);
        return new Client(baseURL, { public_key, secret_key }, options);
    }
    authorize(request) {
        return sign(request, this.key, this.signatures);
    }
    /** A price and an estimate; nothing is created. An order costs the same if it names the quote_id. */
    createQuote(quote, options) {
        return this.request("post", "/v1/rates/quote", { body: quote, safe: true }, options);
    }
    /** A price and an estimate for each service level; nothing is created. A level in the request is ignored. */
    createQuotes(quote, options) {
        return this.request("post", "/v1/rates/quotes", { body: quote, safe: true }, options);
    }
    /** Creates an order and takes its items out of stock, or does neither. */
    createOrder(order, options) {
        return this.request("post", "/v1/orders", { body: order, keyed: true }, options);
    }
    /** Creates up to 500 orders, each independently of the others: the error of one order is in its result. */
    createOrders(orders, options) {
        return this.request("post", "/v1/orders/batch", { body: { orders }, keyed: true }, options);
    }
    /** @deprecated All clients call it createOrders. */
    createOrderBatch(orders, options) {
        return this.createOrders(orders, options);
    }
    /** What createOrder would do; nothing is created. An order that would be refused is not an error. */
    validateOrder(order, options) {
        return this.request("post", "/v1/orders/validate", { body: order, safe: true }, options);
    }
    getOrder(orderId, options) {
        return this.request("get", "/v1/orders/{order_id}", { path: { order_id: orderId } }, options);
    }
    /**
     * Changes the content of an order by a merge patch (RFC 7396); what its status no longer allows is refused with
     * order_not_editable. With a version, an order that has another one is refused with conflict. With `preview`, the order
     * is answered as the edit would leave it, and nothing is changed.
     */
    editOrder(orderId, edit, options = {}) {
        const query = options.preview ? { preview: "true" } : {};
        const sending = { path: { order_id: orderId }, query, body: edit, keyed: true, version: options.version };
        return this.request("patch", "/v1/orders/{order_id}", sending, options);
    }
    /** Cancels an order that is pending or accepted; any other is refused with order_not_cancellable. */
    cancelOrder(orderId, cancellation = {}, options) {
        const sending = { path: { order_id: orderId }, body: cancellation, keyed: true };
        return this.request("post", "/v1/orders/{order_id}/cancel", sending, options);
    }
    /** Creates an order that brings delivered goods back; over all returns of an order at most what it has delivered. */
    createReturn(orderId, wanted, options) {
        const sending = { path: { order_id: orderId }, body: wanted, keyed: true };
        return this.request("post", "/v1/orders/{order_id}/returns", sending, options);
    }
    /** Requests that the service cancels an order, once, from courier_assigned to failed; any other is refused with conflict. */
    requestCancellation(orderId, request, options) {
        const sending = { path: { order_id: orderId }, body: request, keyed: true };
        return this.request("post", "/v1/orders/{order_id}/cancellation-request", sending, options);
    }
    /** The labels of an order's parcels, in a PDF or in ZPL II, for printers of 203 dpi unless `dpi` says otherwise. */
    async getLabel(orderId, format = "application/pdf", options = {}) {
        const sending = { path: { order_id: orderId }, query: options.dpi === undefined ? {} : { dpi: options.dpi }, accept: format };
        return bytes(await this.call("get", "/v1/orders/{order_id}/label", sending, options));
    }
    /** An address of an order's labels that needs no signature, for 15 minutes; a PDF for 203 dpi unless `link` says otherwise. */
    createLabelLink(orderID, link = {}, options) {
        const sending = { path: { order_id: orderID }, body: link, safe: true };
        return this.request("post", "/v1/orders/{order_id}/label-link", sending, options);
    }
    /** The labels of 1 to 100 orders in one file, in the order in which they are named; of all of them, or of none. */
    async getLabels(orderIds, format = "application/pdf", options = {}) {
        const query = { order_id: orderIds, ...(options.dpi === undefined ? {} : { dpi: options.dpi }) };
        return bytes(await this.call("get", "/v1/labels", { query, accept: format }, options));
    }
    /** A page of orders, newest first. */
    listOrders(query, options) {
        return this.request("get", "/v1/orders", { query }, options);
    }
    /** All orders, newest first, from the page that the query begins with. */
    orders({ offset, ...query } = {}, options) {
        return byCursor(query, async (next) => {
            const first = next.cursor === undefined && offset !== undefined ? { offset } : {};
            const page = await this.listOrders({ ...next, ...first }, options);
            return { elements: page.orders, cursor: page.next_cursor };
        });
    }
    /** A page of products with their stock, by their ids. */
    listProducts(query, options) {
        return this.request("get", "/v1/inventory/products", { query }, options);
    }
    /** All products with their stock, by their ids. */
    async *products(query = {}, options) {
        for (let offset = query.offset ?? 0;;) {
            const page = await this.listProducts({ ...query, offset }, options);
            yield* page.products;
            offset += page.count;
            if (page.count === 0 || offset >= page.total) {
                return;
            }
        }
    }
    /** A page of stock movements, newest first. */
    listMovements(query, options) {
        return this.request("get", "/v1/inventory/movements", { query }, options);
    }
    /** All stock movements, newest first. Movements that are added meanwhile do not make it repeat others. */
    async *movements(query = {}, options) {
        let last = Infinity;
        for (let offset = query.offset ?? 0;;) {
            const page = await this.listMovements({ ...query, offset }, options);
            const older = page.movements.filter((movement) => movement.movement_id < last);
            yield* older;
            last = older.at(-1)?.movement_id ?? last;
            offset += page.count;
            if (page.count < page.limit) {
                return;
            }
        }
    }
    getWebhookEndpoint(options) {
        return this.request("get", "/v1/webhooks/endpoint", {}, options);
    }
    /**
     * Creates the endpoint, and then returns its secret, or changes it and keeps the secret. Setting an endpoint
     * that was disabled enables it again. If no answer to the creation arrives, the retry finds the endpoint and
     * has no secret: call rotateWebhookSecret.
     */
    setWebhookEndpoint(endpoint, options) {
        return this.request("put", "/v1/webhooks/endpoint", { body: endpoint }, options);
    }
    /** @deprecated All clients call it setWebhookEndpoint. */
    putWebhookEndpoint(endpoint, options) {
        return this.setWebhookEndpoint(endpoint, options);
    }
    /** Removes the endpoint and its secret. Events that wait are skipped. */
    deleteWebhookEndpoint(options) {
        return this.request("delete", "/v1/webhooks/endpoint", {}, options);
    }
    /** A new secret. For 24 hours, or until activateWebhookSecret, events are signed with both. */
    rotateWebhookSecret(options) {
        return this.request("post", "/v1/webhooks/endpoint/rotate-secret", { safe: true }, options);
    }
    /** Ends a rotation: events are signed with the new secret only. */
    activateWebhookSecret(options) {
        return this.request("post", "/v1/webhooks/endpoint/activate-secret", { safe: true }, options);
    }
    /** A page of the log of events, newest first. */
    listEvents(query, options) {
        return this.request("get", "/v1/webhooks/events", { query }, options);
    }
    /** The log of events, newest first. To follow new events, see feed. */
    events(query = {}, options) {
        return byCursor(query, async (next) => {
            const page = await this.listEvents(next, options);
            return { elements: page.events, cursor: page.next_cursor };
        });
    }
    /** A page of the signed requests of the last seven days, newest first. */
    listLogs(query, options) {
        return this.request("get", "/v1/logs", { query }, options);
    }
    /** The signed requests of the last seven days, newest first. */
    logs(query = {}, options) {
        return byCursor(query, async (next) => {
            const page = await this.listLogs(next, options);
            return { elements: page.logs, cursor: page.next_cursor };
        });
    }
    /** A page of the partner's statements, the latest month first. */
    listStatements(query, options) {
        return this.request("get", "/v1/statements", { query }, options);
    }
    /** The partner's statements, the latest month first. */
    statements(query = {}, options) {
        return byCursor(query, async (next) => {
            const page = await this.listStatements(next, options);
            return { elements: page.statements, cursor: page.next_cursor };
        });
    }
    /** A statement. */
    getStatement(statementId, options) {
        return this.request("get", "/v1/statements/{statement_id}", { path: { statement_id: statementId } }, options);
    }
    /** A statement as a file. */
    async getStatementFile(statementId, format = "application/pdf", options) {
        const sending = { path: { statement_id: statementId }, accept: format };
        return bytes(await this.call("get", "/v1/statements/{statement_id}", sending, options));
    }
    /** What was counted day by day, of the last 30 days unless the query says otherwise. */
    getFigures(query, options) {
        return this.request("get", "/v1/figures", { query }, options);
    }
    /** An event, its body and the attempts to deliver it. */
    getEvent(eventId, options) {
        return this.request("get", "/v1/webhooks/events/{event_id}", { path: { event_id: eventId } }, options);
    }
    /** Sends an event again, by default to the first endpoint, with the same id and bytes. */
    redeliverEvent(eventId, options) {
        const query = options?.endpointId === undefined ? {} : { endpoint_id: options.endpointId };
        const sending = { path: { event_id: eventId }, query, safe: true };
        return this.request("post", "/v1/webhooks/events/{event_id}/redeliver", sending, options);
    }
    /** Sends up to 10,000 events again, oldest first. */
    redeliverEvents(events, options) {
        return this.request("post", "/v1/webhooks/redeliver", { body: events, safe: true }, options);
    }
    /** Reads the feed of events once. Events may be repeated, and are not verified; see feed. */
    readFeed(query, options) {
        return this.request("get", "/v1/webhooks/feed", { query }, options);
    }
    /** @deprecated All clients call it readFeed. */
    followEvents(query, options) {
        return this.readFeed(query, options);
    }
    /**
     * Follows events on a machine that webhooks cannot reach, such as a developer's: those since a time, or
     * from now on. It asks the service once before it returns.
     *
     *     for await (const event of await client.feed()) { … }
     */
    feed(options = {}) {
        return Feed.start(new Client(this.baseURL, this.key, { ...this.options, retryDelays: [] }), options);
    }
    /** All endpoints: the first one, and then the others as they were added. */
    listWebhookEndpoints(options) {
        return this.request("get", "/v1/webhooks/endpoints", {}, options);
    }
    /** Adds an endpoint, up to ten, and returns its secret. */
    addWebhookEndpoint(endpoint, options) {
        return this.request("post", "/v1/webhooks/endpoints", { body: endpoint }, options);
    }
    /** An endpoint by its id. */
    getEndpoint(endpointId, options) {
        const path = { endpoint_id: endpointId };
        return this.request("get", "/v1/webhooks/endpoints/{endpoint_id}", { path }, options);
    }
    /** Changes some settings of an endpoint, and leaves the others as they are. */
    editEndpoint(endpointId, edit, options) {
        const path = { endpoint_id: endpointId };
        return this.request("patch", "/v1/webhooks/endpoints/{endpoint_id}", { path, body: edit }, options);
    }
    /** Removes an endpoint and its secret. Events that wait there are skipped. */
    deleteEndpoint(endpointId, options) {
        const path = { endpoint_id: endpointId };
        return this.request("delete", "/v1/webhooks/endpoints/{endpoint_id}", { path }, options);
    }
    /** A new secret for an endpoint; see rotateWebhookSecret. */
    rotateEndpointSecret(endpointId, options) {
        const path = { endpoint_id: endpointId };
        return this.request("post", "/v1/webhooks/endpoints/{endpoint_id}/rotate-secret", { path, safe: true }, options);
    }
    /** Ends the rotation of an endpoint. */
    activateEndpointSecret(endpointId, options) {
        const path = { endpoint_id: endpointId };
        return this.request("post", "/v1/webhooks/endpoints/{endpoint_id}/activate-secret", { path, safe: true }, options);
    }
    /** Sends a webhook.test to an endpoint, by default the first, and returns the status of its answer. */
    testWebhook(options) {
        const query = options?.endpointId === undefined ? {} : { endpoint_id: options.endpointId };
        return this.request("post", "/v1/webhooks/test", { query, safe: true }, options);
    }
}
/** Iterates over pages, each of which has the cursor of the next. */
async function* byCursor(query, read) {
    for (let next = query; next;) {
        const { elements, cursor } = await read(next);
        yield* elements;
        next = cursor === undefined ? undefined : { ...next, cursor };
    }
}
