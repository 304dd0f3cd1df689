"""The JSON objects of webhooks and of the log of events; see dropyard.types."""

from __future__ import annotations

from typing import Literal, TypedDict, Union

from .types import ClosingBalance, ReturnLine

EventType = Literal[
    "order.accepted",
    "courier.assigned",
    "order.picked_up",
    "order.in_transit",
    "order.out_for_delivery",
    "order.delivered",
    "order.failed",
    "order.cancelled",
    "order.updated",
    "order.cancellation_declined",
    "courier.changed",
    "return.due",
    "return.received",
    "statement.closed",
    "stock.low",
    "stock.changed",
]
EventState = Literal["pending", "delivered", "failed", "skipped"]


EndpointFormat = Literal["dropyard", "cloudevents"]
"""How requests to an endpoint look."""


class _WebhookEndpoint(TypedDict):
    endpoint_id: str  # "first" for the first
    url: str
    enabled: bool
    events: list[EventType] | None  # the types that it takes; None for all unnamed
    format: EndpointFormat
    created_at: str
    disabled_reason: str | None
    secret_rotates_at: str | None
    livemode: bool  # false for the endpoint of test mode


class WebhookEndpoint(_WebhookEndpoint, total=False):
    """The endpoint that a partner's events are sent to."""

    secret: str  # present when the endpoint is new, and in the answer to a rotation


class WebhookEndpointPatch(TypedDict, total=False):
    """What changes of an endpoint."""

    url: str
    enabled: bool
    events: list[EventType] | None  # None for all types again
    format: EndpointFormat | None


class WebhookEndpointList(TypedDict):
    """All endpoints of an account."""

    endpoints: list[WebhookEndpoint]


class EndpointDelivery(TypedDict):
    """How far an event has come at an endpoint."""

    endpoint_id: str
    state: EventState
    attempts: int
    next_attempt_at: str | None


class EndpointDeliveryDetail(EndpointDelivery):
    """How far an event has come at an endpoint, with its attempts."""

    attempt_log: list[Attempt]


class DeletedWebhookEndpoint(TypedDict):
    """The answer to the removal of an endpoint."""

    deleted: bool


class _EventRecord(TypedDict):
    event_id: str
    type: EventType
    order_id: str | None  # None for an event that is about no order
    sequence: int  # numbers the events of an order, from 1
    state: EventState
    attempts: int
    next_attempt_at: str | None
    created_at: str
    livemode: bool  # false for an order in test mode


class EventRecord(_EventRecord):
    """An event in the log of the service."""

    deliveries: list[EndpointDelivery]  # at the endpoints behind the first


class Attempt(TypedDict):
    """An attempt to deliver an event."""

    attempted_at: str
    delivered: bool
    status_code: int | None  # of the endpoint's answer
    duration_ms: int
    error: str | None  # why there was no answer


class EventDetail(_EventRecord):
    """An event with its body and its attempts."""

    deliveries: list[EndpointDeliveryDetail]  # at the endpoints behind the first
    body: str  # as it is sent; see parse_event
    attempt_log: list[Attempt]


class _EventList(TypedDict):
    events: list[EventRecord]


class EventList(_EventList, total=False):
    """A page of events."""

    next_cursor: str  # absent on the last page


class _Redelivered(TypedDict):
    redelivered: int


class Redelivered(_Redelivered, total=False):
    """How many events are sent again."""

    next_cursor: str  # present if there are more


class FeedEvent(TypedDict):
    """An event of the feed."""

    event_id: str
    body: str  # byte for byte the body of the webhook; see parse_event
    signature: str  # Drop-Signature of body under the API key's secret


class EventFeed(TypedDict):
    """New events, oldest first."""

    events: list[FeedEvent]
    cursor: str  # for the next call


class WebhookTest(TypedDict):
    """The result of a test event."""

    event_id: str
    delivered: bool
    status_code: int | None
    duration_ms: int
    error: str | None


# The events that webhooks carry.


class EventCourier(TypedDict):
    """The courier in an event."""

    name: str
    phone: str


class OrderAcceptedData(TypedDict):
    """The data of order.accepted."""

    order_id: str
    partner_order_id: str
    status: Literal["accepted"]


class CourierAssignedData(TypedDict):
    """The data of courier.assigned."""

    order_id: str
    partner_order_id: str
    courier: EventCourier


class OrderPickedUpData(TypedDict):
    """The data of order.picked_up."""

    order_id: str
    partner_order_id: str
    picked_up_at: str


class OrderInTransitData(TypedDict):
    """The data of order.in_transit."""

    order_id: str
    partner_order_id: str
    eta: str


class OrderOutForDeliveryData(TypedDict):
    """The data of order.out_for_delivery."""

    order_id: str
    partner_order_id: str
    eta: str
    courier: EventCourier


class OrderDeliveredData(TypedDict):
    """The data of order.delivered."""

    order_id: str
    partner_order_id: str
    delivered_at: str
    signature_url: str | None


class OrderFailedData(TypedDict):
    """The data of order.failed."""

    order_id: str
    partner_order_id: str
    failure_reason: str
    next_attempt: str | None


