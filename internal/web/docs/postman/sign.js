// Signs requests that have the header X-Api-Key with version 2 of the signature. Variables such as
// {{$guid}} get their values here, once, so that what is signed is what is sent.
if (pm.request.headers.has("X-Api-Key")) {
  const CryptoJS = require("crypto-js");
  const filled = (text) => pm.variables.replaceIn(text || "");
  const escaped = (text) =>
    text.replace(/[^\x21-\x7e]+|["'<>`{}#]/g, (part) => encodeURIComponent(part).replace("'", "%27"));
  const secret = pm.variables.get("secret");
  if (!secret || !pm.variables.get("api_key")) {
    throw new Error("Enter your key in the variables api_key and secret of the collection.");
  }

  const url = pm.request.url;
  const path = escaped(filled(url.getPath()));
  const query = escaped(filled(url.getQueryString()));
  url.update(filled("{{base_url}}") + path + (query ? "?" + query : ""));
  const body = pm.request.body ? pm.request.body : undefined;
  if (body && body.mode === "raw") {
    body.raw = filled(body.raw);
  }
  for (const name of ["Idempotency-Key", "Content-Type"]) {
    if (pm.request.headers.has(name)) {
      pm.request.headers.upsert({ key: name, value: filled(pm.request.headers.get(name)) });
    }
  }

  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = filled("{{$guid}}");
  const parts = [timestamp, pm.request.method, path, query];
  parts.push(pm.request.headers.get("Idempotency-Key") || "", pm.request.headers.get("Content-Type") || "", nonce);
  parts.push(body && body.mode === "raw" ? body.raw : "");
  const signature = CryptoJS.HmacSHA256(parts.join("\n"), secret).toString();
  pm.request.headers.upsert({ key: "X-Timestamp", value: timestamp });
  pm.request.headers.upsert({ key: "X-Nonce", value: nonce });
  pm.request.headers.upsert({ key: "X-Signature", value: "v2=" + signature });
}
