/** A client for the partner interface of Dropyard. */
export { Client } from "./client.js";
export { DropyardError, hasCode, NoAnswerError } from "./error.js";
export { Feed } from "./feed.js";
export { Service, Session, } from "./service.js";
export { sign, signature, signatureV2, signing, } from "./signing.js";
export { version } from "./version.js";
export { newWebhookSecret, parseEvent, signWebhook, verifyDropSignature, verifyWebhook, WebhookError, webhookHandler, webhookListener, } from "./webhooks.js";
