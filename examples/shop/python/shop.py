"""A small shop: a quote, an order from stock, its label, a refusal, a cancellation, and a webhook.

The README above this folder says how to run it.
"""

import json
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

import dropyard

shop = dropyard.Client.from_environment()


class Receiver(BaseHTTPRequestHandler):
    """Verifies each event before it is used."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = dropyard.verify_webhook(endpoint["secret"], self.headers, body)
        except dropyard.WebhookError:
            self.send_error(401)
            return
        self.send_response(200)
        self.end_headers()
        events.append(event)  # in production, store it under its id

    def log_message(self, *arguments):
        pass


# An endpoint in place of the one before, with a new secret. In production it is behind https.
events = []
receiver = HTTPServer(("127.0.0.1", 0), Receiver)
try:
    shop.delete_webhook_endpoint()
except dropyard.APIError as error:
    if error.code != "not_found":
        raise
endpoint = shop.set_webhook_endpoint(f"http://127.0.0.1:{receiver.server_port}/hooks")

with open("order.json", encoding="utf-8") as file:
    order = {**json.load(file), "partner_order_id": str(uuid.uuid4())}

quote = shop.create_quote({name: order[name] for name in ("service_level", "pickup", "dropoff", "parcels")})
print(f"{quote['rate_cents'] / 100:.2f} {quote['currency']}, by {quote['estimated_delivery']}")

created = shop.create_order({**order, "quote_id": quote["quote_id"]})  # at this price
item = created["items"][0]
print(f"ordered {created['order_id']}: {item['quantity']} x {item['name']}")

with open("label.pdf", "wb") as file:
    file.write(shop.get_label(created["order_id"]))
print("wrote label.pdf")

try:
    shop.create_order({**order, "partner_order_id": str(uuid.uuid4()), "parcels": []})
except dropyard.APIError as error:
    for field, expected in error.fields.items():
        print(f"refused: {field}: {expected}")

shop.cancel_order(created["order_id"], "the customer changed their mind")
print("cancelled", created["order_id"])

while not events or events[-1]["type"] != "order.cancelled":  # others may come first
    receiver.handle_request()
print("received order.cancelled of", events[-1]["data"]["order_id"])
