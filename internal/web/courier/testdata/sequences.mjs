// Drives outbox.js and send.js through random sequences of what happens to a courier's
// phone, against a service, and prints what the courier tapped and what became of it as a
// line of JSON for each sequence. TestOutboxSequences compares it with the service.
//
//   node --import ../types/resolve.mjs testdata/sequences.mjs SERVICE SEED COUNT [FAULT]
//
// SERVICE is the address of what the test puts in front of the service: it has a clock
// that these sequences move on, and a desk. A seed draws a sequence, but when responses
// arrive decides, too, so a seed does not say what its sequence contains. The seed -1 is
// the staged sequence, which always contains the same. FAULT names a fault that is built in, which
// the test must find.

import { correct, now } from "dropyard/clock.js";
import { readJobs } from "../assets/courier/jobs.js";
import { Outbox } from "../assets/courier/outbox.js";
import { phone } from "../assets/courier/send.js";
import { Memory, newDisk } from "./memory.mjs";

const [address, firstSeed, count, fault = ""] = process.argv.slice(2);
const realFetch = globalThis.fetch;
const turn = () => new Promise((resolve) => { setImmediate(resolve); });
const never = new Promise(() => {});
const minute = 60000, hour = 60 * minute;
const steps = 45;

/** What is to be collected of each order. */
const cash = { amount_cents: 2000, currency: "CAD", method: "cash" };

/** Returns numbers from 0 to 1 that a seed decides (mulberry32). */
const generator = (seed) => () => {
  seed = seed + 0x6D2B79F5 | 0;
  let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed);
  mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
  return ((mixed ^ mixed >>> 14) >>> 0) / 4294967296;
};

