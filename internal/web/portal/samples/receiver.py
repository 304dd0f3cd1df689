import hashlib, hmac, http.server, json, os

SECRET = os.environ["WEBHOOK_SECRET"].encode()

class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        want = "v1=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        good = hmac.compare_digest(want, self.headers["Drop-Signature"] or "")
        self.send_response(200 if good else 401)
        self.end_headers()
        if good:
            print(json.loads(body)["type"], flush=True)

http.server.HTTPServer(("127.0.0.1", 3000), Receiver).serve_forever()
