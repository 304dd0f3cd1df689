"""Reads an order."""

import sys

import dropyard

client = dropyard.Client.from_environment()

if len(sys.argv) != 2:
    sys.exit("usage: python read.py ORDER_ID")
order = client.get_order(sys.argv[1])
print(order["order_id"], order["status"], order["estimated_delivery"])
for change in order["status_history"]:
    print(change["timestamp"], change["status"])
