"""Signs requests and verifies webhooks with the standard library of Python.

It reads vectors, one JSON object on a line, and prints for each the signature of the request, or
whether the webhook is valid.
"""

import base64
import hashlib
import hmac
import json
import sys


def sign(secret_key: str, timestamp: str, method: str, path: str, body: str) -> str:
    """Return the header X-Signature.

    The timestamp is Unix time in seconds, as in X-Timestamp. The path is as sent, with /v1 and
    without the query, and so is the body; without a body it is empty.
    """
    text = f"{timestamp}\n{method}\n{path}\n{body}"
    return "v1=" + hmac.new(secret_key.encode(), text.encode(), hashlib.sha256).hexdigest()


def verify(secret: str, headers: dict[str, str], body: str, now: int) -> bool:
    """Report whether a webhook was signed with the secret, and at most 5 minutes from now, in Unix seconds.

    The body is as received. While the secret is rotated, the header has two signatures, of which
    one must match.
    """
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(now - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{headers.get('webhook-id', '')}.{timestamp}.{body}"
    want = b"v1," + base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(want, signature.encode()) for signature in given)


for line in sys.stdin.buffer:
    v = json.loads(line)
    if "method" in v:
        print(sign(v["secret_key"], v["timestamp"], v["method"], v["path"], v["body"]))
    else:
        print("valid" if verify(v["secret"], v["headers"], v["body"], v["now"]) else "invalid")
