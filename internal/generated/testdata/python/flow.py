"""Registers a partner, and lets it order, list and cancel."""

import datetime
import hashlib
import hmac
import sys
import time
import uuid

import httpx

from openapi import AuthenticatedClient, Client
from openapi.api.account import create_api_key, register_partner
from openapi.api.orders import cancel_order, create_order, list_orders
from openapi.api.rates import create_quote
from openapi.models import (
    Address, CancelledOrder, CancelRequest, Contact, Country, CreateAPIKeyRequest, CreatedAPIKey,
    CreatedOrder, OrderList, OrderRefusedBody, OrderRequest, Parcel, Province, Quote, QuoteAddress,
    QuoteContact, QuoteParcel, QuoteRequest, RegisteredPartner, RegisterRequest, ServiceLevel, TimeWindow, ValidationError,
)

BASE_URL = sys.argv[1]
EMAIL, PASSWORD = "python@example.com", "brume-et-vent-1907"

registered = register_partner.sync_detailed(
    client=Client(base_url=BASE_URL), body=RegisterRequest(name="Python", email=EMAIL, password=PASSWORD))
assert isinstance(registered.parsed, RegisteredPartner), registered
print("register", registered.status_code.value)
made = create_api_key.sync_detailed(
    client=AuthenticatedClient(base_url=BASE_URL, token="", auth_header_name="X-Api-Key", prefix=""),
    body=CreateAPIKeyRequest(name="generated", email=EMAIL, password=PASSWORD))
assert isinstance(made.parsed, CreatedAPIKey), made
print("key", made.status_code.value)
key = made.parsed


def sign(request: httpx.Request) -> None:
    timestamp = str(int(time.time()))
    path = request.url.raw_path.partition(b"?")[0].decode()
    text = f"{timestamp}\n{request.method}\n{path}\n".encode() + request.read()
    request.headers["X-Timestamp"] = timestamp
    request.headers["X-Signature"] = "v1=" + hmac.new(key.secret_key.encode(), text, hashlib.sha256).hexdigest()


client = AuthenticatedClient(
    base_url=BASE_URL, token=key.public_key, auth_header_name="X-Api-Key", prefix="",
    httpx_args={"event_hooks": {"request": [sign]}})

quoted = create_quote.sync_detailed(client=client, body=QuoteRequest(
    service_level=ServiceLevel.STANDARD,
    pickup=QuoteContact(QuoteAddress("H2X 1Y4", Country.CA, city="Montréal", province=Province.QC)),
    dropoff=QuoteContact(QuoteAddress("M5V 2T6", Country.CA, city="Toronto", province=Province.ON)),
    parcels=[QuoteParcel(weight_kg=1.1, length_cm=25, width_cm=20, height_cm=15, value_cents=3600)]))
assert isinstance(quoted.parsed, Quote), quoted
print("quote", quoted.status_code.value)

NOON = datetime.datetime(2036, 3, 3, 12, tzinfo=datetime.timezone.utc)


def contact(name: str, city: str, province: Province, postal_code: str) -> Contact:
    return Contact(
        name=name, phone="+15145550100", email="shop@example.com",
        address=Address("1 Main Street", city, province, postal_code, Country.CA),
        time_window=TimeWindow(NOON, NOON + datetime.timedelta(hours=3)))


def order(reference: str, parcels: list[Parcel]) -> OrderRequest:
    return OrderRequest(
        partner_order_id=reference, service_level=ServiceLevel.STANDARD,
        pickup=contact("Shop", "Montréal", Province.QC, "H2X 1Y4"),
        dropoff=contact("Customer", "Toronto", Province.ON, "M5V 2T6"), parcels=parcels)


beans = Parcel("P1", "Beans", 25, 20, 15, 1.1, 3600)
request = order("P-1", [beans])
request.quote_id = quoted.parsed.quote_id
created = create_order.sync_detailed(client=client, body=request, idempotency_key=str(uuid.uuid4()))
assert isinstance(created.parsed, CreatedOrder), created
print("create", created.status_code.value)
page = list_orders.sync_detailed(client=client, limit=10)
assert isinstance(page.parsed, OrderList), page
assert page.parsed.orders[0].order_id == created.parsed.order_id, page
print("list", page.status_code.value)
cancelled = cancel_order.sync_detailed(
    created.parsed.order_id, client=client, body=CancelRequest("changed my mind"), idempotency_key=str(uuid.uuid4()))
assert isinstance(cancelled.parsed, CancelledOrder), cancelled
assert cancelled.parsed.cancellation_reason == "changed my mind", cancelled
print("cancel", cancelled.status_code.value)

refused = create_order.sync_detailed(client=client, body=order("P-2", []), idempotency_key=str(uuid.uuid4()))
assert isinstance(refused.parsed, OrderRefusedBody), refused
assert isinstance(refused.parsed.error, ValidationError), refused
print("refused", refused.status_code.value, refused.parsed.error.details.errors[0].field)
