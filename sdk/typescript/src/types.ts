import type { components, paths } from "./openapi.js";

/** The objects of the interface, by the names that they have in the OpenAPI document, and by those that they had in 0.1.0. */
export type Schemas = components["schemas"] & {
  APIKey: components["schemas"]["ListedAPIKey"];
  NewInvitation: components["schemas"]["CreatedInvitation"];
  RequestMethod: components["schemas"]["LoggedMethod"];
};

export type Address = Schemas["Address"];
export type APIKey = Schemas["APIKey"];
export type BatchResult = Schemas["BatchResult"];
export type BatchResults = Schemas["BatchResults"];
export type CancelledOrder = Schemas["CancelledOrder"];
export type CancelRequest = Schemas["CancelRequest"];
export type Contact = Schemas["Contact"];
export type CreatedAPIKey = Schemas["CreatedAPIKey"];
export type CreatedOrder = Schemas["CreatedOrder"];
export type EditedOrder = Schemas["EditedOrder"];
export type Event = Schemas["Event"];
export type EventFeed = Schemas["EventFeed"];
export type EventType = Schemas["EventType"];
export type ItemRequest = Schemas["ItemRequest"];
export type ListedOrder = Schemas["ListedOrder"];
export type Movement = Schemas["Movement"];
export type Order = Schemas["Order"];
export type OrderEdit = Schemas["OrderEdit"];
export type OrderRequest = Schemas["OrderRequest"];
export type Parcel = Schemas["Parcel"];
export type Partner = Schemas["Partner"];
export type LabelLink = Schemas["LabelLink"];
export type LabelLinkRequest = Schemas["LabelLinkRequest"];
export type Problem = Schemas["Problem"];
export type Product = Schemas["Product"];
export type Province = Schemas["Province"];
export type Assumed = Schemas["Assumed"];
export type AssumedPlace = Schemas["AssumedPlace"];
export type Quote = Schemas["Quote"];
export type QuoteList = Schemas["QuoteList"];
export type QuoteRequest = Schemas["QuoteRequest"];
export type QuotesRequest = Schemas["QuotesRequest"];
export type RegisterRequest = Schemas["RegisterRequest"];
export type ServiceLevel = Schemas["ServiceLevel"];
export type Status = Schemas["Status"];
export type TimeWindow = Schemas["TimeWindow"];
export type Tracking = Schemas["Tracking"];
export type Validation = Schemas["Validation"];
export type Warning = Schemas["Warning"];
export type WebhookEndpoint = Schemas["WebhookEndpoint"];
export type WebhookEndpointRequest = Schemas["WebhookEndpointRequest"];

/** The body of a webhook. Its type decides which data it has. */
export type WebhookEvent = Schemas["WebhookEvent"];

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The operation of a method and a path, as the OpenAPI document describes it. */
export type Operation<M extends Method, P extends keyof paths> = paths[P] extends Record<M, infer O> ? O : never;

type Parameters<O, K extends "path" | "query"> = O extends { parameters: infer All }
  ? All extends { [k in K]?: infer Given }
    ? Exclude<Given, undefined>
    : never
  : never;

export type PathParameters<O> = Parameters<O, "path">;
export type Query<O> = Parameters<O, "query">;
export type Body<O> = O extends { requestBody?: infer B }
  ? Exclude<B, undefined> extends { content: { "application/json": infer T } }
    ? T
    : never
  : never;

type Success = 200 | 201 | 202;

/** What an operation answers with if it succeeds. */
export type Answer<O> = O extends { responses: infer R }
  ? { [S in keyof R & Success]: R[S] extends { content: { "application/json": infer T } } ? T : never }[keyof R &
      Success]
  : never;

/** Which objects a list has: all parameters are optional. */
export type OrderQuery = Query<Operation<"get", "/v1/orders">>;
export type ProductQuery = Query<Operation<"get", "/v1/inventory/products">>;
export type LogQuery = Query<Operation<"get", "/v1/logs">>;
export type MovementQuery = Query<Operation<"get", "/v1/inventory/movements">>;
export type EventQuery = Query<Operation<"get", "/v1/webhooks/events">>;
export type FeedQuery = Query<Operation<"get", "/v1/webhooks/feed">>;
export type StatementQuery = Query<Operation<"get", "/v1/statements">>;
export type FiguresQuery = Query<Operation<"get", "/v1/figures">>;
