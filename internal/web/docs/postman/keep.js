// Keeps ids of the answer, such as order_id, in the variables of the same name, which the paths of
// other requests have. So it does with the token at the end of a link, such as label_token.
if (pm.response.code < 300 && (pm.response.headers.get("Content-Type") || "").includes("json")) {
  const answer = pm.response.json();
  const names = Object.keys(pm.collectionVariables.toObject());
  for (const name of names) {
    if (name.endsWith("_id") && ["string", "number"].includes(typeof answer[name])) {
      pm.collectionVariables.set(name, String(answer[name]));
    }
  }
  const link = /\/(\w+)\/([^/?#]+)$/.exec(typeof answer.url === "string" ? answer.url : "");
  if (link && names.includes(link[1] + "_token")) {
    pm.collectionVariables.set(link[1] + "_token", link[2]);
  }
}
