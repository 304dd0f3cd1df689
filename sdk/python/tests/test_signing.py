from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from vectors import VECTORS

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
