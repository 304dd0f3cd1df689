"""Signatures of requests."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Generator

import httpx


def sign_request(secret_key: str, timestamp: str, method: str, path: str, body: bytes = b"") -> str:
    """Return the X-Signature of a request.

    The path is the escaped path as sent, with /v1 and without the query, and the body is
    the bytes as sent.
    """
    text = f"{timestamp}\n{method.upper()}\n{path}\n".encode() + body
    return "v1=" + hmac.new(secret_key.encode(), text, hashlib.sha256).hexdigest()


class SignedAuth(httpx.Auth):
    """Signs the requests of an httpx client, synchronous or asynchronous.

    httpx.AsyncClient(base_url=..., auth=SignedAuth(public_key, secret_key))
    """

    requires_request_body = True

    def __init__(self, public_key: str, secret_key: str) -> None:
        self._public_key, self._secret_key = public_key, secret_key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the three headers of a signed request."""
        timestamp = str(int(time.time()))
        path = request.url.raw_path.partition(b"?")[0].decode("ascii")
        request.headers["X-Api-Key"] = self._public_key
        request.headers["X-Timestamp"] = timestamp
        request.headers["X-Signature"] = sign_request(
            self._secret_key, timestamp, request.method, path, request.content
        )
        yield request
