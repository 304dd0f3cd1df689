from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any, cast

import httpx
import pytest

import dropyard
from dropyard.types import OrderRequest

ORDER = cast("OrderRequest", {"partner_order_id": "A-1"})
DOCS = "https://dropyard.example/docs/errors/"
Answer = httpx.Response | Exception


class Script:
    """A service that gives the answers of a list, one for each request."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.requests, self.pauses = list(answers), list[httpx.Request](), list[float]()
        self.client = dropyard.Client(
            "https://dropyard.example/",
            "pk_1",
            "sk_1",
            http=httpx.Client(transport=httpx.MockTransport(self.receive)),
        )
        self.client._sleep = self.pauses.append

    def receive(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def keys(self) -> set[str]:
        return {request.headers["Idempotency-Key"] for request in self.requests}


def refusal(status: int, code: str, *, after: int = 0, **details: Any) -> httpx.Response:
    error = {"code": code, "message": "no", "doc_url": DOCS + code, "details": details}
    headers = {"RateLimit": '"partner";r=0;t=9', **({"Retry-After": str(after)} if after else {})}
    return httpx.Response(status, json={"error": error, "request_id": "req_1"}, headers=headers)


def good() -> httpx.Response:
    return httpx.Response(201, json={"order_id": "ord_1"})


@pytest.mark.parametrize(
    ("failures", "pauses"),
    [
        ([], []),
        ([refusal(503, "unavailable")], [1]),
        (
            [httpx.ConnectError("refused"), refusal(500, "internal_error"), refusal(429, "rate_limited")],
            [1, 2, 4],
        ),
        ([refusal(429, "rate_limited", after=9), refusal(409, "idempotency_in_progress")], [9, 2]),
        ([httpx.ReadTimeout("too slow"), httpx.Response(502, text="bad gateway")], [1, 2]),
    ],
)
def test_retries_have_the_same_key(failures: list[Answer], pauses: list[float]) -> None:
    script = Script(*failures, good())
    assert script.client.create_order(ORDER)["order_id"] == "ord_1"
    assert script.pauses == pauses
    assert len(script.keys) == 1
    assert {request.content for request in script.requests} == {b'{"partner_order_id": "A-1"}'}


def test_given_key() -> None:
    script = Script(good())
    script.client.cancel_order("ord_1", "late", idempotency_key="5f0c9f4e-2f4a-4f0e-8c59-0f8a3b1c9d11")
    assert script.keys == {"5f0c9f4e-2f4a-4f0e-8c59-0f8a3b1c9d11"}


def test_fourth_failure_is_raised() -> None:
    script = Script(*(refusal(503, "unavailable") for _ in range(4)))
    with pytest.raises(dropyard.APIError, match="503 unavailable: no"):
        script.client.create_order(ORDER)
    assert script.pauses == [1, 2, 4]


@pytest.mark.parametrize(
    "failure",
    [
        refusal(422, "validation_error"),
        refusal(409, "conflict"),
        refusal(401, "unauthorized"),
        refusal(429, "quota_exceeded", after=3600),
    ],
)
def test_refusals_that_are_final(failure: httpx.Response) -> None:
    script = Script(failure)
    with pytest.raises(dropyard.APIError) as caught:
        script.client.create_order(ORDER)
    assert (caught.value.request_id, script.pauses) == ("req_1", [])


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "not_found", dropyard.NotFoundError),
        (409, "conflict", dropyard.ConflictError),
        (422, "validation_error", dropyard.ValidationError),
        (422, "insufficient_stock", dropyard.InsufficientStockError),
        (429, "rate_limited", dropyard.RateLimitedError),
        (503, "unavailable", dropyard.UnavailableError),
        (422, "of_a_later_version", dropyard.APIError),
    ],
)
def test_errors_have_classes(status: int, code: str, kind: type[dropyard.APIError]) -> None:
    script = Script(*(refusal(status, code) for _ in range(4)))
    with pytest.raises(dropyard.APIError) as caught:
        script.client.create_order(ORDER)
    error = caught.value
    assert type(error) is kind
    assert (error.status, error.code, error.doc_url) == (status, code, DOCS + code)
    assert error.headers["RateLimit"] == '"partner";r=0;t=9'


def test_responses() -> None:
    script = Script(refusal(503, "unavailable"), good(), good(), httpx.ConnectError("refused"), good())
    with dropyard.responses() as outer:
        script.client.create_order(ORDER)
        with dropyard.responses() as inner:
            script.client.create_order(ORDER)
    script.client.create_order(ORDER)
    assert [response.status_code for response in outer] == [503, 201, 201]
    assert [response.status_code for response in inner] == [201]
    assert outer[0].headers["RateLimit"] == '"partner";r=0;t=9'


def test_user_agent() -> None:
    script = Script(
        good(), good(), httpx.Response(200, json={}, headers={"Set-Cookie": "dropyard_session=x"}), good()
    )
    script.client.get_order("ord_1")
    script.client.user_agent = "shop/7"
    script.client.get_order("ord_1")
    script.client.login("shop@example.com", "seven maple trees").get_me()
    agents = [request.headers["User-Agent"] for request in script.requests]
    assert agents == [f"dropyard-python/{dropyard.__version__}", "shop/7", "shop/7", "shop/7"]


def test_registration_is_repeated_after_429_only() -> None:
    script = Script(refusal(429, "rate_limited"), refusal(503, "unavailable"))
    with pytest.raises(dropyard.APIError, match="503"):
        script.client.register("Shop", "shop@example.com", "seven maple trees")
    assert script.pauses == [1]
    script = Script(httpx.ConnectError("refused"))
    with pytest.raises(dropyard.NoAnswerError, match="POST /v1/auth/register: refused") as caught:
        script.client.register("Shop", "shop@example.com", "seven maple trees")
    assert isinstance(caught.value.__cause__, httpx.ConnectError)


def test_error_of_a_proxy() -> None:
    script = Script(httpx.Response(403, text="<html>", headers={"X-Request-Id": "p-1"}))
    with pytest.raises(dropyard.APIError, match=r"^403 Forbidden \[request p-1\]$") as caught:
        script.client.get_order("ord_1")
    assert (caught.value.code, caught.value.details, caught.value.problems) == ("", {}, [])


def test_error_of_fields() -> None:
    problem = {"field": "parcels[0].weight_kg", "value": 71, "expected": "0.01 to 70"}
    script = Script(refusal(422, "validation_error", errors=[problem]))
    with pytest.raises(dropyard.APIError) as caught:
        script.client.create_order(ORDER)
    assert caught.value.fields == {"parcels[0].weight_kg": "0.01 to 70"}
    assert str(caught.value) == (
        "422 validation_error: no (parcels[0].weight_kg: 0.01 to 70) [request req_1]"
    )


def test_success_that_is_not_the_services() -> None:
    script = Script(httpx.Response(200, text="<html>"))
    with pytest.raises(dropyard.NoAnswerError):
        script.client.get_order("ord_1")


@pytest.mark.parametrize(
    ("call", "target"),
    [
        (lambda c: c.get_order("a b/c?d"), "/v1/orders/a%20b%2Fc%3Fd"),
        (lambda c: c.get_label("é"), "/v1/orders/%C3%A9/label"),
        (lambda c: c.get_labels(["a", "b"], dpi=300), "/v1/labels?order_id=a&order_id=b&dpi=300"),
        (
            lambda c: c.list_orders(
                created_from=datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=-5)))
            ),
            "/v1/orders?created_from=2026-03-01T14%3A00%3A00Z",
        ),
        (lambda c: c.list_products(search="a&b"), "/v1/inventory/products?search=a%26b"),
    ],
)
def test_target(call: Callable[[dropyard.Client], object], target: str) -> None:
    script = Script(httpx.Response(200, json={}))
    call(script.client)
    assert script.requests[0].url.raw_path.decode() == target


def test_iterators_take_the_filters_of_lists() -> None:
    script = Script(httpx.Response(200, json={"orders": []}))
    assert list(script.client.orders(search="a&b", partner_order_id="A-1")) == []
    assert script.requests[0].url.raw_path.decode() == "/v1/orders?partner_order_id=A-1&search=a%26b"


def test_a_fault_is_said_once() -> None:
    def refused(*fields: str) -> str:
        faults = [{"field": field, "expected": "a number"} for field in fields]
        message = f"{fields[0]}: expected a number" + (f" (and {len(fields) - 1} more)" if fields[1:] else "")
        error = {"code": "validation_error", "message": message, "details": {"errors": faults}}
        with pytest.raises(dropyard.ValidationError) as caught:
            Script(httpx.Response(422, json={"error": error})).client.get_order("ord_1")
        return str(caught.value)

    assert refused("a") == "422 validation_error: a: expected a number"
    assert refused("a", "b").endswith("a: expected a number (and 1 more) (a: a number; b: a number)")


@pytest.mark.parametrize("order_id", ["", ".", ".."])
def test_ids_that_lead_elsewhere(order_id: str) -> None:
    with pytest.raises(ValueError, match="cannot exist"):
        Script().client.get_order(order_id)


def test_times_need_a_zone() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        Script().client.list_orders(created_from=datetime(2026, 3, 1))


def test_movements_are_not_repeated() -> None:
    answers = [
        {"movements": [{"movement_id": i} for i in ids], "count": len(ids), "limit": 2}
        for ids in ([5, 4], [4, 3], [2])
    ]
    script = Script(*(httpx.Response(200, json=answer) for answer in answers))
    assert [movement["movement_id"] for movement in script.client.movements()] == [5, 4, 3, 2]
    assert [request.url.query.decode() for request in script.requests] == ["offset=0", "offset=2", "offset=4"]


def pages(name: str, *pages: list[int], **more: Any) -> list[httpx.Response]:
    answers = [{name: page, "count": len(page), "limit": 2, **more} for page in pages]
    for i in range(len(answers) - 1):
        answers[i]["next_cursor"] = str(i + 1)
    return [httpx.Response(200, json=answer) for answer in answers]


@pytest.mark.parametrize(
    ("name", "answers", "asked"),
    [
        ("orders", pages("orders", [1, 2], [3]), ["", "cursor=1"]),
        ("orders", pages("orders", []), [""]),
        ("events", pages("events", [1, 2], [3, 4], []), ["", "cursor=1", "cursor=2"]),
        ("logs", pages("logs", [1, 2], [3]), ["", "cursor=1"]),
        ("products", pages("products", [1, 2], [3], total=3), ["offset=0", "offset=2"]),
        ("products", pages("products", [], total=0), ["offset=0"]),
    ],
)
def test_iterators(name: str, answers: list[httpx.Response], asked: list[str]) -> None:
    want = [element for answer in answers for element in answer.json()[name]]
    script = Script(*answers)
    assert list(getattr(script.client, name)()) == want
    assert [request.url.query.decode() for request in script.requests] == asked


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8080",
        "dropyard.example",
        "",
        "ftp://dropyard.example",
        "https://",
        "http://[::1",
        "https://a/?b=1",
        "//a",
    ],
)
def test_addresses_without_http_are_refused_at_once(address: str) -> None:
    with pytest.raises(ValueError, match="is not an address such as https://dropyard.example"):
        dropyard.Client(address, "pk_1", "sk_1")


@pytest.mark.parametrize(
    ("public_key", "secret_key"), [("", "sk_1"), ("pk_1", ""), ("pk_…", "sk_1"), ("pk_1", "sk_1\n")]
)
def test_what_cannot_be_a_key_is_refused_at_once(public_key: str, secret_key: str) -> None:
    with pytest.raises(ValueError, match="_key: empty, or not a key as create_api_key returns it"):
        dropyard.Client("https://dropyard.example", public_key, secret_key)


def test_a_client_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DROPYARD_URL", "https://dropyard.example/")
    monkeypatch.setenv("DROPYARD_KEY", "pk_1")
    monkeypatch.setenv("DROPYARD_SECRET", "sk_1")
    client = dropyard.Client.from_environment(user_agent="shop/7")
    assert (client.base_url, client.user_agent) == ("https://dropyard.example", "shop/7")
    monkeypatch.delenv("DROPYARD_URL")
    monkeypatch.setenv("DROPYARD_SECRET", "")
    with pytest.raises(ValueError, match="^not set in the environment: DROPYARD_URL, DROPYARD_SECRET$"):
        dropyard.Client.from_environment()


def test_addresses_may_have_a_path() -> None:
    assert dropyard.Service("http://localhost:8080/sub/").base_url == "http://localhost:8080/sub"
