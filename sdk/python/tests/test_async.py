"""The asynchronous client, from which generate.py makes the other one."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import uuid
from pathlib import Path

import httpx
import pytest
from live import URL, needs_service
from test_feed import entry, forbidden, page
from test_live import order
from test_retries import ORDER, Answer, good, pages, refusal

import dropyard


class Script:
    """A service that gives the answers of a list, one for each request."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.requests, self.pauses = list(answers), list[httpx.Request](), list[float]()
        self.client = dropyard.AsyncClient(
            "https://dropyard.example/",
            "pk_1",
            "sk_1",
            http=httpx.AsyncClient(transport=httpx.MockTransport(self.receive)),
        )
        self.client._sleep = self.sleep

    async def receive(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


def test_retries_have_the_same_key() -> None:
    script = Script(httpx.ConnectError("refused"), refusal(429, "rate_limited", after=9), good())
    assert asyncio.run(script.client.create_order(ORDER))["order_id"] == "ord_1"
    assert script.pauses == [1, 9]
    assert len({request.headers["Idempotency-Key"] for request in script.requests}) == 1
    assert all(request.headers["X-Signature"].startswith("v1=") for request in script.requests)


def test_responses_of_tasks() -> None:
    script = Script(good(), good(), good())

    async def run() -> list[int]:
        with dropyard.responses() as received:
            await asyncio.gather(script.client.get_order("ord_1"), script.client.get_order("ord_2"))
        await script.client.get_order("ord_3")
        return [response.status_code for response in received]

    assert asyncio.run(run()) == [201, 201]


def test_errors() -> None:
    script = Script(refusal(404, "not_found"), *[httpx.ReadTimeout("too slow")] * 4)
    with pytest.raises(dropyard.NotFoundError):
        asyncio.run(script.client.get_order("ord_1"))
    with pytest.raises(dropyard.NoAnswerError, match="GET /v1/orders/ord_1: too slow"):
        asyncio.run(script.client.get_order("ord_1"))
    assert script.pauses == [1, 2, 4]


def test_iterators() -> None:
    script = Script(*pages("orders", [1, 2], [3]), *pages("logs", [4, 5], [6]))

    async def run() -> list[object]:
        return [
            *[one async for one in script.client.orders()],
            *[one async for one in script.client.logs()],
        ]

    assert asyncio.run(run()) == [1, 2, 3, 4, 5, 6]


def test_feed() -> None:
    script = Script(page(0), httpx.ConnectError("lost"), page(10, entry(10, "a", 1)), forbidden())

    async def run() -> list[str]:
        return [event["type"] async for event in await script.client.feed()]

    with pytest.raises(dropyard.ForbiddenError):
        asyncio.run(run())
    assert len(script.requests) == 4


def test_the_synchronous_client_is_made_from_it() -> None:
    generate = Path(__file__).parent.parent / "generate.py"
    made = subprocess.run([sys.executable, str(generate), "--check"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    for name in ("Service", "Session", "Client", "Feed"):
        methods = [set(_methods(getattr(dropyard, prefix + name))) for prefix in ("", "Async")]
        assert methods[0] - {"close"} == methods[1] - {"aclose"}


def _methods(kind: type) -> list[str]:
    return [name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")]


@needs_service
def test_against_a_service() -> None:
    async def run() -> None:
        email, password = f"{uuid.uuid4()}@example.com", "brume-et-vent-1907"
        async with dropyard.AsyncService(URL) as service:
            await service.register("Épicerie", email, password)
            session = await service.login(email, password)
            key = await session.create_api_key("tests")
        async with dropyard.AsyncClient(URL, key["public_key"], key["secret_key"]) as client:
            feed = await client.feed()
            with dropyard.responses() as received:
                created = await client.create_order(order("A-1"))
            assert received[0].headers["X-Request-Id"]
            assert [one["order_id"] async for one in client.orders()] == [created["order_id"]]
            assert all([one["path"].startswith("/v1/") async for one in client.logs(limit=1)])
            with pytest.raises(dropyard.ConflictError) as caught:
                await client.create_order(order("A-1"))
            assert caught.value.doc_url.endswith("/docs/errors/conflict")
            await client.cancel_order(created["order_id"])
            async for event in feed:
                assert event["type"] == "order.cancelled"
                break

    asyncio.run(run())
