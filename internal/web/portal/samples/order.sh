# In bash, with curl and openssl.
URL='%URL%' KEY='%KEY%' SECRET='%SECRET%'

order='%ORDER%'

now=$(date +%s)
signature=$(printf '%s\n%s\n%s\n%s' "$now" POST /v1/orders "$order" |
  openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')

# The same Idempotency-Key and body again: the same order, not a second one.
curl -sS -w '\n' -X POST "$URL/v1/orders" \
  -H "X-Api-Key: $KEY" -H "X-Timestamp: $now" -H "X-Signature: v1=$signature" \
  -H 'Idempotency-Key: %IDEMPOTENCY_KEY%' \
  -H 'Content-Type: application/json' --data-binary "$order"
