"""Compares the types and methods with the OpenAPI document of a service, in both directions."""

from __future__ import annotations

import inspect
import json
import re
import types
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from live import URL, needs_service

import dropyard
from dropyard import errors, events, stock
from dropyard import types as t

# Types by schemas of another name. None is for requests whose members are arguments of methods.
TYPES: dict[str, str | None] = {
    "AssignedCourier": None,  # of the details of errors
    "BatchRequest": None,
    "CancelRequest": None,
    "CancellationWanted": None,
    "CancelledOrder": "Order",
    "ChangedBy": None,  # likewise
    "CourierRecord": "Courier",
    "CreateAPIKeyRequest": None,
    "CreatedOrder": "Order",
    "Event": "EventRecord",
    "HistoryEntry": "StatusChange",
    "ItemRecord": "Item",
    "ListedAPIKey": "APIKey",
    "LoginRequest": None,
    "MoneyRecord": "Money",
    "OptionalMoney": "Money",
    "RecordedCollected": "Collected",
    "RedeliverRequest": None,
    "RegisterRequest": None,
    "RegisteredPartner": "Partner",
    "ReturnRecord": "OrderReturn",
    "Status": "OrderStatus",
    "TestEvent": "WebhookTestEvent",
    "Warning": "OrderWarning",
    "WebhookEndpointRequest": None,
    "WebhookEndpointWithSecret": "WebhookEndpoint",
}
# What people do on pages has neither methods nor types: passwords, second factors, and who else has access.
PAGES = {"Sign-in", "Profile", "Team"}
OF_ERRORS = re.compile("(Error|ErrorDetail|Body|Details)$")  # details are a dictionary

# Methods by operations of another name. None means that another operation does the same.
METHODS: dict[str, str | None] = {
    "chooseMail": None,  # on a page
    "createAPIKey": "create_api_key",
    "createOrderBatch": "create_orders",
    "followEvents": "read_feed",
    "getAsyncAPI": None,  # of other programs
    "getLinkedLabel": None,  # at the address of create_label_link
    "getOpenAPI": None,
    "getOpenAPI30": None,
    "getOpenAPIAsJSON": "get_openapi",
    "listAPIKeys": "list_api_keys",
    "logout": None,
    "logoutByPost": "logout",
    "putWebhookEndpoint": "set_webhook_endpoint",
    "registerPartner": "register",
    "revokeAPIKey": "revoke_api_key",
    "showMailChoice": None,
}
VERBS = {"get", "post", "put", "patch", "delete"}
KINDS = {"string": str, "integer": int, "number": float, "boolean": bool, "null": types.NoneType}
NAMESPACE = {**vars(t), **vars(events), **vars(stock), **vars(errors)}


class Comparison:
    def __init__(self, document: dict[str, Any]) -> None:
        self.document, self.faults = document, list[str]()
        self.members: dict[Any, set[str]] = defaultdict(set)  # of TypedDicts, that the document has

    def resolve(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        for part in schema.get("allOf", []):
            schema = {**self.resolve(part), **schema}
        return schema

    def compare(self, place: str, schema: dict[str, Any], kind: Any) -> None:
        schema = self.resolve(schema)
        options = [self.resolve(option) for option in schema.get("anyOf", schema.get("oneOf", []))]
        kinds = [k for k in _flat(kind) if k is not types.NoneType]
        nullable = schema.get("type") == "null" or "null" in _list(schema.get("type"))
        nullable = nullable or any(option.get("type") == "null" for option in options)
        if nullable != (types.NoneType in _flat(kind)) and schema.get("type") != ["object", "null"]:
            self.faults.append(f"{place}: the document allows null = {nullable}, which {kind} does not match")
        for option in options or [schema]:
            if option.get("type") != "null":
                self.compare_option(place, option, kinds)

    def compare_option(self, place: str, schema: dict[str, Any], kinds: list[Any]) -> None:
        words = set(schema.get("enum", [])) | ({schema["const"]} if "const" in schema else set())
        literals = {word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)}
        name = next((n for n in _list(schema.get("type")) if n != "null"), "")
        if literals:
            if not words <= literals or (len(words) > 1 and words != literals):
                self.faults.append(f"{place}: the document has {words}, the type {literals}")
        elif name == "array":
            self.compare(place + "[]", schema["items"], get_args(kinds[0])[0])
        elif "properties" in schema and is_typeddict(kinds[0]):
            self.compare_members(place, schema, kinds[0])
        elif name in KINDS and KINDS[name] not in kinds:
            self.faults.append(f"{place}: the document has {name}, the type {kinds}")

    def compare_members(self, place: str, schema: dict[str, Any], kind: Any) -> None:
        required, hints = set(schema.get("required", [])), get_type_hints(kind, NAMESPACE)
        if not kind.__required_keys__ <= required:
            self.faults.append(f"{place}: {kind.__required_keys__ - required} is optional in the document")
        if place.endswith("Request") and kind.__required_keys__ != required:
            self.faults.append(f"{place}: {required - kind.__required_keys__} is required in the document")
        for name, member in schema["properties"].items():
            self.members[kind].add(name)
            if name in hints:
                self.compare(f"{place}.{name}", member, hints[name])
            else:
                self.faults.append(f"{place}: {kind.__name__} lacks {name}")


