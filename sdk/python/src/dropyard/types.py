"""The JSON objects of the partner interface.

Requests and answers are plain dictionaries, described by TypedDicts. Amounts of money are in
cents, lengths in centimetres, weights in kilograms. Times in answers are texts in UTC such as
2026-03-02T14:05:09.417Z, which sort like the times; times in requests are texts with an offset,
or datetimes that know their time zone. Answers of later versions of the service may have
further members, and further words in place of a Literal. An optional member of an answer is
absent if there is no value; one of a request may be left out or be None.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypedDict, Union

from .errors import ErrorDetail, Problem

OrderStatus = Literal[
    "pending", "accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery",
    "delivered", "failed", "cancelled",
]  # fmt: skip
ServiceLevel = Literal["standard", "express", "same_day"]
Currency = Literal["CAD", "USD"]
Country = Literal["CA"]
Province = Literal["AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"]
WarningCode = Literal[
    "dropoff_before_pickup", "late", "no_business_day", "province_mismatch", "post_office_box",
    "email_domain", "phone_length", "label_not_printed", "label_cut", "barcode_not_printed",
]  # fmt: skip
LabelFormat = Literal["application/pdf", "application/zpl"]
Scope = Literal["orders", "stock", "webhooks", "read"]
KeyMode = Literal["live", "test"]
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
FailureReason = Literal["not_home", "wrong_address", "no_access", "declined", "damaged", "other"]

Time = Union[str, datetime]
"""A time in a request: RFC 3339 with an offset, or a datetime with a time zone."""


class Health(TypedDict):
    """A service that is alive."""

    status: str
    time: str


class Ready(TypedDict):
    """A service that is ready."""

    status: str
    time: str
    held: bool  # webhooks and mails wait until an admin resumes them, as after a restore


class _Partner(TypedDict):
    partner_id: str
    name: str
    email: str
    created_at: str


class Partner(_Partner, total=False):
    """A partner account."""

    user: User  # the person who is logged in; not set by register
    status: Literal["pending"]  # set by register only, if an operator must approve the account first


class User(TypedDict):
    """A person of a partner."""

    user_id: str
    email: str
    name: str
    role: Literal["owner", "developer", "clerk", "reader"]
    email_confirmed: bool


class Creator(TypedDict):
    """The user who made an API key, under the name of that time."""

    user_id: str
    name: str


class APIKey(TypedDict):
    """An API key without its secret."""

    key_id: str
    name: str
    public_key: str
    created_at: str
    last_used_at: str | None
    created_by: Creator
    scopes: list[Scope]  # empty for a key that may do everything
    mode: KeyMode
    livemode: bool  # whether mode is live
    require_v2: bool  # whether signatures must be of version 2


class APIKeyList(TypedDict):
    """The active API keys."""

    api_keys: list[APIKey]
    count: int


class CreatedAPIKey(TypedDict):
    """A new API key. The secret key is in no later answer."""

    key_id: str
    name: str
    public_key: str
    secret_key: str
    created_at: str
    created_by: Creator
    scopes: list[Scope]
    mode: KeyMode
    livemode: bool  # whether mode is live
    require_v2: bool  # whether signatures must be of version 2


class RevokedAPIKey(TypedDict):
    """The answer to a revocation."""

    key_id: str
    revoked: bool


class LoggedOut(TypedDict):
    """The answer to a logout."""

    logged_out: bool


class _Address(TypedDict):
    line1: str
    city: str
    province: Province
    postal_code: str  # such as H2X 1Y4
    country: Country


class Address(_Address, total=False):
    """An address in Canada."""

    line2: str | None
    notes: str | None  # for the courier


class TimeWindow(TypedDict):
    """When the courier may come."""

    start: Time
    end: Time


class Contact(TypedDict):
    """A person or a business at one end of a delivery."""

    name: str
    phone: str  # E.164, such as +15145550100
    email: str
    address: Address
    time_window: TimeWindow


class _Parcel(TypedDict):
    parcel_id: str  # unique within the order
    description: str
    length_cm: float  # 0.1 to 300, as are the other two
    width_cm: float
    height_cm: float
    weight_kg: float  # 0.01 to 70
    value_cents: int  # the declared value


class Parcel(_Parcel, total=False):
    """A parcel of a new order."""

    fragile: bool | None
    barcode: str | None


class Money(TypedDict):
    """An amount to collect or to insure. 0 means none."""

    amount_cents: int
    currency: Currency


class _ItemRequest(TypedDict):
    quantity: int  # 1 or more


class ItemRequest(_ItemRequest, total=False):
    """A product to take out of stock, named by exactly one of product_id, sku and barcode."""

    product_id: int | None
    sku: str | None  # your own name of the product
    barcode: str | None


class _OrderRequest(TypedDict):
    partner_order_id: str  # your reference, unique among your orders
    service_level: ServiceLevel
    pickup: Contact
    dropoff: Contact
    parcels: list[Parcel]  # 1 to 50


class OrderRequest(_OrderRequest, total=False):
    """A new delivery order."""

    reference: str | None  # at most 100 characters
    cod: Money | None  # cash to collect on delivery
    insurance: Money | None
    instructions: str | None  # at most 1000 characters
    metadata: dict[str, Any] | None  # kept and returned, not used; at most 16 KiB
    items: list[ItemRequest] | None  # taken out of your stock when the order is created
    quote_id: str | None  # its rate is honoured until its valid_until


class ReturnPickup(TypedDict):
    """When the courier gets goods that come back, where they were delivered."""

    time_window: TimeWindow


class _ReturnRequest(TypedDict):
    reason: str  # for the service, 1 to 500 characters
    to: Literal["sender", "warehouse"]
    pickup: ReturnPickup


class ReturnRequest(_ReturnRequest, total=False):
    """A request to bring goods back that an order has delivered."""

    location: str | None  # of the warehouse; by default the one that the items were taken from
    items: list[ItemRequest] | None  # by default all that are in no other return
    parcels: list[Parcel] | None  # by default those of the order
    partner_order_id: str | None  # by default the order_id of the return
    service_level: ServiceLevel | None  # standard by default


class _QuoteAddress(TypedDict):
    postal_code: str
    country: Country


class QuoteAddress(_QuoteAddress, total=False):
    """A place in a quote. City and province that are left out are assumed by the postal code."""

    city: str | None
    province: Province | None
    line1: str | None
    line2: str | None
    notes: str | None


class _QuoteContact(TypedDict):
    address: QuoteAddress


class QuoteContact(_QuoteContact, total=False):
    """One end of a delivery in a quote."""

    name: str | None
    phone: str | None
    email: str | None
    time_window: TimeWindow | None


class _QuoteParcel(TypedDict):
    weight_kg: float


class QuoteParcel(_QuoteParcel, total=False):
    """A parcel in a quote. Without all three lengths only the weight counts."""

    parcel_id: str | None
    description: str | None
    length_cm: float | None
    width_cm: float | None
    height_cm: float | None
    value_cents: int | None
    fragile: bool | None
    barcode: str | None


class _QuotesRequest(TypedDict):
    pickup: QuoteContact
    dropoff: QuoteContact
    parcels: list[QuoteParcel]


class QuotesRequest(_QuotesRequest, total=False):
    """A delivery whose price at every service level is wanted."""

    cod: Money | None
    insurance: Money | None


class _QuoteRequest(_QuotesRequest):
    service_level: ServiceLevel


class QuoteRequest(_QuoteRequest, total=False):
    """A delivery whose price is wanted."""

    cod: Money | None
    insurance: Money | None


class OrderWarning(TypedDict):
    """Something that is allowed, but probably not meant."""

    code: WarningCode
    field: str
    message: str


class AssumedPlace(TypedDict, total=False):
    """Where a postal code is. The city is absent also if its area is not known."""

    city: str
    province: Province


class Assumed(TypedDict, total=False):
    """What the addresses of a request left out and the price assumes."""

    pickup: AssumedPlace
    dropoff: AssumedPlace


class _Quote(TypedDict):
    quote_id: str | None  # for OrderRequest; None if a city was assumed
    service_level: ServiceLevel
    rate_cents: int
    currency: Currency
    estimated_delivery: str
    transit_days: int  # business days
    valid_until: str  # 24 hours after the quote


class Quote(_Quote, total=False):
    """A price and an estimate."""

    warnings: list[OrderWarning]
    assumed: Assumed


class _QuoteList(TypedDict):
    quotes: list[Quote]  # slowest level first


class QuoteList(_QuoteList, total=False):
    """The quotes of one delivery at all service levels."""

    not_offered: list[Problem]  # at service_level, for each level that is not offered


class LabelLinkRequest(TypedDict, total=False):
    """How the labels that a link leads to are printed; a PDF for 203 dpi if it is empty."""

    format: LabelFormat | None
    dpi: int | None  # 203, 300 or 600


class LabelLink(TypedDict):
    """An address that returns labels without a signature."""

    url: str  # confidential
    expires_at: str


class Dimensions(TypedDict):
    """The sides of a parcel."""

    length_cm: float
    width_cm: float
    height_cm: float


class _ParcelRecord(TypedDict):
    parcel_id: str
    description: str
    weight_kg: float
    dimensions: Dimensions
    value_cents: int
    currency: Currency
    fragile: bool


class ParcelRecord(_ParcelRecord, total=False):
    """A parcel of an order."""

    barcode: str


class _Item(TypedDict):
    product_id: int
    name: str  # of the product when the order was created
    quantity: int


class Item(_Item, total=False):
    """A line of an order that was taken out of stock."""

    sku: str  # of the product when the order was created


class _AddressRecord(TypedDict):
    line1: str
    city: str
    province: Province
    postal_code: str
    country: Country


class AddressRecord(_AddressRecord, total=False):
    """An address of an order."""

    line2: str
    notes: str


class TimeWindowRecord(TypedDict):
    """A time window of an order."""

    start: str
    end: str


class ContactRecord(TypedDict):
    """One end of the delivery of an order."""

    name: str
    phone: str
    email: str
    address: AddressRecord
    time_window: TimeWindowRecord


class Courier(TypedDict):
    """The courier of an order."""

    name: str
    phone: str
    vehicle: str


CollectionMethod = Literal["cash", "terminal", "none", "unconfirmed"]


class _Collected(TypedDict):
    amount_cents: int
    currency: Currency
    method: CollectionMethod


class Collected(_Collected, total=False):
    """What was collected at the door. unconfirmed: the courier has not said whether it was."""

    notes: str


class _StatusChange(TypedDict):
    status: OrderStatus
    timestamp: str
    notes: str


class StatusChange(_StatusChange, total=False):
    """An entry of an order's history."""

    collected: Collected  # with delivered, if something was to be