class OrderCancelledData(TypedDict):
    """The data of order.cancelled."""

    order_id: str
    partner_order_id: str
    cancelled_by: Literal["partner", "service"]
    reason: str


class OrderUpdatedData(TypedDict):
    """The data of order.updated."""

    order_id: str
    partner_order_id: str
    version: int
    fields: list[str]


class CancellationDeclinedData(TypedDict):
    """The data of order.cancellation_declined."""

    order_id: str
    partner_order_id: str
    answer: str  # empty if none was given


class CourierChangedData(TypedDict):
    """The data of courier.changed."""

    order_id: str
    partner_order_id: str
    courier: EventCourier | None  # None while the parcels are at a hub


class ReturnDueData(TypedDict):
    """The data of return.due."""

    order_id: str
    partner_order_id: str


class StatementClosedData(TypedDict):
    """The data of statement.closed."""

    statement_id: str
    period: str
    number: int
    balances: list[ClosingBalance]


class StockLowData(TypedDict):
    """The data of stock.low."""

    product_id: int
    sku: str | None
    name: str
    quantity: int  # over all locations
    threshold: int


class StockChangedData(TypedDict):
    """The data of stock.changed."""

    product_id: int
    sku: str | None
    name: str
    location: str
    quantity: int  # at the location, afterwards
    change: int
    total: int  # over all locations, afterwards
    movement_id: int
    type: Literal["IN", "OUT", "ADJUSTMENT", "TRANSFER"]
    order_id: str | None  # the order that caused the movement


class ReturnReceivedData(TypedDict):
    """The data of return.received."""

    order_id: str
    partner_order_id: str
    lines: list[ReturnLine]  # empty for an order without items


class WebhookTestData(TypedDict):
    """The data of webhook.test."""

    message: str


class _Envelope(TypedDict):
    id: str  # the same in every attempt
    created_at: str
    sequence: int  # numbers the events of an order, from 1, without gaps; 0 for a test
    livemode: bool  # false for an order in test mode


class OrderAccepted(_Envelope):
    """An order was accepted."""

    type: Literal["order.accepted"]
    data: OrderAcceptedData


class CourierAssigned(_Envelope):
    """An order got a courier, or another courier."""

    type: Literal["courier.assigned"]
    data: CourierAssignedData


class OrderPickedUp(_Envelope):
    """An order was picked up."""

    type: Literal["order.picked_up"]
    data: OrderPickedUpData


class OrderInTransit(_Envelope):
    """An order is in transit."""

    type: Literal["order.in_transit"]
    data: OrderInTransitData


class OrderOutForDelivery(_Envelope):
    """An order is out for delivery."""

    type: Literal["order.out_for_delivery"]
    data: OrderOutForDeliveryData


class OrderDelivered(_Envelope):
    """An order was delivered."""

    type: Literal["order.delivered"]
    data: OrderDeliveredData


class OrderFailed(_Envelope):
    """A delivery attempt failed; another may follow."""

    type: Literal["order.failed"]
    data: OrderFailedData


class OrderCancelled(_Envelope):
    """An order was cancelled."""

    type: Literal["order.cancelled"]
    data: OrderCancelledData


class OrderUpdated(_Envelope):
    """The content of an order was edited."""

    type: Literal["order.updated"]
    data: OrderUpdatedData


class CancellationDeclined(_Envelope):
    """The service does not cancel an order as the partner requested."""

    type: Literal["order.cancellation_declined"]
    data: CancellationDeclinedData


class CourierChanged(_Envelope):
    """Another courier, or a hub, has the parcels."""

    type: Literal["courier.changed"]
    data: CourierChangedData


class ReturnDue(_Envelope):
    """The parcels of a cancelled order come back."""

    type: Literal["return.due"]
    data: ReturnDueData


class ReturnReceived(_Envelope):
    """The parcels of a cancelled order are back."""

    type: Literal["return.received"]
    data: ReturnReceivedData


class StatementClosed(_Envelope):
    """A month was closed."""

    type: Literal["statement.closed"]
    data: StatementClosedData


class StockLow(_Envelope):
    """A product is low. Sent only to endpoints that name the event."""

    type: Literal["stock.low"]
    data: StockLowData


class StockChanged(_Envelope):
    """A product's quantity changed at a location. Sent only to endpoints that name the event."""

    type: Literal["stock.changed"]
    data: StockChangedData


class WebhookTestEvent(_Envelope):
    """A test that the partner asked for."""

    type: Literal["webhook.test"]
    data: WebhookTestData


Event = Union[
    OrderAccepted,
    CourierAssigned,
    OrderPickedUp,
    OrderInTransit,
    OrderOutForDelivery,
    OrderDelivered,
    OrderFailed,
    OrderCancelled,
    OrderUpdated,
    CancellationDeclined,
    CourierChanged,
    ReturnDue,
    ReturnReceived,
    StatementClosed,
    StockLow,
    StockChanged,
    WebhookTestEvent,
]
"""The body of a webhook. Comparing its type narrows its data for type checkers."""