def _flat(kind: Any) -> list[Any]:
    return list(get_args(kind)) if get_origin(kind) in (Union, types.UnionType) else [kind]


def _list(kind: Any) -> list[str]:
    return kind if isinstance(kind, list) else [kind]


def read_document() -> dict[str, Any]:
    with dropyard.Service(URL) as service:
        return service.get_openapi()


@needs_service
def test_types() -> None:
    comparison = Comparison(read_document())
    for name, schema in _schemas(comparison.document):
        kind = TYPES.get(name, name)
        if kind is None or OF_ERRORS.search(name):
            continue
        if kind in NAMESPACE:
            comparison.compare(name, {k: v for k, v in schema.items() if k != "oneOf"}, NAMESPACE[kind])
        elif "properties" in schema:
            comparison.faults.append(f"{name}: no type {kind}")
    for kind, names in comparison.members.items():
        if more := set(get_type_hints(kind, NAMESPACE)) - names:
            comparison.faults.append(f"{kind.__name__}: the document lacks {more}")
    assert not comparison.faults, "\n".join(comparison.faults)
    assert len(comparison.members) > 50


@needs_service
def test_methods() -> None:
    document = read_document()
    faults = []
    for item in document["paths"].values():
        for verb in item.keys() & VERBS:
            if PAGES & set(item[verb]["tags"]):
                continue
            operation = item[verb]["operationId"]
            name = METHODS.get(operation, re.sub("([A-Z])", r"_\1", operation).lower())
            if name is None:
                continue
            method = getattr(dropyard.Client, name, None) or getattr(dropyard.Session, name, None)
            if method is None:
                faults.append(f"{operation}: no method {name}")
                continue
            query = _query(document, item, verb)
            taken = {name.rstrip("_") for name in inspect.signature(method).parameters}  # from_ is from
            taken |= {name.removesuffix("s") for name in taken}  # order_ids has each order_id
            # A key has its mode, and get_figures reads JSON, not a file for a spreadsheet.
            if missing := query - taken - {"lang", "mode", "bom", "separator"}:
                faults.append(f"{operation}: {name} lacks {missing}")
    assert faults == []


@needs_service
def test_errors_have_classes() -> None:
    detail = read_document()["components"]["schemas"]["ErrorDetail"]
    of_operators = {"invalid_transition", "gone", "sku_taken"}
    codes = set(detail["discriminator"]["mapping"]) - of_operators
    assert set(errors._BY_CODE) == codes
    for code, kind in errors._BY_CODE.items():
        assert kind.__name__ == code.title().replace("_", "").removesuffix("Error") + "Error"
        assert getattr(dropyard, kind.__name__) is kind


def _schemas(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the schemas that the methods and webhooks need, directly or through others."""
    operations = [item[verb] for item in document["paths"].values() for verb in item.keys() & VERBS]
    todo = [operation for operation in operations if not PAGES & set(operation["tags"])]
    todo, seen = [*todo, document["webhooks"]], set[str]()
    while todo:
        for reference in re.findall(r"#/components/(\w+/[\w-]+)", json.dumps(todo.pop())):
            kind, _, name = reference.partition("/")
            if reference not in seen:
                seen.add(reference)
                todo.append(document["components"][kind][name])
                if kind == "schemas":
                    yield name, document["components"][kind][name]


def _query(document: dict[str, Any], item: dict[str, Any], verb: str) -> set[str]:
    parameters = item.get("parameters", []) + item[verb].get("parameters", [])
    shared = document["components"]["parameters"]
    resolved = [shared[p["$ref"].rpartition("/")[2]] if "$ref" in p else p for p in parameters]
    return {parameter["name"] for parameter in resolved if parameter["in"] == "query"}