class ListedOrder(TypedDict):
    """An order in a list."""

    order_id: str
    partner_order_id: str
    status: OrderStatus
    service_level: ServiceLevel
    pickup: ContactRecord
    dropoff: ContactRecord
    parcels: list[ParcelRecord]
    rate_cents: int  # the price of the delivery
    currency: Currency
    estimated_delivery: str
    tracking_url: str  # public; for the recipient
    created_at: str
    updated_at: str


class OrderChange(TypedDict):
    """One edit of an order."""

    at: str
    by: Literal["partner", "service", "recipient"]
    fields: list[str]  # paths such as dropoff.phone


class _Order(ListedOrder):
    status_history: list[StatusChange]  # oldest first
    livemode: bool  # false for an order in test mode, which is simulated


class CancellationRequest(TypedDict):
    """A partner's request that the service cancels an order."""

    state: Literal["requested", "granted", "declined"]
    reason: str  # empty once the order is erased
    at: str  # when it was requested
    answer: str  # empty until it is answered, and if the answer has no text


class ReturnLine(TypedDict):
    """The units of a product that have come back in one condition."""

    product_id: int
    quantity: int
    disposition: Literal["sellable", "damaged", "missing"]


class _OrderReturn(TypedDict):
    state: Literal["due", "received"]  # due: still with a courier or at a hub
    lines: list[ReturnLine]  # what was received


