"""Writes the labels of an order to a file."""

import sys

import dropyard

client = dropyard.Client.from_environment()

if len(sys.argv) != 2:
    sys.exit("usage: python label.py ORDER_ID")
label = client.get_label(sys.argv[1])
with open("label.pdf", "wb") as file:
    file.write(label)
print("wrote label.pdf")
