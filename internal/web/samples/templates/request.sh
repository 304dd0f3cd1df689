# In bash, with curl{{if .Signed}} and openssl{{end}}.
URL='{{shell .URL}}'{{if .Signed}} KEY='{{shell .Key}}' SECRET='{{shell .Secret}}'{{end}}
{{- if or .Body .Signed}}

body='{{shell .Body}}'
{{- end}}
{{- if .Signed}}

now=$(date +%s)
signature=$(printf '%s\n%s\n%s\n%s' "$now" {{.Method}} {{.Path}} "$body" |
  openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')
{{- end}}
{{range .Headers}}{{with .Comment}}
# {{.}}{{end}}{{end}}
curl -sS -w '\n' -X {{.Method}} "$URL{{.Path}}{{.Query}}"
{{- if .Signed}} \
  -H "X-Api-Key: $KEY" -H "X-Timestamp: $now" -H "X-Signature: v1=$signature"
{{- end}}
{{- range .Headers}} \
  -H '{{.Name}}: {{shell .Value}}'
{{- end}}
{{- if .Body}} \
  --data-binary "$body"
{{- end}}
