// What the phone keeps: acts that wait to be sent, their pictures, refusals that have not
// been read, and values such as the last round. Each function is one transaction.

import { openDB } from "idb";

/** @typedef {import("./outbox.js").Act} Act */
/** @typedef {import("./outbox.js").Refusal} Refusal */
/** @typedef {Omit<Act, "id">} NewAct */

/** @typedef {{acts: Act[], refusals: Refusal[], others: number}} Kept acts and refusals of an operator, oldest first, and how many acts of other operators wait */

/** @param {import("idb").IDBPDatabase} db */
const create = (db) => {
  for (const name of ["acts", "refusals"]) {
    db.createObjectStore(name, { keyPath: "id", autoIncrement: true }).createIndex("owner", "owner");
  }
  for (const name of ["pictures", "times", "kept"]) db.createObjectStore(name);
};

/**
 * Opens the phone's storage. It throws a VersionError if a newer version of the app has used
 * it.
 * @param {string} name of the database
 * @param {() => void} [outdated] called when a newer version of the app, in another tab, needs the storage: it is closed then
 */
export const open = async (name, outdated = () => {}) => {
  const connect = () => openDB(name, 1, {
    upgrade: create,
    blocking: (_current, _blocked, event) => {
      /** @type {IDBDatabase} */ (event.target).close();
      outdated();
    },
  });
  return new Storage(await connect(), connect);
};

/**
 * Reports whether an error means that the connection is gone: iOS closes those of apps in the
 * background, and some versions say so with an error of their own.
 * @param {any} error
 */
const isGone = (error) => error?.name === "InvalidStateError" || ["UnknownError", "AbortError"].includes(error?.name) && /connection|server/i.test(error.message);

/** The phone's storage, over IndexedDB. A connection that the system has closed is opened again. */
export class Storage {
  #db;
  #connect;
  /** The opening that is under way. @type {Promise<void> | null} */
  #opening = null;

  /** @param {import("idb").IDBPDatabase} db @param {() => Promise<import("idb").IDBPDatabase>} connect opens it again */
  constructor(db, connect) {
    this.#db = db;
    this.#connect = connect;
  }

  /**
   * Runs a transaction, and once more with another connection if this one is gone: then
   * nothing of it has been stored.
   * @template T
   * @param {(db: import("idb").IDBPDatabase) => Promise<T>} transaction
   * @returns {Promise<T>}
   */
  async #run(transaction) {
    const db = this.#db;
    try {
      return await transaction(db);
    } catch (error) {
      if (!isGone(error)) throw error;
      if (this.#db === db) await (this.#opening ??= this.#reopen());
      return transaction(this.#db);
    }
  }

  async #reopen() {
    try {
      this.#db.close(); // which may not know yet that it is gone
      this.#db = await this.#connect();
    } finally {
      this.#opening = null;
    }
  }

