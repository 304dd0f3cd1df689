// {{.File}}.mjs: node {{.File}}.mjs
{{- if .Signed}}
import { createHmac } from "node:crypto";

const [url, key, secret] = [{{printf "%q" .URL}}, {{printf "%q" .Key}}, {{printf "%q" .Secret}}];
{{- else}}
const url = {{printf "%q" .URL}};
{{- end}}
{{- if or .Body .Signed}}

const body = `{{script .Body}}`;
{{- end}}
{{- if .Signed}}

function sign(secretKey, timestamp, method, path, body) {
  const text = `${timestamp}\n${method}\n${path}\n${body}`;
  return "v1=" + createHmac("sha256", secretKey).update(text).digest("hex");
}

const now = String(Math.floor(Date.now() / 1000));
{{- end}}
const response = await fetch(url + "{{.Path}}{{.Query}}", {
  method: "{{.Method}}",
  headers: {
{{- if .Signed}}
    "X-Api-Key": key,
    "X-Timestamp": now,
    "X-Signature": sign(secret, now, "{{.Method}}", "{{.Path}}", body),
{{- end}}
{{- range .Headers}}
{{- with .Comment}}
    // {{.}}
{{- end}}
    "{{.Name}}": {{printf "%q" .Value}},
{{- end}}
  },
{{- if .Body}}
  body,
{{- end}}
});
console.log(response.status, await response.text());
