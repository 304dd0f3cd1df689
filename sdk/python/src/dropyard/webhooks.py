"""Verification of webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import time
from collections.abc import Iterable
from typing import Protocol, cast

from .errors import WebhookError
from .events import Event

TOLERANCE = 300
"""How many seconds the time in a webhook may differ from the receiver's clock."""

_PREFIX = "whsec_"
_TIMESTAMP = re.compile("[0-9]{1,12}")
_MIN_KEY, _MAX_KEY = 24, 64  # bytes, as Standard Webhooks has it; with an empty key anyone could sign


class Headers(Protocol):
    """The headers of a request, as web frameworks, http.server and dict have them."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Return pairs of names and values."""


def verify_webhook(secret: str, headers: Headers, body: bytes, *, now: float | None = None) -> Event:
    """Return the event of a webhook if it was signed with the secret, and was sent just now.

    body is the body as received, byte for byte. The headers are those of the request, by
    names in any case. The signature that is checked is that of Standard Webhooks,
    which covers the event's id and the time of sending: a webhook that was sent more than 5
    minutes ago is refused, so that a recorded one cannot be sent again later. While a
    secret is rotated there is a signature with the old and one with the new secret, of
    which either is enough.

    The same event may arrive more than once: recognise it by its id. now is Unix time in
    seconds, for tests. Anything but a good webhook raises WebhookError; a secret that is not
    one of the service raises ValueError.
    """
    key = _key(secret)
    given = {name.lower(): value for name, value in headers.items()}
    event_id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    signatures = given.get("webhook-signature", "").split()
    if not event_id or not signatures or not _TIMESTAMP.fullmatch(timestamp):
        raise WebhookError("webhook-id, webhook-timestamp or webhook-signature is missing or invalid")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        raise WebhookError("the webhook-timestamp is more than 5 minutes from now")
    want = _standard_signature(key, event_id, timestamp, body)
    if not any([_equal(want, signature) for signature in signatures]):
        raise WebhookError("the webhook has no signature under the secret")
    return parse_event(body)


def verify_drop_signature(secret: str, body: bytes, drop_signature: str) -> bool:
    """Report whether Drop-Signature is that of the body under the secret.

    It does not cover the time, so that a recorded webhook stays good for ever: prefer
    verify_webhook. It is false for any signature if the secret is empty.
    """
    return secret != "" and _equal(_drop_signature(secret, body), drop_signature)


def parse_event(body: bytes | str) -> Event:
    """Parse the body of a webhook, or of an event that the client read; verify nothing."""
    try:
        event = json.loads(body)
    except ValueError as error:
        raise WebhookError("the body is not JSON") from error
    if not (isinstance(event, dict) and event.get("id") and event.get("type")):
        raise WebhookError("the body is not an event: it has no id or no type")
    return cast("Event", event)


def sign_webhook(secret: str, event_id: str, body: bytes, *, now: float | None = None) -> dict[str, str]:
    """Return the headers of a webhook as the service sends them, for tests of receivers."""
    timestamp = str(int(time.time() if now is None else now))
    return {
        "Content-Type": "application/json",
        "Drop-Event-Id": event_id,
        "Drop-Event-Timestamp": timestamp,
        "Drop-Signature": _drop_signature(secret, body),
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": _standard_signature(_key(secret), event_id, timestamp, body),
    }


def new_webhook_secret() -> str:
    """Return a random secret in the form of those of the service, for tests of receivers."""
    return _PREFIX + base64.b64encode(os.urandom(33)).decode()


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(_PREFIX) or not _MIN_KEY <= len(key) <= _MAX_KEY:
        raise ValueError("the webhook secret is not whsec_ and the base64 of 24 to 64 bytes")
    return key


def _standard_signature(key: bytes, event_id: str, timestamp: str, body: bytes) -> str:
    text = _bytes(f"{event_id}.{timestamp}.") + body
    return "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()


def _drop_signature(secret: str, body: bytes) -> str:
    return "v1=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _equal(want: str, got: str) -> bool:
    return hmac.compare_digest(want.encode(), _bytes(got))


def _bytes(text: str) -> bytes:
    """Encode a header, which may hold what is not Unicode; such a header fits no signature."""
    return text.encode("utf-8", "replace")
