import type { Client } from "./client.js";
import type { WebhookEvent } from "./types.js";
export interface FeedOptions {
    /** Follows events since this time; from now on unless given. */
    since?: Date;
    /** Ends the feed; the loop then throws the signal's reason. */
    signal?: AbortSignal;
    /** Is called once when the service can no longer be reached. */
    onDisconnect?: (error: unknown) => void;
    /** Is called once when the service can be reached again. */
    onReconnect?: () => void;
}
/**
 * The events of a partner: each once, those of one order in their sequence. When the service cannot be reached, it
 * tries again, at longer and longer intervals, and continues where it was. An event whose signature is not that of
 * its body ends the loop with a WebhookError, a refusal with a DropyardError.
 */
export declare class Feed implements AsyncIterable<WebhookEvent> {
    private readonly client;
    private readonly options;
    private cursor;
    private floor;
    private readonly seen;
    private pending;
    private polled;
    private constructor();
    /** Starts a feed with a client that does not retry. */
    static start(client: Client, options: FeedOptions): Promise<Feed>;
    [Symbol.asyncIterator](): AsyncGenerator<WebhookEvent, void>;
    /** Asks the service until there is an answer, or an error that asking again would not change. */
    private poll;
    /** Asks the service once, and adds the new events to pending. */
    private ask;
    /**
     * Returns the verified events that are new. The service repeats the last events in every answer, because an
     * event may be stored later than others with greater ids.
     */
    private fresh;
    /** Raises floor to events that the service no longer repeats, and removes the ids before it from seen. */
    private forget;
}
