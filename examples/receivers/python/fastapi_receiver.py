"""Receives webhooks with FastAPI. The README beside it says how to run it."""

import os

import dropyard
import uvicorn
from fastapi import FastAPI, Request, Response

SECRET = os.environ["WEBHOOK_SECRET"]
app = FastAPI()


@app.post("/hooks")
async def hooks(request: Request) -> Response:  # not a model of the body, which would be parsed
    try:
        event = dropyard.verify_webhook(SECRET, request.headers, await request.body())
    except dropyard.WebhookError:
        return Response(status_code=401)
    print("received", event["type"], flush=True)  # in production, store it under event["id"]
    return Response()


if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ["PORT"]))
