import { Feed, type FeedOptions } from "./feed.js";
import { type CallOptions, type KeyedCallOptions, Service, type ServiceOptions } from "./service.js";
import { type KeyPair, type SignatureVersion } from "./signing.js";
import type { BatchResults, CancelledOrder, CancelRequest, CreatedOrder, EditedOrder, Event, EventFeed, EventQuery, FeedQuery, FiguresQuery, LabelLink, LabelLinkRequest, StatementQuery, ListedOrder, LogQuery, Movement, MovementQuery, Order, OrderEdit, OrderQuery, OrderRequest, Product, ProductQuery, Quote, QuoteList, QuoteRequest, QuotesRequest, Schemas, Validation, WebhookEndpoint, WebhookEndpointRequest } from "./types.js";
export interface ClientOptions extends ServiceOptions {
    /**
     * The version of signatures: v1 unless given. Version 2 also covers the query, the Idempotency-Key and the
     * Content-Type, and each change is accepted once.
     */
    signatures?: SignatureVersion;
}
/**
 * Calls a service with an API key. A method that makes one request is named with a verb, such as listOrders; the
 * plural alone, such as orders, iterates over all pages.
 */
export declare class Client extends Service {
    readonly key: KeyPair;
    /** The version with which requests are signed. */
    readonly signatures: SignatureVersion;
    constructor(baseURL: string, key: KeyPair, options?: ClientOptions);
    /**
     * A client of the service at DROPYARD_URL, with the API key DROPYARD_KEY and its secret DROPYARD_SECRET. The error
     * names what is not set.
     */
    static fromEnvironment(options?: ClientOptions): Client;
    protected authorize(request: Request): Promise<Request>;
    /** A price and an estimate; nothing is created. An order costs the same if it names the quote_id. */
    createQuote(quote: QuoteRequest, options?: CallOptions): Promise<Quote>;
    /** A price and an estimate for each service level; nothing is created. A level in the request is ignored. */
    createQuotes(quote: QuotesRequest, options?: CallOptions): Promise<QuoteList>;
    /** Creates an order and takes its items out of stock, or does neither. */
    createOrder(order: OrderRequest, options?: KeyedCallOptions): Promise<CreatedOrder>;
    /** Creates up to 500 orders, each independently of the others: the error of one order is in its result. */
    createOrders(orders: OrderRequest[], options?: KeyedCallOptions): Promise<BatchResults>;
    /** @deprecated All clients call it createOrders. */
    createOrderBatch(orders: OrderRequest[], options?: KeyedCallOptions): Promise<BatchResults>;
    /** What createOrder would do; nothing is created. An order that would be refused is not an error. */
    validateOrder(order: OrderRequest, options?: CallOptions): Promise<Validation>;
    getOrder(orderId: string, options?: CallOptions): Promise<Order>;
    /**
     * Changes the content of an order by a merge patch (RFC 7396); what its status no longer allows is refused with
     * order_not_editable. With a version, an order that has another one is refused with conflict. With `preview`, the order
     * is answered as the edit would leave it, and nothing is changed.
     */
    editOrder(orderId: string, edit: OrderEdit, options?: KeyedCallOptions & {
        version?: number;
        preview?: boolean;
    }): Promise<EditedOrder>;
    /** Cancels an order that is pending or accepted; any other is refused with order_not_cancellable. */
    cancelOrder(orderId: string, cancellation?: CancelRequest, options?: KeyedCallOptions): Promise<CancelledOrder>;
    /** Creates an order that brings delivered goods back; over all returns of an order at most what it has delivered. */
    createReturn(orderId: string, wanted: Schemas["ReturnRequest"], options?: KeyedCallOptions): Promise<CreatedOrder>;
    /** Requests that the service cancels an order, once, from courier_assigned to failed; any other is refused with conflict. */
    requestCancellation(orderId: string, request: Schemas["CancellationWanted"], options?: KeyedCallOptions): Promise<Order>;
    /** The labels of an order's parcels, in a PDF or in ZPL II, for printers of 203 dpi unless `dpi` says otherwise. */
    getLabel(orderId: string, format?: "application/pdf" | "application/zpl", options?: CallOptions & {
        dpi?: 203 | 300 | 600;
    }): Promise<Uint8Array>;
    /** An address of an order's labels that needs no signature, for 15 minutes; a PDF for 203 dpi unless `link` says otherwise. */
    createLabelLink(orderID: string, link?: LabelLinkRequest, options?: CallOptions): Promise<LabelLink>;
    /** The labels of 1 to 100 orders in one file, in the order in which they are named; of all of them, or of none. */
    getLabels(orderIds: string[], format?: "application/pdf" | "application/zpl", options?: CallOptions & {
        dpi?: 203 | 300 | 600;
    }): Promise<Uint8Array>;
    /** A page of orders, newest first. */
    listOrders(query?: OrderQuery, options?: CallOptions): Promise<Schemas["OrderList"]>;
    /** All orders, newest first, from the page that the query begins with. */
    orders({ offset, ...query }?: OrderQuery, options?: CallOptions): AsyncGenerator<ListedOrder, void>;
    /** A page of products with their stock, by their ids. */
    listProducts(query?: ProductQuery, options?: CallOptions): Promise<Schemas["ProductList"]>;
    /** All products with their stock, by their ids. */
    products(query?: ProductQuery, options?: CallOptions): AsyncGenerator<Product, void>;
    /** A page of stock movements, newest first. */
    listMovements(query?: MovementQuery, options?: CallOptions): Promise<Schemas["MovementList"]>;
    /** All stock movements, newest first. Movements that are added meanwhile do not make it repeat others. */
    movements(query?: MovementQuery, options?: CallOptions): AsyncGenerator<Movement, void>;
    getWebhookEndpoint(options?: CallOptions): Promise<WebhookEndpoint>;
    /**
     * Creates the endpoint, and then returns its secret, or changes it and keeps the secret. Setting an endpoint
     * that was disabled enables it again. If no answer to the creation arrives, the retry finds the endpoint and
     * has no secret: call rotateWebhookSecret.
     */
    setWebhookEndpoint(endpoint: WebhookEndpointRequest, options?: CallOptions): Promise<WebhookEndpoint & {
        secret?: string;
    }>;
    /** @deprecated All clients call it setWebhookEndpoint. */
    putWebhookEndpoint(endpoint: WebhookEndpointRequest, options?: CallOptions): Promise<WebhookEndpoint & {
        secret?: string;
    }>;
    /** Removes the endpoint and its secret. Events that wait are skipped. */
    deleteWebhookEndpoint(options?: CallOptions): Promise<Schemas["DeletedWebhookEndpoint"]>;
    /** A new secret. For 24 hours, or until activateWebhookSecret, events are signed with both. */
    rotateWebhookSecret(options?: CallOptions): Promise<Schemas["WebhookEndpointWithSecret"]>;
    /** Ends a rotation: events are signed with the new secret only. */
    activateWebhookSecret(options?: CallOptions): Promise<WebhookEndpoint>;
    /** A page of the log of events, newest first. */
    listEvents(query?: EventQuery, options?: CallOptions): Promise<Schemas["EventList"]>;
    /** The log of events, newest first. To follow new events, see feed. */
    events(query?: EventQuery, options?: CallOptions): AsyncGenerator<Event, void>;
    /** A page of the signed requests of the last seven days, newest first. */
    listLogs(query?: LogQuery, options?: CallOptions): Promise<Schemas["LogList"]>;
    /** The signed requests of the last seven days, newest first. */
    logs(query?: LogQuery, options?: CallOptions): AsyncGenerator<Schemas["LoggedRequest"], void>;
    /** A page of the partner's statements, the latest month first. */
    listStatements(query?: StatementQuery, options?: CallOptions): Promise<Schemas["StatementPage"]>;
    /** The partner's statements, the latest month first. */
    statements(query?: StatementQuery, options?: CallOptions): AsyncGenerator<Schemas["StatementSummary"], void>;
    /** A statement. */
    getStatement(statementId: string, options?: CallOptions): Promise<Schemas["Statement"]>;
    /** A statement as a file. */
    getStatementFile(statementId: string, format?: "application/pdf" | "text/csv", options?: CallOptions): Promise<Uint8Array>;
    /** What was counted day by day, of the last 30 days unless the query says otherwise. */
    getFigures(query?: FiguresQuery, options?: CallOptions): Promise<Schemas["Figures"]>;
    /** An event, its body and the attempts to deliver it. */
    getEvent(eventId: string, options?: CallOptions): Promise<Schemas["EventDetail"]>;
    /** Sends an event again, by default to the first endpoint, with the same id and bytes. */
    redeliverEvent(eventId: string, options?: CallOptions & {
        endpointId?: string;
    }): Promise<Event>;
    /** Sends up to 10,000 events again, oldest first. */
    redeliverEvents(events: Schemas["RedeliverRequest"], options?: CallOptions): Promise<Schemas["Redelivered"]>;
    /** Reads the feed of events once. Events may be repeated, and are not verified; see feed. */
    readFeed(query?: FeedQuery, options?: CallOptions): Promise<EventFeed>;
    /** @deprecated All clients call it readFeed. */
    followEvents(query?: FeedQuery, options?: CallOptions): Promise<EventFeed>;
    /**
     * Follows events on a machine that webhooks cannot reach, such as a developer's: those since a time, or
     * from now on. It asks the service once before it returns.
     *
     *     for await (const event of await client.feed()) { … }
     */
    feed(options?: FeedOptions): Promise<Feed>;
    /** All endpoints: the first one, and then the others as they were added. */
    listWebhookEndpoints(options?: CallOptions): Promise<Schemas["WebhookEndpointList"]>;
    /** Adds an endpoint, up to ten, and returns its secret. */
    addWebhookEndpoint(endpoint: WebhookEndpointRequest, options?: CallOptions): Promise<Schemas["WebhookEndpointWithSecret"]>;
    /** An endpoint by its id. */
    getEndpoint(endpointId: string, options?: CallOptions): Promise<WebhookEndpoint>;
    /** Changes some settings of an endpoint, and leaves the others as they are. */
    editEndpoint(endpointId: string, edit: Schemas["WebhookEndpointPatch"], options?: CallOptions): Promise<WebhookEndpoint>;
    /** Removes an endpoint and its secret. Events that wait there are skipped. */
    deleteEndpoint(endpointId: string, options?: CallOptions): Promise<Schemas["DeletedWebhookEndpoint"]>;
    /** A new secret for an endpoint; see rotateWebhookSecret. */
    rotateEndpointSecret(endpointId: string, options?: CallOptions): Promise<Schemas["WebhookEndpointWithSecret"]>;
    /** Ends the rotation of an endpoint. */
    activateEndpointSecret(endpointId: string, options?: CallOptions): Promise<WebhookEndpoint>;
    /** Sends a webhook.test to an endpoint, by default the first, and returns the status of its answer. */
    testWebhook(options?: CallOptions & {
        endpointId?: string;
    }): Promise<Schemas["WebhookTest"]>;
}
