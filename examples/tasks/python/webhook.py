"""Sets the endpoint for webhooks, receives one and verifies it."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import dropyard

client = dropyard.Client.from_environment()


class Receiver(BaseHTTPRequestHandler):
    """The endpoint. In production it is behind https."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = dropyard.verify_webhook(secret, self.headers, body)
        except dropyard.WebhookError:
            self.send_error(401)
            return
        self.send_response(200)
        self.end_headers()
        print("received", event["type"])  # in production, store it under event["id"]

    def log_message(self, *arguments):
        """Log nothing."""


receiver = HTTPServer(("127.0.0.1", 0), Receiver)

# Once: the endpoint, in place of the one before. Store its secret, which is shown only here.
try:
    client.delete_webhook_endpoint()
except dropyard.NotFoundError:
    pass
endpoint = client.set_webhook_endpoint(f"http://127.0.0.1:{receiver.server_port}/hooks")
secret = endpoint["secret"]

threading.Thread(target=client.test_webhook).start()
receiver.handle_request()
