"""Creates an order, and repeats the call as after a crash."""

import json
import uuid

import dropyard

client = dropyard.Client.from_environment()
with open("order.json", encoding="utf-8") as file:
    order = json.load(file)

order["partner_order_id"] = f"A-{uuid.uuid4()}"  # your own number of the order, used once
key = str(uuid.uuid4())  # store it with your order before the call

created = client.create_order(order, idempotency_key=key)
print("created", created["order_id"], created["status"])
again = client.create_order(order, idempotency_key=key)
print("again", again["order_id"])
