"""Sending requests, with credentials and retries."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from ._version import __version__
from .errors import APIError, NoAnswerError

RETRY_DELAYS = (1.0, 2.0, 4.0)
"""The seconds before the second and further attempts, unless the service asks for others."""

_MAX_RETRY_AFTER = 120  # seconds; the longest that a call waits because the service asks for it
_TIMEOUT = 35.0  # a little longer than the service's own
_IDEMPOTENT = ("GET", "PUT", "DELETE")

Self = TypeVar("Self", bound="Connection")


def _checked(base_url: str) -> str:
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


class Connection:
    """A connection to a service. Threads may share it."""

    _auth: httpx.Auth | None = None

    def __init__(
        self,
        base_url: str,
        *,
        http: httpx.Client | None = None,
        retry_delays: Sequence[float] = RETRY_DELAYS,
    ) -> None:
        """Prepare a connection to the service at base_url, which has neither /v1 nor a query.

        http is for another timeout than 35 seconds, proxies, and tests; the caller closes
        it. Without retry_delays every request is sent once. Raises ValueError for a base_url
        that does not begin with http:// or https://.
        """
        self.base_url = _checked(base_url)
        self.retry_delays = tuple(retry_delays)
        self._owned = http is None
        self._http = http or httpx.Client(timeout=_TIMEOUT)
        self._sleep: Callable[[float], None] = time.sleep

    def close(self) -> None:
        """Close the connections, except those of an http that was given."""
        if self._owned:
            self._http.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        idempotency_key: str | None = None,
        version: int | None = None,
        accept: str = "application/json",
        repeatable: bool | None = None,
    ) -> httpx.Response:
        """Send a request, also one that this package has no method for, and return the answer.

        path begins with /v1, and is escaped. body is sent as JSON. The request is sent again
        as the interface advises: always after 429, which means that nothing was done; after
        5xx, idempotency_in_progress and a failed connection if it is repeatable, as are GET,
        PUT, DELETE and what has an Idempotency-Key. Any answer but 2xx raises APIError.
        """
        headers = {"Accept": accept, "User-Agent": f"dropyard-python/{__version__}"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        content = None
        if body is not None:
            content = json.dumps(body, ensure_ascii=False, allow_nan=False, default=_encode).encode()
            headers["Content-Type"] = "application/json"
        if repeatable is None:
            repeatable = method in _IDEMPOTENT or idempotency_key is not None
        delays = iter(self.retry_delays)
        while True:
            request = self._http.build_request(
                method, self.base_url + path, params=_parameters(query), content=content, headers=headers
            )
            try:
                return self._send(request)
            except (APIError, NoAnswerError) as error:
                pause = _pause(error, next(delays, None), repeatable)
                if pause is None:
                    raise
            self._sleep(pause)

    def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            response = self._http.send(request, auth=self._auth, follow_redirects=False)
        except httpx.RequestError as error:
            problem = str(error) or type(error).__name__
            raise NoAnswerError(f"{request.method} {request.url.path}: {problem}") from error
        if not response.is_success:
            raise APIError(response)
        return response

    def _json(self, method: str, path: str, **options: Any) -> Any:
        response = self.request(method, path, **options)
        try:
            return response.json()
        except ValueError as error:
            raise NoAnswerError(f"{method} {path}: the answer is not that of the service") from error


def insert(path: str, value: str) -> str:
    """Return a path with an id in place of {}, escaped."""
    if value in ("", ".", ".."):
        raise ValueError(f"{path}: the id {value!r} cannot exist")
    return path.replace("{}", quote(value, safe=""))


def _pause(error: APIError | NoAnswerError, delay: float | None, repeatable: bool) -> float | None:
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


def _parameters(query: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """Return the parameters of a query without those that are None. One of a list is repeated."""
    given = {name: value for name, value in (query or {}).items() if value is not None}
    lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
    return {name: [_text(value) for value in values] for name, values in lists.items()}


def _text(value: Any) -> str:
    return _time(value) if isinstance(value, datetime) else str(value)
