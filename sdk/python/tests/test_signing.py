from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from vectors import VECTORS, VECTORS_V2

import dropyard

SECRET = VECTORS["secret_key"]
requests = pytest.mark.parametrize("known", VECTORS["requests"], ids=lambda known: known["name"])


@requests
def test_sign_request(known: dict[str, Any]) -> None:
    body = known["body"].encode()
    assert (
        dropyard.sign_request(SECRET, known["timestamp"], known["method"], known["path"], body)
        == known["signature"]
    )


@requests
def test_signed_auth(known: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: float(known["timestamp"]) + 0.9)
    url = "https://dropyard.example" + known["path"] + ("?" + known["query"] if known["query"] else "")
    auth = dropyard.SignedAuth("pk_1", SECRET)

    def receive(request: httpx.Request) -> httpx.Response:
        assert request.headers["X-Api-Key"] == "pk_1"
        assert request.headers["X-Timestamp"] == known["timestamp"]
        assert request.headers["X-Signature"] == known["signature"]
        assert request.content == known["body"].encode()
        return httpx.Response(200)

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.MockTransport(receive), auth=auth) as client:
            return await client.request(known["method"], url, content=known["body"])

    with httpx.Client(transport=httpx.MockTransport(receive), auth=auth) as client:
        assert client.request(known["method"], url, content=known["body"]).is_success
    assert asyncio.run(send()).is_success


requests_v2 = pytest.mark.parametrize("known", VECTORS_V2["requests"], ids=lambda known: known["name"])


def sign_v2(known: dict[str, Any], nonce: str) -> str:
    return dropyard.sign_request_v2(
        VECTORS_V2["secret_key"], known["timestamp"], known["method"], known["path"], known["body"].encode(),
        query=known["query"], idempotency_key=known["idempotency_key"],
        content_type=known["content_type"], nonce=nonce,
    )  # fmt: skip


@requests_v2
def test_sign_request_v2(known: dict[str, Any]) -> None:
    assert sign_v2(known, known["nonce"]) == known["signature"]


@requests_v2
def test_signed_auth_v2(known: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: float(known["timestamp"]))
    nonces = set()

    def receive(request: httpx.Request) -> httpx.Response:
        nonces.add(request.headers["X-Nonce"])
        assert request.headers["X-Signature"] == sign_v2(known, request.headers["X-Nonce"])
        return httpx.Response(200)

    url = "https://dropyard.example" + known["path"] + ("?" + known["query"] if known["query"] else "")
    headers = {"Idempotency-Key": known["idempotency_key"], "Content-Type": known["content_type"]}
    auth = dropyard.SignedAuth("pk_1", VECTORS_V2["secret_key"], "v2")
    with httpx.Client(transport=httpx.MockTransport(receive), auth=auth) as client:
        for _ in range(2):
            sent = {name: value for name, value in headers.items() if value}
            assert client.request(known["method"], url, content=known["body"], headers=sent).is_success
    assert len(nonces) == 2
    assert all(16 <= len(nonce) <= 64 for nonce in nonces)
