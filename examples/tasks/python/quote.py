"""Asks for the price of a delivery."""

import json

import dropyard

client = dropyard.Client.from_environment()
with open("order.json", encoding="utf-8") as file:
    order = json.load(file)

quote = client.create_quote(order)
print(f"{quote['rate_cents'] / 100:.2f} {quote['currency']}, by {quote['estimated_delivery']}")
