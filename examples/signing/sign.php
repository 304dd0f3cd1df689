<?php

// Signs requests and verifies webhooks with the standard library of PHP 8. It reads
// vectors, one JSON object on a line, and prints for each the signature of the request,
// or whether the webhook is valid.

declare(strict_types=1);

/**
 * Returns the header X-Signature. The timestamp is Unix time in seconds, as in
 * X-Timestamp. The path is as sent, with /v1 and without the query, and so is the body;
 * without a body it is empty.
 */
function sign(string $secretKey, string $timestamp, string $method, string $path, string $body): string
{
    return 'v1=' . hash_hmac('sha256', "$timestamp\n$method\n$path\n$body", $secretKey);
}

/**
 * Reports whether a webhook was signed with the secret, and at most 5 minutes from now,
 * in Unix seconds. The body is as received, as php://input has it. While the secret is
 * rotated, the header has two signatures, of which one must match.
 */
function verify(string $secret, array $headers, string $body, int $now): bool
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs($now - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    $text = ($headers['webhook-id'] ?? '') . ".$timestamp.$body";
    $want = 'v1,' . base64_encode(hash_hmac('sha256', $text, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($want, $signature)) { // in constant time
            return true;
        }
    }
    return false;
}

while (($line = fgets(STDIN)) !== false) {
    $v = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    if (isset($v['method'])) {
        echo sign($v['secret_key'], $v['timestamp'], $v['method'], $v['path'], $v['body']), "\n";
    } else {
        echo verify($v['secret'], $v['headers'], $v['body'], $v['now']) ? "valid\n" : "invalid\n";
    }
}
