"""The exceptions of this package."""

from __future__ import annotations

from typing import Any, TypedDict, cast

import httpx


class Problem(TypedDict):
    """A fault of one field."""

    field: str  # a path such as parcels[0].weight_kg
    value: str | float | bool | None  # as sent, cut to 100 characters; None if missing or secret
    expected: str


class Shortage(TypedDict):
    """A product of which there is not enough for an order."""

    product_id: int
    available: int
    requested: int


class _ErrorDetail(TypedDict):
    code: str
    message: str


class ErrorDetail(_ErrorDetail, total=False):
    """The error that an order would have been refused with, or was, in a batch."""

    doc_url: str  # a page that explains the code
    details: dict[str, Any]


class DropyardError(Exception):
    """The base of all exceptions of this package, ValueError for bad arguments aside."""


class NoAnswerError(DropyardError):
    """No answer of the service arrived, so it is not known whether the request took effect.

    Repeat the call with the same idempotency_key to find out. The cause is the exception
    of httpx, if there is one.
    """


class APIError(DropyardError):
    """A refusal of the service, or an answer of something else, such as a proxy."""

    status: int
    """The HTTP status."""
    code: str
    """The kind of error, by which programs decide, such as "insufficient_stock". It is
    empty if the answer is not one of the service. Later versions may add codes."""
    message: str
    """A sentence for people, which may change at any time."""
    details: dict[str, Any]
    """More about the error; its members depend on the code."""
    request_id: str
    """Identifies the request for support."""
    retry_after: int
    """How many seconds the service asks to wait before the next attempt; 0 if it does not ask."""
    doc_url: str
    """The page about the code; empty if the service has none."""

    def __init__(self, response: httpx.Response) -> None:
        body = _json_object(response)
        error = _object(body.get("error"))
        self.status = response.status_code
        self.code = str(error.get("code", ""))
        self.message = str(error.get("message", ""))
        self.details = _object(error.get("details"))
        self.doc_url = str(error.get("doc_url", ""))
        self.request_id = str(body.get("request_id") or response.headers.get("X-Request-Id", ""))
        self.retry_after = _seconds(response.headers.get("Retry-After", ""))
        super().__init__(self._text(response.reason_phrase))

    def _text(self, reason: str) -> str:
        text = f"{self.status} {self.code}: {self.message}" if self.code else f"{self.status} {reason}"
        if faults := self.fields:
            text += " (" + "; ".join(f"{field}: {expected}" for field, expected in faults.items()) + ")"
        return f"{text} [request {self.request_id}]" if self.request_id else text

    @property
    def problems(self) -> list[Problem]:
        """All faults of a validation_error, in field order."""
        return cast("list[Problem]", self.details.get("errors", []))

    @property
    def fields(self) -> dict[str, str]:
        """What each faulty field should hold, by paths such as parcels[0].weight_kg."""
        return {problem["field"]: problem["expected"] for problem in self.problems}

    @property
    def shortages(self) -> list[Shortage]:
        """Every product of which there is not enough; with insufficient_stock."""
        return cast("list[Shortage]", self.details.get("items", []))


class WebhookError(DropyardError):
    """A request that is not a webhook of the service: answer it with 401."""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _json_object(response: httpx.Response) -> dict[str, Any]:
    try:
        return _object(response.json())
    except ValueError:
        return {}


def _seconds(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
