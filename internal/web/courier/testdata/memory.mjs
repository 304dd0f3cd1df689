// A phone's storage in memory, for tests: what storage.js does with IndexedDB. What has
// been committed is on the disk and survives; a phone that is killed commits no more.

const turn = () => new Promise((resolve) => { setImmediate(resolve); });
const never = new Promise(() => {});

/** What survives when the app is killed. */
export const newDisk = () => ({ nextID: 1, acts: new Map(), pictures: new Map(), refusals: new Map(), times: new Map(), kept: new Map(), added: [], full: false });

export class Memory {
  #disk;
  busy = 0; // operations under way
  dead = false;

  constructor(disk) { this.#disk = disk; }

  /** Runs a transaction. The app may be killed before it and after it. */
  async #transaction(run) {
    this.busy++;
    try {
      await turn();
      if (this.dead) return never;
      const result = structuredClone(run(this.#disk));
      await turn();
      return this.dead ? never : result;
    } finally {
      this.busy--;
    }
  }

  all(owner) {
    return this.#transaction(({ acts, refusals }) => {
      const own = [...acts.values()].filter((one) => one.owner === owner);
      return { acts: own, refusals: [...refusals.values()].filter((one) => one.owner === owner), others: acts.size - own.length };
    });
  }

  add(owner, orderID, make) {
    return this.#transaction((disk) => {
      const place = `${owner} ${orderID}`, made = make(disk.times.get(place) ?? 0);
      if (disk.full) throw new DOMException("the disk is full", "QuotaExceededError");
      for (const { act, picture } of structuredClone(made)) {
        const id = disk.nextID++;
        disk.acts.set(id, { ...act, id });
        disk.added.push({ ...act, id }); // for tests, which compare it with what arrives
        if (picture) disk.pictures.set(id, picture);
        disk.times.set(place, Date.parse(act.at));
      }
    });
  }

  async picture(id) {
    const { data, type } = await this.#transaction(({ pictures }) => pictures.get(id));
    return new Blob([data], { type });
  }

  change(id, make) { return this.#transaction(({ acts }) => { if (acts.has(id)) acts.set(id, structuredClone(make(acts.get(id)))); }); }

  reopen(id, act) { return this.#transaction(({ acts, refusals }) => { if (refusals.delete(id)) acts.set(act.id, structuredClone(act)); }); }

  settle(id) {
    return this.#transaction((disk) => {
      disk.acts.delete(id);
      disk.pictures.delete(id);
    });
  }

  refuse(id, refusal) {
    return this.#transaction((disk) => {
      if (!disk.acts.delete(id)) return;
      disk.pictures.delete(id);
      const refusalID = disk.nextID++;
      disk.refusals.set(refusalID, { ...structuredClone(refusal), id: refusalID });
      if (refusal.code === "too_early") {
        const left = [...disk.acts.values()].filter((act) => act.owner === refusal.owner && act.order_id === refusal.act.order_id);
        disk.times.set(`${refusal.owner} ${refusal.act.order_id}`, Math.max(0, ...left.map((act) => Date.parse(act.at))));
      }
    });
  }

  forget(id) { return this.#transaction(({ refusals }) => { refusals.delete(id); }); }

  keep(owner, name, value) { return this.#transaction(({ kept }) => { kept.set(`${owner} ${name}`, value); }); }

  kept(owner, name) { return this.#transaction(({ kept }) => kept.get(`${owner} ${name}`)); }
}
