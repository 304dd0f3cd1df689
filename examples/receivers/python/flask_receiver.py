"""Receives webhooks with Flask. The README beside it says how to run it."""

import os

import dropyard
from flask import Flask, request

SECRET = os.environ["WEBHOOK_SECRET"]
app = Flask(__name__)


@app.post("/hooks")
def hooks():
    try:
        event = dropyard.verify_webhook(SECRET, request.headers, request.get_data())  # not request.json
    except dropyard.WebhookError:
        return "", 401
    print("received", event["type"], flush=True)  # in production, store it under event["id"]
    return "", 200


if __name__ == "__main__":
    app.run(port=int(os.environ["PORT"]))
