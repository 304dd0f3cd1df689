"""The JSON objects of the stock; see dropyard.types."""

from __future__ import annotations

from typing import Literal, TypedDict

ProductStatus = Literal["active", "inactive"]
MovementType = Literal["IN", "OUT", "ADJUSTMENT", "TRANSFER"]


class Product(TypedDict):
    """A product that the service stores for the partner."""

    product_id: int
    name: str
    quantity: int  # the sum over all locations
    low_stock: bool
    stock_min: int
    stock_max: int
    price: float  # Canadian dollars, not cents
    status: ProductStatus
    barcode: str  # empty if there is none
    sku: str | None  # your own name of the product
    is_available: bool


class ProductList(TypedDict):
    """A page of products."""

    products: list[Product]
    count: int  # of this page
    total: int  # of all pages
    limit: int
    offset: int


class Movement(TypedDict):
    """A change of stock."""

    movement_id: int
    type: MovementType
    quantity: int  # signed for ADJUSTMENT and TRANSFER
    product_id: int
    product_name: str
    location: str
    date: str


class MovementList(TypedDict):
    """A page of stock movements."""

    movements: list[Movement]
    count: int  # of this page
    limit: int
    offset: int
