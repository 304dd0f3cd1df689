<?php

// A small shop: a quote, an order from stock, its label, a refusal, a cancellation, and a
// webhook. The README above this folder says how to run it.

declare(strict_types=1);

foreach (['DROPYARD_URL', 'DROPYARD_KEY', 'DROPYARD_SECRET'] as $name) {
    if (!getenv($name)) {
        exit("not set in the environment: $name\n");
    }
}

/** Returns a UUID. */
function uuid(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}

/** Sends a signed request, and returns the status and the body. */
function send(string $method, string $path, ?array $body = null): array
{
    $text = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
    $timestamp = (string) time();
    $signature = hash_hmac('sha256', "$timestamp\n$method\n$path\n$text", getenv('DROPYARD_SECRET'));
    $headers = [
        'X-Api-Key: ' . getenv('DROPYARD_KEY'), "X-Timestamp: $timestamp", "X-Signature: v1=$signature",
        'Content-Type: application/json', 'Idempotency-Key: ' . uuid(), // keep the key, to send the request again
    ];
    $context = stream_context_create(['http' => ['method' => $method, 'header' => $headers, 'content' => $text, 'ignore_errors' => true]]);
    $response = file_get_contents(getenv('DROPYARD_URL') . $path, false, $context);
    if ($response === false) {
        exit("no response: send it again, with the same Idempotency-Key\n");
    }
    $head = function_exists('http_get_last_response_headers') ? http_get_last_response_headers() : $http_response_header;
    return [(int) explode(' ', $head[0])[1], $response];
}

/** Sends a signed request, and returns what the body holds. It ends the program if the request is refused. */
function call(string $method, string $path, ?array $body = null): array
{
    [$status, $response] = send($method, $path, $body);
    if ($status >= 300) {
        exit("$method $path: $response\n");
    }
    return json_decode($response, true, 512, JSON_THROW_ON_ERROR);
}

/** Reports whether a webhook was signed with the secret, at most 5 minutes ago. */
function isGenuine(string $secret, array $headers, string $body): bool
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    $want = 'v1,' . base64_encode(hash_hmac('sha256', ($headers['webhook-id'] ?? '') . ".$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) { // two while the secret is rotated
        if (hash_equals($want, $signature)) {
            return true;
        }
    }
    return false;
}

/** Receives one webhook, answers it, and returns the event; null if it is not genuine. */
function receive($server, string $secret): ?array
{
    $connection = stream_socket_accept($server, 60);
    if ($connection === false) {
        exit("no webhook within a minute\n");
    }
    fgets($connection); // the request line
    $headers = [];
    while (($line = trim((string) fgets($connection))) !== '') {
        [$name, $value] = explode(':', $line, 2);
        $headers[strtolower($name)] = trim($value);
    }
    $body = stream_get_contents($connection, (int) $headers['content-length']);
    $genuine = isGenuine($secret, $headers, $body);
    fwrite($connection, 'HTTP/1.1 ' . ($genuine ? '200 OK' : '401 Unauthorized') . "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    fclose($connection);
    return $genuine ? json_decode($body, true, 512, JSON_THROW_ON_ERROR) : null;
}

// An endpoint in place of the one before, with a new secret. In production it is a script
// of your web server, behind https, which reads php://input and getallheaders().
$server = stream_socket_server('tcp://127.0.0.1:0');
send('DELETE', '/v1/webhooks/endpoint'); // 404 if there is none
$secret = call('PUT', '/v1/webhooks/endpoint', ['url' => 'http://' . stream_socket_get_name($server, false) . '/hooks'])['secret'];

$order = ['partner_order_id' => uuid()] + json_decode(file_get_contents('order.json'), true, 512, JSON_THROW_ON_ERROR);

$quote = call('POST', '/v1/rates/quote', array_intersect_key($order, array_flip(['service_level', 'pickup', 'dropoff', 'parcels'])));
printf("%.2f %s, by %s\n", $quote['rate_cents'] / 100, $quote['currency'], $quote['estimated_delivery']);

$created = call('POST', '/v1/orders', ['quote_id' => $quote['quote_id']] + $order); // at this price
$id = $created['order_id'];
printf("ordered %s: %d x %s\n", $id, $created['items'][0]['quantity'], $created['items'][0]['name']);

[, $label] = send('GET', "/v1/orders/$id/label");
file_put_contents('label.pdf', $label);
echo "wrote label.pdf\n";

[, $refused] = send('POST', '/v1/orders', ['partner_order_id' => uuid(), 'parcels' => []] + $order);
foreach (json_decode($refused, true)['error']['details']['errors'] as $problem) {
    echo "refused: {$problem['field']}: {$problem['expected']}\n";
}

call('POST', "/v1/orders/$id/cancel", ['reason' => 'the customer changed their mind']);
echo "cancelled $id\n";

do { // others may come first
    $event = receive($server, $secret);
} while ($event === null || $event['type'] !== 'order.cancelled');
echo "received order.cancelled of {$event['data']['order_id']}\n";
