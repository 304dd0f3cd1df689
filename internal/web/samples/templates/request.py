# {{.File}}.py: python3 {{.File}}.py
{{- if .Signed}}
import hashlib
import hmac
import time
{{- end}}
import urllib.error
import urllib.request

URL = {{printf "%q" .URL}}
{{- if .Signed}}
KEY, SECRET = {{printf "%q" .Key}}, {{printf "%q" .Secret}}
{{- end}}
{{- if or .Body .Signed}}

BODY = """{{python .Body}}"""
{{- end}}
{{- if .Signed}}


def sign(secret_key: str, timestamp: str, method: str, path: str, body: str) -> str:
    text = f"{timestamp}\n{method}\n{path}\n{body}"
    return "v1=" + hmac.new(secret_key.encode(), text.encode(), hashlib.sha256).hexdigest()


now = str(int(time.time()))
{{- end}}
headers = {
{{- if .Signed}}
    "X-Api-Key": KEY,
    "X-Timestamp": now,
    "X-Signature": sign(SECRET, now, "{{.Method}}", "{{.Path}}", BODY),
{{- end}}
{{- range .Headers}}
{{- with .Comment}}
    # {{.}}
{{- end}}
    "{{.Name}}": {{printf "%q" .Value}},
{{- end}}
}
request = urllib.request.Request(URL + "{{.Path}}{{.Query}}", {{if .Body}}BODY.encode(){{else}}None{{end}}, headers, method="{{.Method}}")
try:
    with urllib.request.urlopen(request) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())
