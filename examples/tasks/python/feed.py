"""Follows the events of orders on a machine that webhooks cannot reach."""

import json
import os
import uuid

import dropyard

client = dropyard.Client(os.environ["DROPYARD_URL"], os.environ["DROPYARD_KEY"], os.environ["DROPYARD_SECRET"])
with open("order.json", encoding="utf-8") as file:
    order = json.load(file)

events = client.feed()  # from now on

order["partner_order_id"] = f"A-{uuid.uuid4()}"
created = client.create_order(order)
client.cancel_order(created["order_id"])

for event in events:  # waits for the next one
    print(event["type"], event["data"]["order_id"])
    if event["type"] == "order.cancelled" and event["data"]["order_id"] == created["order_id"]:
        break
