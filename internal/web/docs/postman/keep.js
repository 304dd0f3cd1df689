// Keeps ids of the answer, such as order_id, in the variables of the same name, which the paths of
// other requests have.
if (pm.response.code < 300 && (pm.response.headers.get("Content-Type") || "").includes("json")) {
  const answer = pm.response.json();
  for (const name of Object.keys(pm.collectionVariables.toObject())) {
    if (name.endsWith("_id") && ["string", "number"].includes(typeof answer[name])) {
      pm.collectionVariables.set(name, String(answer[name]));
    }
  }
}
