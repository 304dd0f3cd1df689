"""Every method against a service."""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from live import URL, Operator, needs_service

import dropyard
from dropyard.events import Event
from dropyard.types import Contact, OrderRequest

pytestmark = needs_service
NOON = datetime(2036, 3, 3, 12, tzinfo=timezone.utc)


@dataclass
class Shop:
    client: dropyard.Client
    session: dropyard.Session
    operator: Operator


@pytest.fixture
def shop() -> Iterator[Shop]:
    email, password = f"{uuid.uuid4()}@example.com", "brume-et-vent-1907"
    with dropyard.Service(URL) as service:
        partner = service.register("Épicerie", email, password)
        session = service.login(email, password)
        assert session.partner["partner_id"] == partner["partner_id"]
        key = session.create_api_key("tests")
        operator = Operator()
        with dropyard.Client(URL, key["public_key"], key["secret_key"]) as client:
            yield Shop(client, session, operator)
        operator.close()


@dataclass
class Receiver:
    """A server for webhooks."""

    secrets: list[str] = field(default_factory=list)
    events: queue.Queue[Event] = field(default_factory=queue.Queue)
    url: str = ""

    def receive(self, handler: BaseHTTPRequestHandler) -> int:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        try:
            received = [dropyard.verify_webhook(secret, handler.headers, body) for secret in self.secrets]
        except dropyard.WebhookError:
            return 401
        self.events.put(received[0])
        return 200

    def next(self) -> Event:
        return self.events.get(timeout=60)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(receiver.receive(self))
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_port}/hooks"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield receiver
    server.shutdown()
    thread.join()
    server.server_close()


def contact(name: str, city: str, postal_code: str) -> Contact:
    return {
        "name": name,
        "phone": "+15145550100",
        "email": "shop@example.com",
        "address": {
            "line1": "1 Main Street",
            "city": city,
            "province": "QC",
            "postal_code": postal_code,
            "country": "CA",
        },
        "time_window": {"start": NOON, "end": NOON + timedelta(hours=3)},
    }


def order(reference: str) -> OrderRequest:
    return {
        "partner_order_id": reference,
        "service_level": "standard",
        "pickup": contact("Épicerie", "Montréal", "H2X 1Y4"),
        "dropoff": contact("Alex", "Québec", "G1R 4P5"),
        "parcels": [
            {
                "parcel_id": "P-1",
                "description": "Beans",
                "length_cm": 25,
                "width_cm": 20,
                "height_cm": 15,
                "weight_kg": 1.1,
                "value_cents": 3600,
            }
        ],
        "metadata": {"basket": {"id": 88213}, "note": "<é>"},
    }


def test_order_life(shop: Shop, receiver: Receiver) -> None:
    client = shop.client
    receiver.secrets = [client.set_webhook_endpoint(receiver.url)["secret"]]
    product_id = shop.operator.stock(shop.session.partner["partner_id"], "Coffee", 10)
    request = order("A-1")
    quote = client.create_quote(request)
    request["quote_id"], request["items"] = quote["quote_id"], [{"product_id": product_id, "quantity": 2}]
    validation = client.validate_order(request)
    assert (validation["valid"], validation["rate_cents"]) == (True, quote["rate_cents"])
    created = client.create_order(request)
    assert created["status"] == "pending"
    assert created["rate_cents"] == quote["rate_cents"]
    assert created["metadata"] == request["metadata"]
    assert created["items"][0]["name"] == "Coffee"
    assert created["pickup"]["time_window"]["start"] == "2036-03-03T12:00:00.000Z"

    shop.operator.move(created["order_id"], "accepted", "courier_assigned", "picked_up", "in_transit")
    shop.operator.move(created["order_id"], "failed", "out_for_delivery", "delivered")
    got = [receiver.next() for _ in range(7)]
    assert [event["type"] for event in got] == [
        "order.accepted",
        "courier.assigned",
        "order.picked_up",
        "order.in_transit",
        "order.failed",
        "order.out_for_delivery",
        "order.delivered",
    ]
    assert [event["sequence"] for event in got] == list(range(1, 8))
    last = got[-1]
    assert last["type"] == "order.delivered"
    assert last["data"]["order_id"] == created["order_id"]
    assert last["data"]["delivered_at"] == client.get_order(created["order_id"])["updated_at"]
    check_log(client, created["order_id"], got)

    tracking = client.track_order(created["order_id"])
    assert (tracking["status"], tracking["courier"]["first_name"]) == ("delivered", "Camille")
    assert "Livr" in client.track_order_page(created["order_id"], "fr")
    assert client.get_label(created["order_id"]).startswith(b"%PDF-")
    assert client.get_label(created["order_id"], "application/zpl").startswith(b"^XA")
    assert client.get_labels([created["order_id"]]) == client.get_label(created["order_id"])
    assert [p["quantity"] for p in client.products(search="coff")] == [8]
    assert [m["type"] for m in client.movements(product_id=product_id, limit=1)] == ["OUT", "IN"]


