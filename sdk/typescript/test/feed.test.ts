import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { Client, type FeedOptions } from "../src/index.js";

const key = { public_key: "pk_1", secret_key: "sk_1" };
const now = 0x0199_0000_0000;

/** Returns the id of an event, some milliseconds after now. */
function id(after: number): string {
  const hex = (now + after).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-0000000000ff`;
}

function entry(after: number, order: string, sequence: number, secret = key.secret_key): object {
  const body = JSON.stringify({ id: id(after), type: "order.accepted", sequence, data: { order_id: order } });
  return { event_id: id(after), body, signature: `v1=${createHmac("sha256", secret).update(body).digest("hex")}` };
}

function page(cursor: number, ...events: object[]): Response {
  return Response.json({ events, cursor: id(cursor) });
}

/** Follows a service that gives these answers one after the other, and returns the events until the feed ends. */
async function follow(
  options: FeedOptions,
  ...answers: (Response | Error)[]
): Promise<{ events: string[]; queries: string[]; error: unknown }> {
  const queries: string[] = [];
  const client = new Client("http://service.test", key, {
    fetch: async (request) => {
      queries.push(new URL(request.url).search);
      const next =
        answers.shift() ?? Response.json({ error: { code: "forbidden", message: "enough" } }, { status: 403 });
      if (next instanceof Error) {
        throw next;
      }
      return next;
    },
  });
  const events: string[] = [];
  try {
    for await (const event of await client.feed(options)) {
      assert.ok("order_id" in event.data);
      events.push(`${event.data.order_id} ${event.sequence}`);
    }
  } catch (error) {
    return { events, queries, error };
  }
  throw new Error("the feed ended without an error");
}

describe("feed", { concurrency: true }, () => {
  test("a feed returns each event once, those of an order in their sequence", async () => {
    const { events, queries, error } = await follow(
      {},
      page(0),
      page(30, entry(10, "a", 2), entry(15, "b", 1), entry(20, "a", 1)),
      page(40, entry(15, "b", 1), entry(20, "a", 1), entry(40, "b", 2)),
    );
    assert.deepEqual(events, ["a 1", "b 1", "a 2", "b 2"]);
    assert.deepEqual(queries, [
      "?wait=0",
      `?wait=20&after=${id(0)}`,
      `?wait=20&after=${id(30)}`,
      `?wait=20&after=${id(40)}`,
    ]);
    assert.match(String(error), /403 forbidden/);
  });

  test("a feed begins at a time", async () => {
    const { events, queries } = await follow({ since: new Date(now) }, page(20, entry(-1, "a", 1), entry(20, "a", 2)));
    assert.deepEqual(events, ["a 2"]);
    assert.equal(queries[0], `?wait=0&after=${id(0).replace(/ff$/, "00")}`);
  });

  test("a feed continues after failures, and says so once", async () => {
    const said: string[] = [];
    const options = {
      onDisconnect: (error: unknown) => said.push(String(error)),
      onReconnect: () => said.push("back"),
    };
    const { events } = await follow(
      options,
      page(0),
      new Error("lost"),
      new Response("", { status: 502 }),
      page(10, entry(10, "a", 1)),
    );
    assert.deepEqual(events, ["a 1"]);
    assert.deepEqual(said, ["NoAnswerError: GET /v1/webhooks/feed: lost", "back"]);
  });

  test("a forged event ends a feed", async () => {
    const { events, error } = await follow({}, page(0), page(20, entry(10, "a", 1, "sk_2")));
    assert.deepEqual(events, []);
    assert.match(String(error), /not signed by the service/);
  });

  test("a signal ends a feed", async () => {
    const { error } = await follow({ signal: AbortSignal.timeout(50) }, page(0), page(0));
    assert.match(String(error), /timeout/);
  });
});
