import { DropyardError, NoAnswerError } from "./error.js";
import { pause } from "./service.js";
import { WebhookError, parseEvent, verifyDropSignature } from "./webhooks.js";
/** How many seconds the service may wait for an event before it answers. */
const feedWait = 20;
/** The least time between two requests, in milliseconds. They count towards the partner's rate limit. */
const feedInterval = 1000;
/** The pause after the first failure and the longest pause, in milliseconds. */
const firstPause = 250;
const maxPause = 15_000;
/** How long the ids of events are remembered, in milliseconds. The service repeats those of the last 30 s. */
const feedMemory = 600_000;
/**
 * The events of a partner: each once, those of one order in their sequence. When the service cannot be reached, it
 * tries again, at longer and longer intervals, and continues where it was. An event whose signature is not that of
 * its body ends the loop with a WebhookError, a refusal with a DropyardError.
 */
export class Feed {
    client;
    options;
    cursor;
    floor = ""; // events up to this id are passed over
    seen = new Set(); // the ids of events after floor that were returned
    pending = [];
    polled = 0; // when the service was asked last
    constructor(client, options) {
        this.client = client;
        this.options = options;
    }
    /** Starts a feed with a client that does not retry. */
    static async start(client, options) {
        const feed = new Feed(client, options);
        if (options.since) {
            feed.cursor = feed.floor = firstId(options.since.getTime());
        }
        await feed.ask(0);
        if (!options.since) {
            feed.floor = feed.pending.reduce((least, event) => (event.id < least ? event.id : least), feed.cursor);
        }
        return feed;
    }
    async *[Symbol.asyncIterator]() {
        for (;;) {
            for (let next = this.pending.shift(); next; next = this.pending.shift()) {
                yield next;
            }
            await this.poll();
        }
    }
    /** Asks the service until there is an answer, or an error that asking again would not change. */
    async poll() {
        await pause(Math.max(0, this.polled + feedInterval - Date.now()), this.options.signal);
        for (let failures = 0;; failures++) {
            const error = await this.ask(feedWait).catch((failure) => failure);
            if (error === undefined) {
                if (failures > 0) {
                    this.options.onReconnect?.();
                }
                return;
            }
            this.options.signal?.throwIfAborted();
            if (isFinal(error)) {
                throw error;
            }
            if (failures === 0) {
                this.options.onDisconnect?.(error);
            }
            await pause(backOff(failures, error), this.options.signal);
        }
    }
    /** Asks the service once, and adds the new events to pending. */
    async ask(wait) {
        this.polled = Date.now();
        const query = this.cursor === undefined ? { wait } : { wait, after: this.cursor };
        const page = await this.client.readFeed(query, this.options.signal ? { signal: this.options.signal } : {});
        if (typeof page.cursor !== "string") {
            throw new NoAnswerError(`the answer of ${this.client.baseURL} is not that of the service`); // perhaps of a proxy
        }
        this.pending.push(...sortBySubject(this.fresh(page)));
        this.cursor = page.cursor;
        this.forget();
    }
    /**
     * Returns the verified events that are new. The service repeats the last events in every answer, because an
     * event may be stored later than others with greater ids.
     */
    fresh(page) {
        const events = [];
        for (const { event_id, body, signature } of page.events) {
            if (event_id <= this.floor || this.seen.has(event_id)) {
                continue;
            }
            const event = verifyDropSignature(this.client.key.secret_key, body, signature) ? parseEvent(body) : undefined;
            if (event?.id !== event_id) {
                throw new WebhookError(401, `the event ${event_id} is not signed by the service`);
            }
            this.seen.add(event_id);
            events.push(event);
        }
        return events;
    }
    /** Raises floor to events that the service no longer repeats, and removes the ids before it from seen. */
    forget() {
        const old = firstId(idTime(this.cursor) - feedMemory);
        if (old > this.floor) {
            this.floor = old;
            for (const id of this.seen) {
                if (id < old) {
                    this.seen.delete(id);
                }
            }
        }
    }
}
/** Reports whether asking again would not change an error. */
function isFinal(error) {
    return (error instanceof WebhookError || (error instanceof DropyardError && error.status < 500 && error.status !== 429));
}
/**
 * Returns how long to wait after a number of failures: twice as long each time, with some jitter so that many
 * clients do not return simultaneously, and at least as long as the service asks for.
 */
function backOff(failures, error) {
    const jitter = 0.8 + 0.4 * Math.random();
    const asked = error instanceof DropyardError ? (error.retryAfter ?? 0) * 1000 : 0;
    return Math.max(Math.min(firstPause * 2 ** failures, maxPause) * jitter, asked);
}
/** Sorts the events of each order, and of each product, by their sequence, among the places that these events have. */
function sortBySubject(events) {
    const bySubject = new Map();
    for (const event of events) {
        bySubject.set(subjectOf(event), [...(bySubject.get(subjectOf(event)) ?? []), event]);
    }
    bySubject.forEach((group) => group.sort((a, b) => a.sequence - b.sequence));
    return events.map((event) => bySubject.get(subjectOf(event)).shift());
}
/** Returns what the sequence of an event counts the events of: its order or product, or only itself. */
function subjectOf(event) {
    if (event.type === "stock.low" || event.type === "stock.changed") {
        return `product ${event.data.product_id}`;
    }
    return "order_id" in event.data ? event.data.order_id : event.id;
}
/** Returns the smallest id that an event at or after a time can have. Ids are UUIDs of version 7 (RFC 9562). */
function firstId(milliseconds) {
    const hex = Math.max(0, Math.floor(milliseconds)).toString(16).padStart(12, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
/** Returns the time in an event's id, in milliseconds; 0 if there is none. */
function idTime(id) {
    return /^[0-9a-f]{8}-[0-9a-f]{4}/.test(id) ? parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : 0;
}
