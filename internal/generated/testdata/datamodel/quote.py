"""Sends one signed request, with the generated models of its body and of the answer."""

import hashlib
import hmac
import sys
import time
from collections.abc import Generator

import httpx

import openapi
import ops  # noqa: F401 - that it can be imported


class Signature(httpx.Auth):
    """Signs requests with a key."""

    requires_request_body = True

    def __init__(self, key: str, secret: str) -> None:
        self.key, self.secret = key, secret

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        timestamp = str(int(time.time()))
        head = f"{timestamp}\n{request.method}\n{request.url.raw_path.decode().partition('?')[0]}\n"
        signature = hmac.new(self.secret.encode(), head.encode() + request.content, hashlib.sha256).hexdigest()
        request.headers.update({"X-Api-Key": self.key, "X-Timestamp": timestamp, "X-Signature": f"v1={signature}"})
        yield request


def place(postal_code: str) -> openapi.QuoteContact:
    return openapi.QuoteContact(address=openapi.QuoteAddress(postal_code=openapi.PostalCode(postal_code), country=openapi.Country.CA))


def main() -> None:
    url, key, secret = sys.argv[1:]
    wanted = openapi.QuoteRequest(
        service_level=openapi.ServiceLevel.standard,
        pickup=place("H2X 1Y4"),
        dropoff=place("M5V 2T6"),
        parcels=[openapi.QuoteParcel(weight_kg=openapi.Weight(1.1))],
    )
    answer = httpx.post(
        url + "/v1/rates/quote",
        content=wanted.model_dump_json(),
        headers={"Content-Type": "application/json"},
        auth=Signature(key, secret),
    )
    quote = openapi.Quote.model_validate_json(answer.content)
    print("quote", quote.service_level, quote.currency)


if __name__ == "__main__":
    main()
