"""Signatures of requests."""

from __future__ import annotations

import hashlib
import hmac
import time
import uuid
from collections.abc import Generator
from typing import Literal

import httpx


def sign_request(secret_key: str, timestamp: str, method: str, path: str, body: bytes = b"") -> str:
    """Return the X-Signature of a request.

    The path is the escaped path as sent, with /v1 and without the query, and the body is
    the bytes as sent.
    """
    text = f"{timestamp}\n{method.upper()}\n{path}\n".encode() + body
    return "v1=" + hmac.new(secret_key.encode(), text, hashlib.sha256).hexdigest()


def sign_request_v2(
    secret_key: str,
    timestamp: str,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    query: str = "",
    idempotency_key: str = "",
    content_type: str = "",
    nonce: str = "",
) -> str:
    """Return the X-Signature of version 2 of a request.

    The query is without the question mark, and the headers are as sent; what the request
    does not have is empty. The nonce is 16 to 64 visible characters, in X-Nonce.
    """
    lines = (timestamp, method.upper(), path, query, idempotency_key, content_type, nonce)
    text = "".join(line + "\n" for line in lines).encode() + body
    return "v2=" + hmac.new(secret_key.encode(), text, hashlib.sha256).hexdigest()


SignatureVersion = Literal["v1", "v2"]


class SignedAuth(httpx.Auth):
    """Signs the requests of an httpx client, synchronous or asynchronous.

    httpx.AsyncClient(base_url=..., auth=SignedAuth(public_key, secret_key))

    Version 2 also covers the query, the Idempotency-Key and the Content-Type, and each
    change is accepted once. Every key accepts it, and some require it.
    """

    requires_request_body = True

    def __init__(self, public_key: str, secret_key: str, signatures: SignatureVersion = "v1") -> None:
        self._public_key, self._secret_key, self._signatures = public_key, secret_key, signatures

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the headers of a signed request."""
        timestamp = str(int(time.time()))
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        request.headers["X-Api-Key"] = self._public_key
        request.headers["X-Timestamp"] = timestamp
        if self._signatures == "v1":
            request.headers["X-Signature"] = sign_request(
                self._secret_key, timestamp, request.method, path, request.content
            )
        else:
            request.headers["X-Nonce"] = nonce = uuid.uuid4().hex
            request.headers["X-Signature"] = sign_request_v2(
                self._secret_key, timestamp, request.method, path, request.content,
                query=query, nonce=nonce,
                idempotency_key=request.headers.get("Idempotency-Key", ""),
                content_type=request.headers.get("Content-Type", ""),
            )  # fmt: skip
        yield request
