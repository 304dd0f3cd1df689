"""The exceptions of this package."""

from __future__ import annotations

from typing import Any, TypedDict, cast

import httpx


class Problem(TypedDict):
    """A fault of one field."""

    field: str  # a path such as parcels[0].weight_kg
    value: str | float | bool | None  # as sent, cut to 100 characters; None if missing or secret
    expected: str


class _Shortage(TypedDict):
    product_id: int
    available: int
    requested: int


class Shortage(_Shortage, total=False):
    """A product of which there is not enough for an order."""

    sku: str


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
    """A refusal of the service, or an answer of something else, such as a proxy.

    There is a subclass for each code, such as NotFoundError. A code of a later version has
    none, nor has an answer that is not one of the service.
    """

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
    headers: httpx.Headers
    """The headers of the response, such as RateLimit."""

    def __init__(self, response: httpx.Response) -> None:
        body = _json_object(response)
        error = _object(body.get("error"))
        self.status = response.status_code
        self.code = str(error.get("code", ""))
        self.message = str(error.get("message", ""))
        self.details = _object(error.get("details"))
        self.doc_url = str(error.get("doc_url", ""))
        self.request_id = str(body.get("request_id") or response.headers.get("X-Request-Id", ""))
        self.headers = response.headers
        self.retry_after = _seconds(response.headers.get("Retry-After", ""))
        super().__init__(self._text(response.reason_phrase))

    def _text(self, reason: str) -> str:
        text = f"{self.status} {self.code}: {self.message}" if self.code else f"{self.status} {reason}"
        faults = self.fields
        if faults and not (len(faults) == 1 and self.message.startswith(next(iter(faults)))):  # said already
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


class BadRequestError(APIError):
    """bad_request: The request is malformed."""


class EmailTakenError(APIError):
    """email_taken: There is an account with this e-mail address."""


class UnauthorizedError(APIError):
    """unauthorized: The key, the signature or the time are wrong; details["reason"] is which."""


class ForbiddenError(APIError):
    """forbidden: The key may not do this, or the account is suspended or awaits approval."""


class NotFoundError(APIError):
    """not_found: What the request is about does not exist, or belongs to another partner."""


class MethodNotAllowedError(APIError):
    """method_not_allowed: The path has no such method."""


class ConflictError(APIError):
    """conflict: The request contradicts what is there, such as a partner_order_id that is taken."""


class OrderNotCancellableError(APIError):
    """order_not_cancellable: The order is neither pending nor accepted; details["status"] is what it is."""


class OrderNotEditableError(APIError):
    """order_not_editable: details["fields"] can no longer be edited."""


class IdempotencyInProgressError(APIError):
    """idempotency_in_progress: The first request with this key is still running."""


class PayloadTooLargeError(APIError):
    """payload_too_large: The body is too large."""


class UnsupportedMediaTypeError(APIError):
    """unsupported_media_type: The body is not of the expected type."""


class ValidationError(APIError):
    """validation_error: Fields are missing or wrong; see fields."""


class InsufficientStockError(APIError):
    """insufficient_stock: There is not enough of some products; see shortages."""


class IdempotencyKeyReusedError(APIError):
    """idempotency_key_reused: The key was used with another body."""


class WebhookNotConfiguredError(APIError):
    """webhook_not_configured: There is no endpoint."""


class RateLimitedError(APIError):
    """rate_limited: There were too many requests; retry_after is how long to wait."""


class QuotaExceededError(APIError):
    """quota_exceeded: A quota is used up; retry_after may be hours."""


class InternalError(APIError):
    """internal_error: The service failed; whether the request took effect is not known."""


class UnavailableError(APIError):
    """unavailable: The service is overloaded or stopping; whether the request took effect is not known."""


_BY_CODE: dict[str, type[APIError]] = {
    "bad_request": BadRequestError,
    "email_taken": EmailTakenError,
    "unauthorized": UnauthorizedError,
    "forbidden": ForbiddenError,
    "not_found": NotFoundError,
    "method_not_allowed": MethodNotAllowedError,
    "conflict": ConflictError,
    "order_not_cancellable": OrderNotCancellableError,
    "order_not_editable": OrderNotEditableError,
    "idempotency_in_progress": IdempotencyInProgressError,
    "payload_too_large": PayloadTooLargeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "validation_error": ValidationError,
    "insufficient_stock": InsufficientStockError,
    "idempotency_key_reused": IdempotencyKeyReusedError,
    "webhook_not_configured": WebhookNotConfiguredError,
    "rate_limited": RateLimitedError,
    "quota_exceeded": QuotaExceededError,
    "internal_error": InternalError,
    "unavailable": UnavailableError,
}


def api_error(response: httpx.Response) -> APIError:
    """Return the error of a response that is not 2xx: of the class that its code has, if it has one."""
    error = APIError(response)
    return _BY_CODE.get(error.code, APIError)(response)


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
