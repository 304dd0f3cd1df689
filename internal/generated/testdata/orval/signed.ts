import { createHmac } from "node:crypto";

const [url, key, secret] = process.argv.slice(2) as [string, string, string];

/** Sends a request of the generated client, signed. Orval calls it instead of fetch. */
export async function signed<T>(path: string, options: RequestInit = {}): Promise<T> {
  const address = new URL(path, url);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", secret)
    .update([timestamp, options.method, address.pathname, options.body ?? ""].join("\n"))
    .digest("hex");
  const headers = new Headers(options.headers);
  headers.set("X-Api-Key", key);
  headers.set("X-Timestamp", timestamp);
  headers.set("X-Signature", `v1=${signature}`);
  const response = await fetch(address, { ...options, headers });
  return { data: await response.json(), status: response.status, headers: response.headers } as T;
}
