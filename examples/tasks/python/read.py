"""Reads an order."""

import os
import sys

import dropyard

client = dropyard.Client(os.environ["DROPYARD_URL"], os.environ["DROPYARD_KEY"], os.environ["DROPYARD_SECRET"])

order = client.get_order(sys.argv[1])
print(order["order_id"], order["status"], order["estimated_delivery"])
for change in order["status_history"]:
    print(change["timestamp"], change["status"])
