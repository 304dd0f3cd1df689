"""Follows the events of orders on a machine that webhooks cannot reach."""

import json
import uuid

import dropyard

client = dropyard.Client.from_environment()
with open("order.json", encoding="utf-8") as file:
    order = json.load(file)

events = client.feed()  # from now on

order["partner_order_id"] = f"A-{uuid.uuid4()}"
created = client.create_order(order)
client.cancel_order(created["order_id"])

for event in events:  # waits for the next one
    order_id = event["data"].get("order_id")  # a statement, for example, is about no order
    print(event["type"], order_id)
    if event["type"] == "order.cancelled" and order_id == created["order_id"]:
        break
