"""Cancels an order."""

import json
import uuid

import dropyard

client = dropyard.Client.from_environment()
with open("order.json", encoding="utf-8") as file:
    order = json.load(file)

order["partner_order_id"] = f"A-{uuid.uuid4()}"
created = client.create_order(order)

cancelled = client.cancel_order(created["order_id"], "the customer changed their mind")
print(cancelled["order_id"], cancelled["status"])