const ask = async (path) => {
  const response = await realFetch(address + path, { method: "POST" });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

/** The faults that the test must find. */
const faults = {
  "": (world) => world,
  "new-key": (world) => ({ ...world, send: (act, signal) => world.send({ ...act, key: world.newKey() }, signal) }),
  "new-time": (world) => ({
    ...world,
    send: (act, signal) => world.send(act.kind === "move" ? { ...act, key: world.newKey(), body: JSON.stringify({ ...JSON.parse(act.body), occurred_at: new Date(now()).toISOString() }) } : act, signal),
  }),
  "other-order": (world) => {
    const { storage } = world, all = storage.all.bind(storage);
    storage.all = async (owner) => {
      const found = await all(owner);
      return { ...found, acts: found.acts.reverse() };
    };
    return world;
  },
  "drop": (world) => ({ ...world, send: async (act, signal) => ({ ...await world.send(act, signal), status: 200 }) }),
};

/** A sequence: a courier's phone, the service's clock, and the desk. */
class Sequence {
  figures = { sent: 0, lost: 0, answersLost: 0, killed: 0, clocks: 0, desk: 0, signedOut: 0, tabs: 0, asked: 0 };
  tabs = [];
  storages = [];
  pauses = [];
  run = 0; // of the app: it changes when the app is killed
  underway = 0;
  online = true;
  faulty = true; // requests and answers are lost
  skew = 0; // of the phone's clock
  known = false; // a response has set the clock of this run since skew changed
  trouble = [];
  tapped = new Map(); // by the id of an act: the true time, and whether the clock was known
  read = []; // refusals
  untimed = new Set(); // ids of pictures that were sent without their time

  constructor(seed) {
    this.seed = seed;
    this.random = generator(seed);
    this.disk = newDisk();
  }

  chance(one) { return this.random() < one; }
  upTo(limit) { return Math.floor(this.random() * limit); }

  async begin() {
    Object.assign(this, await ask(`/world/begin?seed=${this.seed}`)); // operator_id, token, now, orders, pictures
    this.orders = this.orders.map((order_id) => ({ order_id, script: this.script(), disturbed: false, doubtful: false }));
    if (this.chance(0.4)) this.skew = this.upTo(4 * hour) - 2 * hour;
    Date.now = () => this.now + this.skew;
    globalThis.fetch = (path, init) => this.fetch(path, init);
    this.faulty = false;
    await this.start();
    await this.refresh();
    this.faulty = true;
  }

  /** Returns what the courier will do at a stop. */
  script() {
    const script = [{ move: { status: "picked_up" } }];
    if (this.chance(0.5)) script.push({ move: { status: "in_transit" } });
    script.push({ move: { status: "out_for_delivery" } });
    if (this.chance(0.3)) {
      script.push({ move: { status: "failed", failure_reason: "not_home" }, pictures: this.take(this.upTo(2)) }, { move: { status: "out_for_delivery" } });
    }
    if (this.chance(0.2)) script.push({ pictures: this.take(1) });
    // The service asks about a delivery that was recorded by an app that does not.
    script.push({ move: { status: "delivered", ...this.chance(0.6) && { collected: cash } }, pictures: this.take(this.upTo(3)) });
    return script;
  }

  take(count) {
    return this.pictures.splice(0, count).map((encoded, i) => ({ kind: i ? "signature" : "photo", data: new Blob([Buffer.from(encoded, "base64")], { type: "image/png" }) }));
  }

  /** Starts the app on what the phone keeps, in one tab or two. */
  async start() {
    correct(Date.now()); // a new process has learnt nothing
    this.known = false;
    this.locks = this.chance(0.5) ? new Map() : null;
    this.tabs = [];
    for (let tabs = this.chance(0.15) ? 2 : 1; tabs > 0; tabs--) await this.openTab();
    this.figures.tabs = Math.max(this.figures.tabs, this.tabs.length);
  }

  async openTab() {
    const storage = new Memory(this.disk), change = storage.change.bind(storage);
    storage.change = (id, make) => {
      if (this.disk.pictures.has(id)) this.untimed.add(id);
      return change(id, make);
    };
    this.storages.push(storage);
    const world = { ...await phone(storage), pause: (ms, signal) => this.pause(ms, signal), alone: this.locks ? (name, run) => this.alone(name, run) : undefined };
    const outbox = new Outbox(faults[fault](world));
    await outbox.open(this.operator_id);
    this.tabs.push(outbox);
  }

  alone(name, run) {
    const locks = this.locks, next = (locks.get(name) ?? Promise.resolve()).then(run);
    locks.set(name, next.catch(() => {}));
    return next;
  }

  pause(ms, signal) {
    return new Promise((resolve) => {
      this.pauses.push({ until: this.now + ms, resolve });
      signal.addEventListener("abort", resolve);
    });
  }

  /** Kills the app: nothing that it was doing goes on, and only what was committed stays. */
  async kill() {
    this.figures.killed++;
    this.run++;
    for (const storage of this.storages) storage.dead = true;
    this.storages = [];
    this.pauses = [];
    await this.start();
  }

  /** A request of the app on this phone's connection. */
  async fetch(path, init) {
    const { run, now: began } = this;
    this.underway++;
    try {
      const response = await this.carry(path, init);
      await turn();
      if (run !== this.run) return never;
      if (response.headers.has("Date")) this.known = this.now - began < 1000; // a late one sets the clock wrongly
      return response;
    } catch (error) {
      return run === this.run ? Promise.reject(error) : never;
    } finally {
      this.underway--;
    }
  }

  async carry(path, init) {
    this.figures.sent++;
    if (!this.online || (this.faulty && this.chance(0.12))) {
      this.figures.lost++;
      throw new TypeError("the request was lost");
    }
    const before = this.faulty ? this.random() : 1;
    if (before < 0.03) return refusal(503, "unavailable", { "Retry-After": "3" });
    if (before < 0.05) return refusal(429, "rate_limited", { "Retry-After": "20" });
    if (before < 0.07) return refusal(409, "idempotency_in_progress");
    if (before < 0.09) return new Response("<h1>Welcome to the café</h1>", { status: before < 0.08 ? 200 : 403 });
    const body = init.body instanceof Blob ? await init.body.arrayBuffer() : init.body;
    const response = await realFetch(address + path, { ...init, body, signal: undefined, headers: { ...init.headers, Authorization: `Bearer ${this.token}` } });
    const content = await response.arrayBuffer();
    if (this.faulty && this.chance(0.12)) {
      this.figures.answersLost++;
      throw new TypeError("the answer was lost");
    }
    if (this.faulty && this.chance(0.04)) {
      this.figures.answersLost++;
      return refusal(502, "unavailable");
    }
    return new Response(content, response);
  }

  /** Waits until the phone does nothing but pause. */
  async quiet() {
    for (let calm = 0; calm < 6;) {
      await turn();
      calm = this.underway || this.storages.some((one) => one.busy) ? 0 : calm + 1;
    }
  }

  async advance(ms) {
    ({ now: this.now } = await ask(`/world/advance?ms=${ms}`));
    const due = this.pauses.filter(({ until }) => until <= this.now);
    this.pauses = this.pauses.filter(({ until }) => until > this.now);
    for (const { resolve } of due) resolve();
  }

  /** The round is read again, which sets the clock. */
  async refresh() {
    await readJobs(new Date(now()).toISOString()).catch(() => {});
  }

  /** The courier does what comes next at a stop. The app may be killed while it is stored. */
  async tap(stop = this.orders[this.upTo(this.orders.length)]) {
    const next = stop.script[0];
    if (!next) return;
    const { length } = this.disk.added, { known } = this, clock = now();
    const error = clock - this.now;
    if (known && Math.abs(error) > 3000) this.trouble.push(`a response has set the clock, and it is ${error} ms wrong`);
    const recorded = this.tabs[this.upTo(this.tabs.length)].record({ order_id: stop.order_id, label: "", ...next });
    if (this.chance(0.2)) {
      for (let turns = this.upTo(6); turns > 0; turns--) await turn();
      await this.kill();
    } else {
      await recorded;
    }
    const added = this.disk.added.slice(length);
    if (!added.length) return; // killed before it was stored: the courier sees that, and taps again
    stop.script.shift();
    if (Math.abs(error) > 3000) stop.doubtful = true;
    for (const act of added) this.tapped.set(act.id, { time: this.now, sure: !stop.doubtful });
  }

  /** The desk changes an order that the courier may have changed already. */
  async desk(stop = this.orders[this.upTo(this.orders.length)], how = ["cancelled", "failed", "accepted", "courier_assigned"][this.upTo(4)]) {
    await this.advance(7); // so that no act of the courier has the same time
    const { done } = await ask(`/world/desk?order=${stop.order_id}&status=${how}`);
    if (done) stop.disturbed = true;
    this.figures.desk += done;
    await this.advance(5000);
  }

  /** What may happen, with how often. */
  happenings = [
    [40, () => this.tap()],
    [22, () => this.advance(minute + this.upTo(8 * minute))],
    [8, () => { this.online = !this.online; if (this.online) this.tabs[0].hurry(); }],
    [7, () => this.kill()],
    [6, () => this.refresh()],
    [5, () => this.tabs[this.upTo(this.tabs.length)].hurry()],
    [2.5, () => this.desk()],
    [1, () => { this.skew = this.chance(0.4) ? 0 : this.upTo(6 * hour) - 3 * hour; this.known = false; this.figures.clocks++; }],
    [2, () => { this.token = "tok_expired"; this.figures.signedOut++; }],
    [3, () => this.readRefusal()],
    [6, () => this.answer()],
    [0.5, () => this.advance(49 * hour)],
  ];

  /** The courier answers a question of the service. The app may be killed while the answer is stored. */
  async answer() {
    const outbox = this.tabs[this.upTo(this.tabs.length)], act = outbox.waiting.value.find(({ asked }) => asked);
    if (!act) return;
    this.figures.asked++;
    const stored = outbox.answer(act.id, cash);
    if (this.chance(0.2)) await this.kill();
    else await stored;
  }

  async readRefusal() {
    const [outbox] = this.tabs, [refusal] = outbox.refused.value;
    if (!refusal) return;
    this.read.push(refusal);
    await outbox.read(refusal.id);
  }

  async step() {
    let left = this.random() * this.happenings.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, happen] of this.happenings) {
      left -= weight;
      if (left < 0) {
        await happen();
        break;
      }
    }
    if (this.tabs.some(({ state }) => state.value === "signed-out") && this.chance(0.5)) await this.signIn();
    if (this.chance(0.7)) await this.quiet();
  }

  async signIn() {
    ({ token: this.token } = await ask(`/world/sign-in?seed=${this.seed}`));
    for (const outbox of this.tabs) outbox.hurry();
  }

  /** Gives the phone a good connection and a right clock, until nothing waits. */
  async settle() {
    await this.quiet();
    [this.online, this.faulty, this.skew] = [true, false, 0];
    await this.kill();
    await this.signIn();
    for (let round = 0; round < 60 && this.disk.acts.size; round++) {
      await this.quiet();
      await this.answer();
      await this.advance(2 * minute);
    }
    await this.quiet();
    if (!this.disk.acts.size) return;
    const states = this.tabs.map(({ state, fault, waiting }) => `${state.value} ${fault.value} ${waiting.value.length}`);
    this.trouble.push(`at the end: ${states}, ${this.pauses.length} pauses until ${this.pauses.map(({ until }) => until - this.now)}, ${this.underway} requests, locks ${this.locks && [...this.locks.keys()]}`);
  }

  report() {
    const refused = new Map([...this.disk.refusals.values(), ...this.read].map((one) => [one.act.id, one]));
    const acts = this.disk.added.map(({ id, order_id, kind, status, at }) => {
      const { time, sure } = this.tapped.get(id), refusal = refused.get(id);
      return {
        order_id, kind, status, at, tapped: new Date(time).toISOString(), sure,
        refused: refusal ? `${refusal.status} ${refusal.code}` : "", untimed: this.untimed.has(id),
      };
    });
    return {
      seed: this.seed, acts, figures: this.figures, trouble: this.trouble, waiting: this.disk.acts.size,
      orders: this.orders.map(({ order_id, disturbed, doubtful }) => ({ order_id, disturbed, doubtful })),
    };
  }

  async play() {
    await this.begin();
    for (let i = 0; i < steps; i++) await this.step();
    await this.settle();
    return this.report();
  }
}

