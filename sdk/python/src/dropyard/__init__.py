"""A client for the partner interface of Dropyard.

Service calls what needs no credentials, Session manages an account and its API keys, and
Client does everything else with such a key. The README has a path of five minutes.
"""

from ._signing import SignatureVersion, SignedAuth, sign_request, sign_request_v2
from ._version import __version__
from .client import Client, Service, Session
from .errors import APIError, DropyardError, NoAnswerError, WebhookError
from .webhooks import (
    new_webhook_secret,
    parse_event,
    sign_webhook,
    verify_drop_signature,
    verify_webhook,
)

__all__ = [
    "APIError",
    "Client",
    "DropyardError",
    "NoAnswerError",
    "Service",
    "Session",
    "SignatureVersion",
    "SignedAuth",
    "WebhookError",
    "__version__",
    "new_webhook_secret",
    "parse_event",
    "sign_request",
    "sign_request_v2",
    "sign_webhook",
    "verify_drop_signature",
    "verify_webhook",
]
