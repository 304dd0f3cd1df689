from __future__ import annotations

import json
from email.message import Message
from typing import Any

import pytest
from vectors import VECTORS

import dropyard

webhooks = pytest.mark.parametrize("known", VECTORS["webhooks"], ids=lambda known: known["name"])


@webhooks
def test_verify_webhook(known: dict[str, Any]) -> None:
    body = known["body"].encode()
    if known["valid"]:
        event = dropyard.verify_webhook(known["secret"], known["headers"], body, now=known["now"])
        assert event == json.loads(body)
    else:
        with pytest.raises(dropyard.WebhookError):
            dropyard.verify_webhook(known["secret"], known["headers"], body, now=known["now"])


@pytest.mark.parametrize("known", VECTORS["events"], ids=lambda known: known["name"])
def test_verify_drop_signature(known: dict[str, Any]) -> None:
    secret, body, signature = VECTORS["webhook_secret"], known["body"].encode(), known["drop_signature"]
    assert dropyard.verify_drop_signature(secret, body, signature)
    assert not dropyard.verify_drop_signature(secret + "x", body, signature)
    assert not dropyard.verify_drop_signature(secret, body + b" ", signature)
    assert not dropyard.verify_drop_signature(secret, body, signature.removeprefix("v1="))
    assert not dropyard.verify_drop_signature(secret, body, "\udce9" + signature)


def test_empty_secret_accepts_nothing() -> None:
    body = b'{"id":"1","type":"webhook.test"}'
    signed = dropyard.sign_webhook(dropyard.new_webhook_secret(), "1", body)
    assert not dropyard.verify_drop_signature("", body, signed["Drop-Signature"])
    for secret in ("", "whsec_", "whsec_c2hvcnQ=", "whsec_!", "sk_abc"):
        with pytest.raises(ValueError, match="whsec_"):
            dropyard.verify_webhook(secret, signed, body)


def test_headers_of_any_mapping() -> None:
    secret, body = dropyard.new_webhook_secret(), b'{"id":"1","type":"webhook.test"}'
    message: Message[str, str] = Message()
    for name, value in dropyard.sign_webhook(secret, "1", body).items():
        message[name.title()] = value
    assert dropyard.verify_webhook(secret, dict(message), body)["id"] == "1"
    assert dropyard.verify_webhook(secret, message, body)["type"] == "webhook.test"


def test_headers_that_are_not_unicode() -> None:
    secret, body = dropyard.new_webhook_secret(), b"{}"
    headers = {**dropyard.sign_webhook(secret, "1", body), "webhook-id": "\udce9"}
    with pytest.raises(dropyard.WebhookError):
        dropyard.verify_webhook(secret, headers, body)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'{"id":"1"}', b"\xff"])
def test_signed_body_that_is_not_an_event(body: bytes) -> None:
    secret = dropyard.new_webhook_secret()
    with pytest.raises(dropyard.WebhookError, match="the body is not"):
        dropyard.verify_webhook(secret, dropyard.sign_webhook(secret, "1", body), body)
