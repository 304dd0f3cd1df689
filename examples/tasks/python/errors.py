"""Handles the errors of a call."""

import json
import uuid

import dropyard

client = dropyard.Client.from_environment()
with open("order.json", encoding="utf-8") as file:
    order = json.load(file)

order["partner_order_id"] = f"A-{uuid.uuid4()}"
order["parcels"][0]["weight_kg"] = 71  # too heavy
key = str(uuid.uuid4())

try:
    client.create_order(order, idempotency_key=key)
except dropyard.ValidationError as error:  # correct these fields
    for field, expected in error.fields.items():
        print(f"{field}: {expected}")
except dropyard.InsufficientStockError as error:  # order less, or restock
    print(error.shortages)
except dropyard.APIError as error:  # any other refusal; doc_url is the page about its code
    print(error.code, error.message, error.doc_url, error.request_id)
except dropyard.NoAnswerError:  # the order may exist: call again later with the same key
    print("no answer", key)
