"""Creates an order of goods from stock."""

import json
import uuid

import dropyard

client = dropyard.Client.from_environment()
with open("order.json", encoding="utf-8") as file:
    order = json.load(file)

order["partner_order_id"] = f"A-{uuid.uuid4()}"
product = next(product for product in client.products() if product["is_available"])
order["items"] = [{"product_id": product["product_id"], "quantity": 1}]

created = client.create_order(order)
item = created["items"][0]
print("created", created["order_id"], "with", item["quantity"], "x", item["name"])
