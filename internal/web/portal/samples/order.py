# order.py: python3 order.py
import hashlib
import hmac
import time
import urllib.error
import urllib.request

URL, KEY, SECRET = "%URL%", "%KEY%", "%SECRET%"

ORDER = """%ORDER%"""


def sign(secret_key: str, timestamp: str, method: str, path: str, body: str) -> str:
    text = f"{timestamp}\n{method}\n{path}\n{body}"
    return "v1=" + hmac.new(secret_key.encode(), text.encode(), hashlib.sha256).hexdigest()


now = str(int(time.time()))
headers = {
    "X-Api-Key": KEY,
    "X-Timestamp": now,
    "X-Signature": sign(SECRET, now, "POST", "/v1/orders", ORDER),
    # The same key and body again: the same order, not a second one.
    "Idempotency-Key": "%IDEMPOTENCY_KEY%",
    "Content-Type": "application/json",
}
request = urllib.request.Request(URL + "/v1/orders", ORDER.encode(), headers, method="POST")
try:
    with urllib.request.urlopen(request) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())
