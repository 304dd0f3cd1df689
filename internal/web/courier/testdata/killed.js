// Runs in the app's page, with a database of its own. The part "tap" records acts, and
// returns when the browser is to be killed; "send" sends what is left.
async ({ part, when, owner, order, picture }) => {
  const [{ Outbox }, { open }, { phone }] = await Promise.all(["outbox", "storage", "send"].map((name) => import(`/assets/courier/${name}.js`)));
  const storage = await open("killed"), world = await phone(storage), tapped = [], never = new Promise(() => {});
  const shown = ({ kind, status, at }) => ({ kind, status, at });
  const report = async (more) => ({ tapped: tapped.map(shown), stored: [], refused: [], waiting: 0, ...more });
  if (part === "open") return report();
  if (part === "send") {
    const stored = (await storage.all(owner)).acts.map(shown), outbox = new Outbox(world);
    await outbox.open(owner);
    for (let i = 0; i < 2400 && outbox.waiting.value.length; i++) await new Promise((resolve) => { setTimeout(resolve, 50); });
    return report({ stored, refused: outbox.refused.value.map(({ code, message }) => `${code}: ${message}`), waiting: outbox.waiting.value.length });
  }
  const add = storage.add.bind(storage);
  storage.add = (whose, which, make) => add(whose, which, (last) => {
    const made = make(last);
    tapped.push(...made.map(({ act }) => act));
    return made;
  });
  let reach;
  const reached = new Promise((resolve) => { reach = resolve; });
  const send = {
    stored: () => never,
    storing: () => never,
    sending: (act, signal) => { reach(); return world.send(act, signal); },
    answered: world.send,
  }[when];
  if (when === "answered") storage.settle = () => { reach(); return never; };
  const outbox = new Outbox({ ...world, send });
  await outbox.open(owner);
  const data = new Blob([Uint8Array.from(atob(picture), (one) => one.charCodeAt(0))], { type: "image/png" });
  await outbox.record({ order_id: order, label: "", move: { status: "picked_up" } });
  await outbox.record({ order_id: order, label: "", move: { status: "out_for_delivery" } });
  const last = outbox.record({ order_id: order, label: "", move: { status: "delivered", collected: { amount_cents: 2000, currency: "CAD", method: "cash" } }, pictures: [{ kind: "photo", data }] });
  if (when === "storing") return report();
  await last;
  if (when !== "stored") await reached;
  return report();
}
