"""A client for the partner interface of Dropyard.

Service calls what needs no credentials, Session manages an account and its API keys, and
Client does everything else with such a key; AsyncService, AsyncSession and AsyncClient do the
same with async and await. The README has a path of five minutes.
"""

from ._async_feed import AsyncFeed
from ._feed import Feed
from ._requests import responses
from ._signing import SignatureVersion, SignedAuth, sign_request, sign_request_v2
from ._version import __version__
from .async_client import AsyncClient, AsyncService, AsyncSession
from .client import Client, Service, Session
from .errors import (
    APIError,
    BadRequestError,
    ConflictError,
    DropyardError,
    EmailTakenError,
    ForbiddenError,
    IdempotencyInProgressError,
    IdempotencyKeyReusedError,
    InsufficientStockError,
    InternalError,
    MethodNotAllowedError,
    NoAnswerError,
    NotFoundError,
    OrderNotCancellableError,
    OrderNotEditableError,
    PayloadTooLargeError,
    QuotaExceededError,
    RateLimitedError,
    UnauthorizedError,
    UnavailableError,
    UnsupportedMediaTypeError,
    ValidationError,
    WebhookError,
    WebhookNotConfiguredError,
)
from .webhooks import (
    new_webhook_secret,
    parse_event,
    sign_webhook,
    verify_drop_signature,
    verify_webhook,
)

__all__ = [
    "APIError",
    "AsyncClient",
    "AsyncFeed",
    "AsyncService",
    "AsyncSession",
    "BadRequestError",
    "Client",
    "ConflictError",
    "DropyardError",
    "EmailTakenError",
    "Feed",
    "ForbiddenError",
    "IdempotencyInProgressError",
    "IdempotencyKeyReusedError",
    "InsufficientStockError",
    "InternalError",
    "MethodNotAllowedError",
    "NoAnswerError",
    "NotFoundError",
    "OrderNotCancellableError",
    "OrderNotEditableError",
    "PayloadTooLargeError",
    "QuotaExceededError",
    "RateLimitedError",
    "Service",
    "Session",
    "SignatureVersion",
    "SignedAuth",
    "UnauthorizedError",
    "UnavailableError",
    "UnsupportedMediaTypeError",
    "ValidationError",
    "WebhookError",
    "WebhookNotConfiguredError",
    "__version__",
    "new_webhook_secret",
    "parse_event",
    "responses",
    "sign_request",
    "sign_request_v2",
    "sign_webhook",
    "verify_drop_signature",
    "verify_webhook",
]