def check_log(client: dropyard.Client, order_id: str, events: list[Event]) -> None:
    logged = list(client.events(order_id=order_id, limit=3))
    assert [event["event_id"] for event in logged] == [event["id"] for event in reversed(events)]
    assert len(client.list_events(type="order.failed", state="delivered")["events"]) == 1
    detail = client.get_event(events[0]["id"])
    assert dropyard.parse_event(detail["body"]) == events[0]
    assert detail["attempt_log"][0]["status_code"] == 200


def test_rotation(shop: Shop, receiver: Receiver) -> None:
    client = shop.client
    old = client.set_webhook_endpoint(receiver.url)["secret"]
    new = client.rotate_webhook_secret()["secret"]
    assert client.get_webhook_endpoint()["secret_rotates_at"] is not None
    receiver.secrets = [old, new]  # both must verify
    assert client.test_webhook()["status_code"] == 200
    client.activate_webhook_secret()
    assert client.test_webhook()["status_code"] == 401
    receiver.secrets = [new]
    assert client.test_webhook()["delivered"]
    assert {receiver.next()["type"], receiver.next()["type"]} == {"webhook.test"}
    assert client.delete_webhook_endpoint()["deleted"]
    with pytest.raises(dropyard.APIError) as caught:
        client.test_webhook()
    assert (caught.value.status, caught.value.code) == (422, "webhook_not_configured")


def test_lists_and_redelivery(shop: Shop, receiver: Receiver) -> None:
    client = shop.client
    results = client.create_orders([order(f"B-{i}") for i in range(5)])
    assert (results["created"], results["refused"]) == (5, 0)
    ids = [result["order"]["order_id"] for result in results["results"]]
    assert sorted(o["order_id"] for o in client.orders(status="pending", limit=2)) == sorted(ids)
    assert client.list_orders(partner_order_id="B-3")["orders"][0]["order_id"] == ids[3]
    assert client.list_orders(created_from=datetime.now(timezone.utc) + timedelta(hours=1))["count"] == 0

    cancelled = client.cancel_order(ids[0], "changed my mind")
    assert (cancelled["status"], cancelled["cancellation_reason"]) == ("cancelled", "changed my mind")
    feed = client.read_feed(after=None, wait=0)
    assert feed["cursor"]
    receiver.secrets = [client.set_webhook_endpoint(receiver.url)["secret"]]
    assert client.redeliver_events(since=NOON - timedelta(days=9000))["redelivered"] == 1
    event = receiver.next()
    assert event["type"] == "order.cancelled"
    assert event["data"]["reason"] == "changed my mind"
    while client.get_event(event["id"])["state"] == "pending":
        pass  # the service has not recorded the acknowledgement yet
    assert client.redeliver_event(event["id"])["event_id"] == event["id"]
    assert receiver.next() == event


def test_same_key_returns_the_same_order(shop: Shop) -> None:
    key = str(uuid.uuid4())
    first = shop.client.create_order(order("C-1"), idempotency_key=key)
    assert shop.client.create_order(order("C-1"), idempotency_key=key) == first
    with pytest.raises(dropyard.APIError) as caught:
        shop.client.create_order(order("C-1"))
    assert (caught.value.status, caught.value.code) == (409, "conflict")


def test_errors(shop: Shop) -> None:
    product_id = shop.operator.stock(shop.session.partner["partner_id"], "Tea", 1)
    request = order("D-1")
    request["items"] = [{"product_id": product_id, "quantity": 3}]
    with pytest.raises(dropyard.APIError) as caught:
        shop.client.create_order(request)
    assert caught.value.shortages == [{"product_id": product_id, "available": 1, "requested": 3}]

    request["parcels"], request["dropoff"]["phone"] = [], "514"
    with pytest.raises(dropyard.APIError) as caught:
        shop.client.create_order(request)
    assert (caught.value.status, caught.value.code) == (422, "validation_error")
    assert caught.value.fields.keys() == {"dropoff.phone", "parcels"}
    assert caught.value.request_id
    assert caught.value.request_id in str(caught.value)

    stranger = dropyard.Client(URL, "pk_unknown", "sk_unknown")
    with stranger, pytest.raises(dropyard.APIError) as caught:
        stranger.get_order("ord_unknown")
    assert (caught.value.code, caught.value.details["reason"]) == ("unauthorized", "unknown_key")


def test_account(shop: Shop) -> None:
    session = shop.session
    assert session.get_me()["email"] == session.partner["email"]
    second = session.create_api_key("second")
    assert session.list_api_keys()["count"] == 2
    assert session.revoke_api_key(second["key_id"])["revoked"]
    assert session.logout()["logged_out"]
    for call in (session.get_me, lambda: shop.client.login(session.partner["email"], "a wrong password")):
        with pytest.raises(dropyard.APIError) as caught:
            call()
        assert (caught.value.status, caught.value.code) == (401, "unauthorized")
    assert shop.client.get_health()["status"] == "ok"
    assert shop.client.get_ready()["status"] == "ready"
