"""What schemathesis cannot find in the OpenAPI documents.

That is how to sign, which objects exist, and the rules that no schema can express. world.json has credentials and
ids of the service.
"""

import hashlib
import hmac
import json
import random
import time
from datetime import datetime
from pathlib import Path

import requests
import schemathesis
from hypothesis import strategies
from schemathesis.specs.openapi.checks import positive_data_acceptance

WORLD = json.loads(Path("world.json").read_text())
CHOICE = random.Random(1)


class Signature(requests.auth.AuthBase):
    """Signs a request as section 5.1 of the interface says."""

    def __call__(self, request):
        timestamp = str(int(time.time()))
        path = request.path_url.partition("?")[0]
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        text = f"{timestamp}\n{request.method}\n{path}\n".encode() + body
        digest = hmac.new(WORLD["secret_key"].encode(), text, hashlib.sha256).hexdigest()
        request.headers["X-Api-Key"] = WORLD["public_key"]
        request.headers["X-Timestamp"] = timestamp
        request.headers["X-Signature"] = "v1=" + digest
        return request


@schemathesis.auth(refresh_interval=None)
class Credentials:
    """The first credentials that the document lists for the operation; in ops.yaml the token by default."""

    def get(self, case, context):
        if case.operation.path.endswith("/logout"):
            return None  # it would end the session of this run
        security = context.operation.definition.raw.get("security", [{"token": []}])
        return next(iter(security[0]), None) if security else None

    def set(self, case, scheme, context):
        if scheme == "signedKey":
            case._auth = Signature()
        elif scheme == "token":
            case.headers["Authorization"] = "Bearer " + WORLD["token"]
        elif scheme == "session":
            name = "dropyard_ops_session" if case.operation.path.startswith("/ops/") else "dropyard_session"
            case.cookies[name] = WORLD[name]


@schemathesis.hook
def before_call(context, case, kwargs):
    # Each request has an address of its own, so that failed logins are not throttled by address.
    case.headers["X-Forwarded-For"] = f"198.18.{CHOICE.randrange(256)}.{CHOICE.randrange(1, 255)}"
    for name, value in case.path_parameters.items():
        # Ids that fit the schema seldom exist.
        if case.meta and case.meta.generation.mode.is_positive and case.meta.phase.name != "stateful":
            if name in WORLD["ids"] and CHOICE.random() < 0.8:
                case.path_parameters[name] = CHOICE.choice(WORLD["ids"][name])
        # The credentials of this run must survive it.
        if value in WORLD["own"]:
            case.path_parameters[name] = "removed"
    # Rules for signing in would shut the operator of this run out, who has no second factor.
    if case.operation.path == "/ops/v1/sign-in-rules" and isinstance(case.body, dict):
        case.body["totp_required"] = {"operators": [], "users": []}
    # These parameters count as absent when they are empty.
    for name in ("status", "search", "product_id", "limit", "offset"):
        if case.query.get(name) in ("", [], {}):
            del case.query[name]
    # Most of these requests wait for an event in vain.
    if case.operation.path == "/v1/webhooks/feed" and str(case.query.get("wait")) in map(str, range(1, 21)):
        case.query["wait"] = 1


# date-time has no bounds in a schema; the service takes times from 1970 on.
schemathesis.openapi.format(
    "date-time",
    strategies.datetimes(datetime(1971, 1, 1), datetime(9998, 1, 1)).map(lambda at: at.isoformat() + "Z"),
)


@schemathesis.hook
def map_body(context, body):
    # Half of all time windows would end before they begin.
    for end in (body.get("pickup"), body.get("dropoff")) if isinstance(body, dict) else ():
        window = end.get("time_window") if isinstance(end, dict) else None
        if isinstance(window, dict) and all(isinstance(window.get(name), str) for name in ("start", "end")):
            window["start"], window["end"] = sorted([window["start"], window["end"]])
    return body


# What no schema can express: the codes of refusals that a request gets although it fits its schema, and how what
# was expected begins.
CODES = {"email_taken", "idempotency_key_reused", "insufficient_stock", "webhook_not_configured"}
EXPECTED = (
    # times
    "a quote that is still valid",
    "a time after start",
    "a time that is not in the past, or no value",
    "a time within the last 7 days",
    "an RFC 3339 date-time with offset",  # from 1970 on; date-time has no bounds
    "the same time as effective_from beside the card",
    # what one member says of another
    "a location other than location",
    "a partner, if status is",
    "a product that is in no other line",
    "a quote for the same service level",
    "a version other than that of the built-in card",
    "an identifier that no other parcel of the order has",
    "an integer not less than stock_min",
    "as many versions as order_ids",
    "no reason unless suspended is true",
    "no value together with",
    "no value, if ",
    "nothing, unless ",
    "one value only, if it is delivered or cancelled",
    # what exists
    "a courier that exists",
    "a quantity that keeps the product's stock",
    "a quote_id that was issued to this partner",
    "a rate card that exists",
    "a service level offered in",
    "the courier that the operator is, with the role courier",
    "the current password",
    "the id of a courier",
    "the id of an active",
    "the id of one of the partner's products",
    "the name of rate cards that were uploaded",
    "the next_cursor of an earlier response",
    # numbers of more than 64 bits, which few programs can write into a schema
    "an integer from 1 to 9223372036854775807",
    # pictures, common passwords, and addresses in networks
    "a JPEG",
    "a PNG, JPEG or WebP picture",
    "a complete picture",
    "a password of ",
    "a URL whose ",  # host is public, port is allowed
    "an http or https URL",
)


@schemathesis.check
def valid_request_accepted(ctx, response, case):
    """Is positive_data_acceptance without the refusals above, and replaces it."""
    if response.status_code not in (400, 422):
        return positive_data_acceptance(ctx, response, case)
    error = response.json()["error"]
    faults = error.get("details", {}).get("errors", [])
    if error["code"] in CODES or (faults and all(fault["expected"].startswith(EXPECTED) for fault in faults)):
        return None
    try:
        return positive_data_acceptance(ctx, response, case)
    except AssertionError as failure:
        others = [fault for fault in faults if not fault["expected"].startswith(EXPECTED)]
        raise AssertionError(f"got {error['code']}: {others}, want an answer that fits the schema's promise") from failure
