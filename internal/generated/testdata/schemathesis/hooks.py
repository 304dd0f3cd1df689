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


# How the expectation of a rule begins that a schema can express. A request that fits its schema must not be refused
# because of one. All other rules are about times, what exists, what one member says of another, contents of files,
# and the like.
OF_SCHEMAS = (
    "a Canadian postal code",
    "a JSON object",
    "a name of",
    "a number",
    "a phone number",
    "a single value",
    "a string",
    "a time of day",
    "a value, unless the parameter is left out",
    "an array",
    "an e-mail address",
    "an integer from",
    "an object",
    "one of ",
    "the beginning of a postal code",
    "true or false",
)
# Numbers of more than 64 bits, which few programs can write into a schema.
ALLOWED = "an integer from 1 to 9223372036854775807"
# The other refusals of a request that fits its schema.
CODES = {"email_taken", "idempotency_key_reused", "insufficient_stock", "webhook_not_configured"}


@schemathesis.check
def valid_request_accepted(ctx, response, case):
    """Is positive_data_acceptance, except for rules that no schema can express, and replaces it."""
    if response.status_code == 410:
        return None  # a position that the board has left behind
    if response.status_code not in (400, 422):
        return positive_data_acceptance(ctx, response, case)
    error = response.json()["error"]
    faults = error.get("details", {}).get("errors", [])
    broken = [f for f in faults if f["expected"].startswith(OF_SCHEMAS) and f["expected"] != ALLOWED]
    if error["code"] in CODES or (faults and not broken):
        return None
    try:
        return positive_data_acceptance(ctx, response, case)
    except AssertionError as failure:
        raise AssertionError(f"got {error['code']} {broken}, want what the schema allows to be accepted") from failure