  /** Returns what waits. The pictures are left out, see picture. @param {string} owner @returns {Promise<Kept>} */
  all(owner) {
    return this.#run(async (db) => {
      const tx = db.transaction(["acts", "refusals"]);
      const [acts, refusals, total] = await Promise.all([
        tx.objectStore("acts").index("owner").getAll(owner), tx.objectStore("refusals").index("owner").getAll(owner), tx.objectStore("acts").count(),
      ]);
      return { acts, refusals, others: total - acts.length };
    });
  }

  /**
   * Stores acts of one order with their pictures: all of them or none. It resolves when
   * they are on the disk.
   * @param {string} owner
   * @param {string} orderID
   * @param {(last: number) => {act: NewAct, picture?: {data: ArrayBuffer, type: string}}[]} make gets the time of the order's last act in milliseconds, 0 if there is none
   * @returns {Promise<void>}
   */
  add(owner, orderID, make) {
    return this.#run(async (db) => {
      const tx = db.transaction(["acts", "pictures", "times"], "readwrite", { durability: "strict" });
      const times = tx.objectStore("times"), steps = [];
      try {
        for (const { act, picture } of make(await times.get([owner, orderID]) ?? 0)) {
          const id = await tx.objectStore("acts").add(act);
          if (picture) steps.push(tx.objectStore("pictures").put(picture, id));
          steps.push(times.put(Date.parse(act.at), [owner, orderID]));
        }
        await Promise.all([...steps, tx.done]);
      } catch (error) {
        try {
          tx.abort();
        } catch { /* it has ended by itself */ }
        await Promise.allSettled([...steps, tx.done]);
        throw tx.error ?? error;
      }
    });
  }

  /** Returns the picture of an act. @param {number} id @returns {Promise<Blob>} */
  async picture(id) {
    const { data, type } = await this.#run((db) => db.get("pictures", id));
    return new Blob([data], { type });
  }

  /** Stores an act that is sent differently from now on, unless it has been settled. @param {number} id @param {(act: Act) => Act} make gets the act as it is stored: another tab may have changed it */
  change(id, make) {
    return this.#run(async (db) => {
      const tx = db.transaction("acts", "readwrite", { durability: "strict" }), act = await tx.store.get(id);
      if (act) await tx.store.put(make(act));
      await tx.done;
    });
  }

  /** Removes an act that the service has. @param {number} id */
  settle(id) {
    return this.#run(async (db) => {
      const tx = db.transaction(["acts", "pictures"], "readwrite");
      await Promise.all([tx.objectStore("acts").delete(id), tx.objectStore("pictures").delete(id), tx.done]);
    });
  }

  /** Replaces an act by its refusal, unless it has been settled. After one whose time lay in the future, times go on from those that wait. @param {number} id @param {Omit<Refusal, "id">} refusal */
  refuse(id, refusal) {
    return this.#run(async (db) => {
      const tx = db.transaction(["acts", "pictures", "refusals", "times"], "readwrite");
      const acts = tx.objectStore("acts");
      if (await acts.getKey(id)) {
        await Promise.all([acts.delete(id), tx.objectStore("pictures").delete(id), tx.objectStore("refusals").add(refusal)]);
        if (refusal.code === "too_early") {
          const left = (await acts.index("owner").getAll(refusal.owner)).filter((act) => act.order_id === refusal.act.order_id);
          await tx.objectStore("times").put(Math.max(0, ...left.map((act) => Date.parse(act.at))), [refusal.owner, refusal.act.order_id]);
        }
      }
      await tx.done;
    });
  }

  /** Puts an act back that was refused, in the place of its refusal. @param {number} id of the refusal @param {Act} act */
  reopen(id, act) {
    return this.#run(async (db) => {
      const tx = db.transaction(["acts", "refusals"], "readwrite"), refusals = tx.objectStore("refusals");
      if (await refusals.getKey(id)) await Promise.all([refusals.delete(id), tx.objectStore("acts").put(act)]);
      await tx.done;
    });
  }

  /** Removes a refusal that has been read. @param {number} id */
  forget(id) { return this.#run((db) => db.delete("refusals", id)); }

  /** Keeps a value of an operator. @param {string} owner @param {string} name @param {unknown} value */
  async keep(owner, name, value) { await this.#run((db) => db.put("kept", value, [owner, name])); }

  /** Removes the values of other operators, such as their stops. What they have tapped and not sent, and what they have not read, stays. @param {string} owner */
  clear(owner) {
    return this.#run(async (db) => {
      const tx = db.transaction("kept", "readwrite"), keys = /** @type {[string, string][]} */ (await tx.store.getAllKeys());
      await Promise.all([...keys.filter(([whose]) => whose && whose !== owner).map((key) => tx.store.delete(key)), tx.done]);
    });
  }

  /** Returns a value that was kept; undefined if there is none. @param {string} owner @param {string} name @returns {Promise<any>} */
  kept(owner, name) { return this.#run((db) => db.get("kept", [owner, name])); }
}
