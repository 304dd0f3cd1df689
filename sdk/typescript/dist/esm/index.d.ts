/** A client for the partner interface of Dropyard. */
export { Client } from "./client.js";
export { DropyardError, type ErrorCode, type ErrorDetails, hasCode, NoAnswerError } from "./error.js";
export { Feed, type FeedOptions } from "./feed.js";
export type { components, operations, paths, webhooks } from "./openapi.js";
export { type CallOptions, type KeyedCallOptions, type Sending, Service, type ServiceOptions, Session, } from "./service.js";
export { type KeyPair, type SignatureVersion, type SignedParts, sign, signature, signatureV2, signing, } from "./signing.js";
export type * from "./types.js";
export { version } from "./version.js";
export { type EventHandler, newWebhookSecret, parseEvent, signWebhook, verifyDropSignature, verifyWebhook, WebhookError, webhookHandler, type WebhookHeaders, webhookListener, type WebhookSecret, } from "./webhooks.js";
