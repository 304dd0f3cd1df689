# Made from _async_http.py by generate.py; edit that instead.
"""Sending requests, with credentials and retries."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

import httpx

from ._requests import (
    IDEMPOTENT,
    RETRY_DELAYS,
    TIMEOUT,
    USER_AGENT,
    checked,
    encoded,
    next_pause,
    parameters,
    record,
)
from .errors import APIError, NoAnswerError, api_error

Self = TypeVar("Self", bound="Connection")


class Connection:
    """A connection to a service. Concurrent callers may share it."""

    _auth: httpx.Auth | None = None

    def __init__(
        self,
        base_url: str,
        *,
        http: httpx.Client | None = None,
        retry_delays: Sequence[float] = RETRY_DELAYS,
        user_agent: str = USER_AGENT,
    ) -> None:
        """Prepare a connection to the service at base_url, which has neither /v1 nor a query.

        http is for another timeout than 35 seconds, proxies, and tests; the caller closes
        it. Without retry_delays every request is sent once. Raises ValueError for a base_url
        that does not begin with http:// or https://.
        """
        self.base_url = checked(base_url)
        self.retry_delays = tuple(retry_delays)
        self.user_agent = user_agent
        self._owned = http is None
        self._http = http or httpx.Client(timeout=TIMEOUT)
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
        PUT, DELETE and what has an Idempotency-Key. Any answer but 2xx raises APIError; see
        responses for the headers of all answers.
        """
        headers = {"Accept": accept, "User-Agent": self.user_agent}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        content = None
        if body is not None:
            content = encoded(body)
            headers["Content-Type"] = "application/json"
        if repeatable is None:
            repeatable = method in IDEMPOTENT or idempotency_key is not None
        delays = iter(self.retry_delays)
        while True:
            request = self._http.build_request(
                method, self.base_url + path, params=parameters(query), content=content, headers=headers
            )
            try:
                return self._send(request)
            except (APIError, NoAnswerError) as error:
                pause = next_pause(error, next(delays, None), repeatable)
                if pause is None:
                    raise
            self._sleep(pause)

    def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            response = self._http.send(request, auth=self._auth, follow_redirects=False)
        except httpx.RequestError as error:
            problem = str(error) or type(error).__name__
            raise NoAnswerError(f"{request.method} {request.url.path}: {problem}") from error
        record(response)
        if not response.is_success:
            raise api_error(response)
        return response

    def _json(self, method: str, path: str, **options: Any) -> Any:
        response = self.request(method, path, **options)
        try:
            return response.json()
        except ValueError as error:
            raise NoAnswerError(f"{method} {path}: the answer is not that of the service") from error
