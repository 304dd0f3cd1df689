"""A service for tests, whose address is in DROPYARD_TEST_URL.

DROPYARD_TEST_OPERATOR_EMAIL and DROPYARD_TEST_OPERATOR_PASSWORD are those of an operator. The service must
have --webhook-allow-insecure, and must not have --simulate.
"""

from __future__ import annotations

import os
from typing import Any

import httpx
import pytest

URL = os.environ.get("DROPYARD_TEST_URL", "")
needs_service = pytest.mark.skipif(not URL, reason="DROPYARD_TEST_URL is not set")


class Operator:
    """Moves orders, as the people of the service do."""

    def __init__(self) -> None:
        self._http = httpx.Client(base_url=URL)
        token = self.post(
            "/ops/v1/tokens",
            email=os.environ["DROPYARD_TEST_OPERATOR_EMAIL"],
            password=os.environ["DROPYARD_TEST_OPERATOR_PASSWORD"],
            name="python",
        )
        self._http.headers["Authorization"] = "Bearer " + token["token"]

    def post(self, path: str, **body: Any) -> Any:
        return self._http.post(path, json=body).raise_for_status().json()

    def stock(self, partner_id: str, name: str, quantity: int) -> int:
        path = f"/ops/v1/partners/{partner_id}"
        product = self.post(path + "/products", name=name, price=12.99, stock_min=5, stock_max=100)
        product_id: int = product["product_id"]
        self.post(path + "/movements", type="IN", product_id=product_id, quantity=quantity, location="MTL-1")
        return product_id

    def move(self, order_id: str, *statuses: str) -> None:
        courier = self.post(
            "/ops/v1/couriers", name="Camille", phone="+15145550177", vehicle="bike", active=True
        )
        for status in statuses:
            self.post(f"/ops/v1/orders/{order_id}/status", status=status, courier_id=courier["courier_id"])

    def close(self) -> None:
        self._http.close()