class OrderReturn(_OrderReturn, total=False):
    """How the parcels of an order come back."""

    received_at: str  # absent until then


# A class cannot name a member "return".
_Returning = TypedDict("_Returning", {"return": OrderReturn}, total=False)


class Order(_Order, _Returning, total=False):
    """The complete record of an order."""

    reference: str
    cod: Money
    insurance: Money
    instructions: str
    metadata: dict[str, Any]
    items: list[Item]
    warnings: list[OrderWarning]
    courier: Courier  # present while a courier is assigned
    cancellation_reason: str  # present if the order is cancelled; empty if no reason was given
    cancelled_at: str
    version: int  # grows with every change; absent in the answers to creations and cancellations
    changes: list[OrderChange]  # the latest 100 edits, oldest first
    return_of: str  # the order whose goods a return brings back
    return_reason: str  # empty once the return is erased
    returns: list[str]  # the ids of the order's returns that were not cancelled before their pickup
    cancellation_request: CancellationRequest  # present if the cancellation was requested


class EditedOrder(Order, total=False):
    """The complete record of an order after an edit."""

    rate_change_cents: int  # what the edit has added to rate_cents


class _OrderList(TypedDict):
    orders: list[ListedOrder]
    count: int  # of this page
    limit: int
    offset: int


class OrderList(_OrderList, total=False):
    """A page of orders."""

    next_cursor: str  # absent on the last page


class _BatchResult(TypedDict):
    index: int  # of the order in the request, from 0
    status: int  # the HTTP status that create_order would have been answered with


class BatchResult(_BatchResult, total=False):
    """The result of one order of a batch: either order or error is present."""

    replayed: bool  # an earlier request with the same key created the order
    order: Order
    error: ErrorDetail


class BatchResults(TypedDict):
    """The results of a batch."""

    results: list[BatchResult]  # in the order of the request
    created: int  # how many of the orders exist now
    refused: int


class _Validation(TypedDict):
    valid: bool
    rate_cents: int | None
    currency: Currency | None
    estimated_delivery: str | None
    status: int  # the HTTP status that create_order would be answered with
    error: ErrorDetail | None


class Validation(_Validation, total=False):
    """What the creation of an order would do."""

    warnings: list[OrderWarning]


