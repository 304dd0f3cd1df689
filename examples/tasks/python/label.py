"""Writes the labels of an order to a file."""

import os
import sys

import dropyard

client = dropyard.Client(os.environ["DROPYARD_URL"], os.environ["DROPYARD_KEY"], os.environ["DROPYARD_SECRET"])

label = client.get_label(sys.argv[1])
with open("label.pdf", "wb") as file:
    file.write(label)
print("wrote label.pdf")
