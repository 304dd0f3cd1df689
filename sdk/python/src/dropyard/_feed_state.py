"""What a feed of events remembers."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from datetime import datetime

from .errors import APIError, NoAnswerError, WebhookError
from .events import Event, EventFeed
from .webhooks import parse_event, verify_drop_signature

WAIT = 20
"""How many seconds the service may wait for an event before it answers."""

INTERVAL = 1.0
"""The least time between two requests, in seconds. They count towards the partner's rate limit."""

_FIRST_PAUSE, _MAX_PAUSE = 0.25, 15.0  # seconds after the first failure, and the longest
_MEMORY = 600_000  # milliseconds for which ids are remembered; the service repeats those of the last 30 s
_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}")


class FeedState:
    """The position in a feed, and the events that were read and not returned yet."""

    def __init__(self, secret_key: str, since: datetime | None) -> None:
        if since is not None and since.tzinfo is None:
            raise ValueError(f"{since!r} has no time zone")
        self._secret_key, self._from_now = secret_key, since is None
        self.floor = "" if since is None else _first_id(int(since.timestamp() * 1000))
        self.cursor = self.floor or None
        self.pending: list[Event] = []
        self._seen: set[str] = set()  # the ids of events after floor that were returned

    def begin(self) -> None:
        """Pass over what is older than the first answer, which the service may repeat."""
        if self._from_now:
            self.floor = min([self.cursor or "", *(event["id"] for event in self.pending)])

    def add(self, page: EventFeed) -> None:
        """Add the new events of an answer, those of one order in their sequence."""
        if not isinstance(page.get("cursor"), str):  # perhaps the answer of a proxy
            raise NoAnswerError("GET /v1/webhooks/feed: the answer is not that of the service")
        self.pending += _sorted_by_subject(self._fresh(page))
        self.cursor = page["cursor"]
        self._forget()

    def _fresh(self, page: EventFeed) -> list[Event]:
        """Return the verified events that are new: every answer repeats the last ones."""
        fresh = []
        for entry in page["events"]:
            event_id, body = entry["event_id"], entry["body"]
            if event_id <= self.floor or event_id in self._seen:
                continue
            signed = verify_drop_signature(self._secret_key, body.encode(), entry["signature"])
            event = parse_event(body) if signed else None
            if event is None or event["id"] != event_id:
                raise WebhookError(f"the event {event_id} is not signed by the service")
            self._seen.add(event_id)
            fresh.append(event)
        return fresh

    def _forget(self) -> None:
        """Raise floor to events that are no longer repeated, and forget the ids before it."""
        old = _first_id(_id_time(self.cursor or "") - _MEMORY)
        if old > self.floor:
            self.floor = old
            self._seen = {event_id for event_id in self._seen if event_id >= old}


def is_final(error: Exception) -> bool:
    """Report whether asking again would not change an error."""
    return isinstance(error, APIError) and error.status < 500 and error.status != 429


def back_off(failures: int, error: Exception) -> float:
    """Return how many seconds to wait: longer each time, and at least as long as the service asks for.

    Some jitter keeps many clients from returning simultaneously.
    """
    pause = min(_FIRST_PAUSE * float(2 ** min(failures, 10)), _MAX_PAUSE) * random.uniform(0.8, 1.2)
    return max(pause, error.retry_after) if isinstance(error, APIError) else pause


def _sorted_by_subject(events: list[Event]) -> list[Event]:
    """Sort the events of each order, and of each product, by their sequence, among their places."""
    by_subject: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_subject[_subject_of(event)].append(event)
    for group in by_subject.values():
        group.sort(key=lambda event: event["sequence"], reverse=True)
    return [by_subject[_subject_of(event)].pop() for event in events]


def _subject_of(event: Event) -> str:
    """Return what the sequence of an event counts the events of: its order or product, or only itself."""
    if event["type"] in ("stock.low", "stock.changed"):
        return f"product {event['data'].get('product_id')}"
    return str(event["data"].get("order_id") or event["id"])


def _first_id(milliseconds: int) -> str:
    """Return the smallest id that an event at or after a time can have: a UUID of version 7."""
    text = f"{max(milliseconds, 0):012x}"
    return f"{text[:8]}-{text[8:]}-7000-8000-000000000000"


def _id_time(event_id: str) -> int:
    """Return the time in an event's id, in milliseconds; 0 if there is none."""
    return int(event_id[:8] + event_id[9:13], 16) if _ID.match(event_id) else 0