class Place(TypedDict):
    """A city."""

    city: str
    province: Province


class TrackingCourier(TypedDict):
    """The courier of an order, as anyone may see it."""

    first_name: str
    vehicle: str


class FailedAttempt(TypedDict):
    """Why the latest attempt to deliver an order failed."""

    reason: FailureReason
    next_attempt: str | None


class TrackingStatus(TypedDict):
    """An entry of an order's public history."""

    status: OrderStatus
    timestamp: str


class _Tracking(TypedDict):
    order_id: str
    status: OrderStatus
    service_level: ServiceLevel
    estimated_delivery: str
    created_at: str
    updated_at: str
    origin: Place
    destination: Place
    parcel_count: int
    status_history: list[TrackingStatus]
    livemode: bool  # false for an order in test mode, which is simulated


class Tracking(_Tracking, total=False):
    """What anyone may see who has the tracking URL of an order."""

    is_return: bool  # present, and true, if the recipient gives parcels back at the origin
    courier: TrackingCourier
    failed_attempt: FailedAttempt


class LoggedRequest(TypedDict):
    """A signed request and how it was answered."""

    request_id: str
    at: str  # when it arrived
    method: Method
    path: str  # without the query
    status: int
    code: str | None  # of the error; None unless the request was refused
    duration_ms: int
    key_id: str  # of the API key that signed it
    order_id: str | None
    request_body: str | None  # the beginning of a refused body, without what may be personal


class _LogList(TypedDict):
    logs: list[LoggedRequest]


class LogList(_LogList, total=False):
    """A page of the log of requests."""

    next_cursor: str  # absent on the last page


class StatusTime(TypedDict):
    """How long orders were in a status."""

    count: int  # how often an order has left it
    seconds: int  # of all together


class StatusTimes(TypedDict):
    """How long orders were in each status that they left on a day."""

    pending: StatusTime
    accepted: StatusTime
    courier_assigned: StatusTime
    picked_up: StatusTime
    in_transit: StatusTime
    out_for_delivery: StatusTime
    failed: StatusTime


class _DayFigures(TypedDict):
    date: str
    orders: int
    assigned: int
    delivered: int
    on_time: int
    failed_attempts: int
    cancelled: int
    webhooks_delivered: int
    time_in_status: StatusTimes


class DayFigures(_DayFigures, total=False):
    """What was counted on a day, or with by="courier" on a day for a courier."""

    courier_id: str  # empty for what no courier did
    courier_name: str


# "from" is a word of Python, and no name of a member in a class.
Figures = TypedDict("Figures", {"from": str, "to": str, "days": list[DayFigures]})
"""Orders and deliveries by day."""


class StatementTax(TypedDict):
    """An amount of a tax."""

    tax: Literal["gst", "hst", "qst"]
    amount_cents: int


StatementAct = Literal[
    "delivery", "attempt", "return", "late_cancellation", "adjustment", "payment", "collection",
    "unconfirmed", "correction", "hand_in", "deposit", "remittance",
]  # fmt: skip


class StatementLine(TypedDict):
    """An entry on a statement."""

    date: str
    entry_id: str
    act: StatementAct
    order_id: str | None  # None for an act that is about no order
    partner_order_id: str | None
    notes: str
    currency: Currency
    amount_cents: int  # before taxes
    taxes: list[StatementTax]
    total_cents: int


class StatementSums(TypedDict):
    """The sums of a statement in a currency. Above zero the partner owes a balance."""

    currency: Currency
    opening_balance_cents: int
    charged_cents: int
    taxes: list[StatementTax]
    paid_cents: int
    collected_cents: int
    remitted_cents: int
    closing_balance_cents: int
    held_cents: int


class StatementNumbers(TypedDict):
    """The numbers under which taxes are charged."""

    gst_hst: str | None
    qst: str | None


class StatementFirm(TypedDict):
    """The firm that sends a statement."""

    name: str
    address: str
    numbers: StatementNumbers


class Statement(TypedDict):
    """What the partner owes at the end of a month, and why."""

    statement_id: str
    number: int
    partner_id: str
    partner_name: str
    period: str  # a month such as 2026-11
    closed_at: str
    firm: StatementFirm
    sums: list[StatementSums]
    lines: list[StatementLine]


class ClosingBalance(TypedDict):
    """What a statement ends with in a currency."""

    currency: Currency
    closing_balance_cents: int


class StatementSummary(TypedDict):
    """A statement without its lines."""

    statement_id: str
    partner_id: str
    number: int
    period: str
    closed_at: str
    balances: list[ClosingBalance]


class _StatementPage(TypedDict):
    statements: list[StatementSummary]


class StatementPage(_StatementPage, total=False):
    """A page of statements."""

    next_cursor: str  # absent on the last page
