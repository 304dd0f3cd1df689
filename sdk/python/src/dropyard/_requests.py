"""What requests are made of, and when they are sent again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from ._version import __version__
from .errors import APIError, NoAnswerError

RETRY_DELAYS = (1.0, 2.0, 4.0)
"""The seconds before the second and further attempts, unless the service asks for others."""

USER_AGENT = f"dropyard-python/{__version__}"

TIMEOUT = 35.0  # seconds; a little longer than the service's own
IDEMPOTENT = ("GET", "PUT", "DELETE")
_MAX_RETRY_AFTER = 120  # seconds; the longest that a call waits because the service asks for it

_recorders: ContextVar[tuple[list[httpx.Response], ...]] = ContextVar("dropyard_responses", default=())


@contextmanager
def responses() -> Iterator[list[httpx.Response]]:
    """Collect the responses to all requests of a block, for their headers.

    with dropyard.responses() as received:
        client.create_order(order)
    print(received[-1].headers["X-Request-Id"], received[-1].headers["RateLimit"])

    Each attempt has its own response, whether it is a refusal or not. Other threads and
    tasks are not seen, except the tasks that the block starts.
    """
    received: list[httpx.Response] = []
    token = _recorders.set((*_recorders.get(), received))
    try:
        yield received
    finally:
        _recorders.reset(token)


def record(response: httpx.Response) -> None:
    """Add a response to what the blocks around it collect."""
    for received in _recorders.get():
        received.append(response)


def checked(base_url: str) -> str:
    """Return the address of a service without a slash at its end, if it is one."""
    try:
        parts = urlsplit(base_url)
        valid = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and not parts.query
            and not parts.fragment
        )
    except ValueError:  # for example a bracket without its counterpart
        valid = False
    if not valid:
        raise ValueError(f"base_url: {base_url!r} is not an address such as https://dropyard.example")
    return base_url.rstrip("/")


def checked_key(public_key: str, secret_key: str) -> tuple[str, str]:
    """Return both parts of an API key, if they can be ones."""
    for name, value in (("public_key", public_key), ("secret_key", secret_key)):
        if not value or any(not "!" <= letter <= "~" for letter in value):
            raise ValueError(f"{name}: empty, or not a key as create_api_key returns it")
    return public_key, secret_key


def from_environment() -> tuple[str, str, str]:
    """Return the address of a service and both parts of an API key, as the environment has them."""
    names = ["DROPYARD_URL", "DROPYARD_KEY", "DROPYARD_SECRET"]
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        raise ValueError("not set in the environment: " + ", ".join(missing))
    url, public_key, secret_key = (os.environ[name] for name in names)
    return url, public_key, secret_key


def encoded(body: object) -> bytes:
    """Return a body as JSON."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, default=_encode).encode()


def insert(path: str, value: str) -> str:
    """Return a path with an id in place of {}, escaped."""
    if value in ("", ".", ".."):
        raise ValueError(f"{path}: the id {value!r} cannot exist")
    return path.replace("{}", quote(value, safe=""))


def next_pause(error: APIError | NoAnswerError, delay: float | None, repeatable: bool) -> float | None:
    """Return how long to wait before the next attempt, in seconds; None if there must be none."""
    if isinstance(error, NoAnswerError):
        return delay if repeatable else None
    again = error.status == 429 or (
        repeatable and (error.status >= 500 or error.code == "idempotency_in_progress")
    )
    if delay is None or not again or error.retry_after > _MAX_RETRY_AFTER:
        return None
    return error.retry_after or delay


def _encode(value: object) -> str:
    if isinstance(value, datetime):
        return _time(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")


def _time(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone")
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def parameters(query: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """Return the parameters of a query without those that are None. One of a list is repeated."""
    given = {name: value for name, value in (query or {}).items() if value is not None}
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    return {name: [_text(value) for value in values] for name, values in lists.items()}


def _text(value: Any) -> str:
    return _time(value) if isinstance(value, datetime) else str(value)