/** The sequence in which nothing is left to chance: all that the test wants to see happens, and every fault shows. */
class Staged extends Sequence {
  losing = 0; // answers to acts that will be lost

  chance() { return false; }

  script() {
    return [
      { move: { status: "picked_up" } }, { move: { status: "out_for_delivery" } }, { pictures: this.take(1) },
      { move: { status: "delivered", collected: cash }, pictures: this.take(1) },
    ];
  }

  async carry(path, init) {
    const response = await super.carry(path, init);
    if (init.method !== "POST" || !this.losing) return response;
    this.losing--;
    this.figures.answersLost++;
    throw new TypeError("the answer was lost");
  }

  /** The courier does the next things at a stop, a minute apart. With a connection, it returns when they have arrived. */
  async acts(stop, count) {
    for (; count > 0; count--) {
      await this.tap(stop);
      await this.arrive();
      await this.advance(minute);
    }
  }

  async arrive() {
    while (this.online && this.disk.acts.size) await turn();
    await this.quiet();
  }

  async play() {
    await this.begin();
    this.faulty = false;
    await this.quiet();
    const [disturbed, calm, other] = this.orders;
    this.losing = 1; // it was carried out; the app is killed, and sends it again
    await this.tap(calm);
    while (this.losing) await turn();
    await this.kill();
    await this.arrive();
    await this.acts(other, 1);
    await this.acts(disturbed, 2);
    this.online = false;
    await this.acts(calm, 3); // wait together, and arrive minutes later
    await this.acts(disturbed, 1); // a picture
    await this.desk(disturbed, "failed"); // so that the picture is older than the latest change
    this.online = true;
    for (const outbox of this.tabs) outbox.hurry();
    await this.acts(disturbed, 1); // delivered: refused, since the attempt has failed
    await this.settle();
    return this.report();
  }
}

const refusal = (status, code, headers) => new Response(JSON.stringify({ error: { code, message: code } }), { status, headers });

for (let seed = Number(firstSeed); seed < Number(firstSeed) + Number(count); seed++) {
  console.log(JSON.stringify(await (seed < 0 ? new Staged(seed) : new Sequence(seed)).play()));
}
process.exit(0);
