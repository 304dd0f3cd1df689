from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import httpx
import pytest

import dropyard
from dropyard.events import Event

NOW = 0x0199_0000_0000
Answer = httpx.Response | Exception


def event_id(after: int, end: str = "ff") -> str:
    text = f"{NOW + after:012x}"
    return f"{text[:8]}-{text[8:]}-7000-8000-0000000000{end}"


def entry(after: int, order: str, sequence: int, secret: str = "sk_1") -> dict[str, str]:
    body = json.dumps(
        {"id": event_id(after), "type": "order.accepted", "sequence": sequence, "data": {"order_id": order}}
    )
    signature = "v1=" + hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()
    return {"event_id": event_id(after), "body": body, "signature": signature}


def page(cursor: int, *events: dict[str, str]) -> httpx.Response:
    return httpx.Response(200, json={"events": events, "cursor": event_id(cursor)})


def forbidden() -> httpx.Response:
    return httpx.Response(403, json={"error": {"code": "forbidden", "message": "enough"}})


class Service:
    """A service that gives these answers to a client, which does not wait for them, and then refuses."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.queries, self.pauses = list(answers), list[str](), list[float]()
        self.client = dropyard.Client(
            "https://dropyard.example",
            "pk_1",
            "sk_1",
            http=httpx.Client(transport=httpx.MockTransport(self.receive)),
        )
        self.client._sleep = self.pauses.append

    def receive(self, request: httpx.Request) -> httpx.Response:
        self.queries.append(request.url.query.decode())
        answer = self.answers.pop(0) if self.answers else forbidden()
        if isinstance(answer, Exception):
            raise answer
        return answer


def until_refused(feed: dropyard.Feed) -> Iterator[str]:
    events: Iterator[Event] = iter(feed)
    while True:
        try:
            event: Any = next(events)
        except dropyard.ForbiddenError:
            return
        yield f"{event['data']['order_id']} {event['sequence']}"


def test_each_event_once_in_the_sequence_of_its_order() -> None:
    service = Service(
        page(0),
        page(30, entry(10, "a", 2), entry(15, "b", 1), entry(20, "a", 3), entry(25, "a", 1)),
        page(40, entry(15, "b", 1), entry(20, "a", 3), entry(40, "b", 2)),
    )
    assert list(until_refused(service.client.feed())) == ["a 1", "b 1", "a 2", "a 3", "b 2"]
    later = [f"after={event_id(cursor)}&wait=20" for cursor in (0, 30, 40)]
    assert service.queries == ["wait=0", *later]
    assert all(0 < pause <= 1 for pause in service.pauses)


def test_passes_over_what_was_there_before() -> None:
    service = Service(page(0), page(20, entry(-5, "a", 1), entry(10, "a", 2)))
    assert list(until_refused(service.client.feed())) == ["a 2"]


def test_begins_at_a_time() -> None:
    service = Service(page(20, entry(-1, "a", 1), entry(20, "a", 2)))
    since = datetime.fromtimestamp(NOW / 1000, timezone.utc)
    assert list(until_refused(service.client.feed(since=since))) == ["a 2"]
    assert service.queries[0] == f"after={event_id(0, '00')}&wait=0"
    with pytest.raises(ValueError, match="no time zone"):
        service.client.feed(since=datetime(2026, 3, 1))


def test_continues_after_failures() -> None:
    service = Service(
        page(0),
        httpx.ConnectError("lost"),
        httpx.Response(502),
        httpx.Response(429, headers={"Retry-After": "9"}),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={}),
        page(10, entry(10, "a", 1)),
    )
    said: list[str] = []
    feed = service.client.feed(
        on_disconnect=lambda error: said.append(str(error)), on_reconnect=lambda: said.append("back")
    )
    assert list(until_refused(feed)) == ["a 1"]
    assert said == ["GET /v1/webhooks/feed: lost", "back"]
    assert 0.2 <= service.pauses[1] <= 0.3
    assert service.pauses[3] == 9


def test_events_that_are_no_longer_repeated_are_forgotten() -> None:
    hour = 3_600_000
    service = Service(page(0), page(10, entry(10, "a", 1)), page(hour, entry(hour, "a", 2)))
    feed = service.client.feed()
    assert list(until_refused(feed)) == ["a 1", "a 2"]
    assert feed._state._seen == {event_id(hour)}


def test_a_forged_event_ends_it() -> None:
    service = Service(page(0), page(20, entry(10, "a", 1, "sk_2")))
    with pytest.raises(dropyard.WebhookError, match="is not signed by the service"):
        next(iter(service.client.feed()))


def test_a_refusal_ends_it_before_it_begins() -> None:
    with pytest.raises(dropyard.ForbiddenError):
        Service().client.feed()
