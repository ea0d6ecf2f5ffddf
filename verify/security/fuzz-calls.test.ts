import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { calls } from "#contract/calls.ts";
import { startHttpWorld, type Answer, type HttpWorld, type Person } from "#http/http-world.suite.ts";
import { figure, sized } from "./figures.ts";

/** Invalid request bodies and queries. */

const anything = fc.jsonValue({ maxDepth: 3 });
const ids = fc.oneof(anything, fc.array(fc.oneof(fc.integer(), fc.double(), fc.constantFrom(221, 53, 6, 1))));
const selection = fc.oneof(anything, fc.record({ ids, names: anything }, { requiredKeys: [] }));
const text = fc.oneof(anything, fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
const number = fc.oneof(anything, fc.double(), fc.integer(), fc.constantFrom(0, 1, 11, 100, 100_001));
const flag = fc.oneof(fc.boolean(), anything);

/** Nearly valid, so that it passes the first checks. */
const nearlyRight = fc.record(
  {
    _id: text,
    IDs: fc.oneof(anything, fc.array(text)),
    id: number,
    price: fc.oneof(anything, fc.record({ amount: text, currency_code: fc.constantFrom("EUR", "USD", 1) })),
    tag: fc.oneof(text, fc.constant("Robes")),
    active: flag,
    autobuy: flag,
    private: flag,
    types: selection,
    brands: selection,
    sizes: selection,
    status: selection,
    color: fc.oneof(text, fc.constantFrom("", "Red", "__proto__", "constructor")),
    limit: number,
    paiement: number,
    info: text,
    mots: fc.oneof(anything, fc.array(text)),
    exclure: fc.oneof(anything, fc.array(text)),
    max_achats: number,
    token: text,
    discord: fc.oneof(text, fc.constant("https://discord.com/api/webhooks/1/2")),
    adresse: fc.oneof(
      anything,
      fc.record({ rue: text, ville: text, code_postal: number, pays: fc.oneof(text, fc.constant("France")) }),
    ),
    relais: fc.oneof(anything, fc.array(text)),
    limites: fc.oneof(anything, fc.record({ jour: number, mois: number, achats_jour: number, arret: flag })),
  },
  { requiredKeys: [] },
);

/** Request bodies: nearly valid, any JSON, or not JSON at all. */
const anyBody = fc.oneof(nearlyRight, anything, fc.string({ unit: "binary" }));

const piece = fc.oneof(
  fc.stringMatching(/^[!-~]{0,20}$/),
  fc.constantFrom("q=", "limit=", "&", "%", "%00", "%c3%28", "[]", "=1", "__proto__"),
);

const anyQuery = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("").replaceAll("#", ""));

/**
 * Many requests of every call. Speed is compared with the median of an ordinary read in the same run: an
 * input is slow when it repeatedly takes a thousand times as long.
 */
const SLOW_FACTOR = 1_000;
const REQUESTS = sized(2_000, 50_000);
/** Of a call that reads neither a body nor a query. */
const REQUESTS_UNREAD = sized(100, 2_000);
/** Concurrent, because sequential requests spend most of their time waking the store's thread. */
const AT_ONCE = 20;

let world: HttpWorld;
let person: Promise<Person>;
let baselineMs: number;
const tally = { sent: 0, refused: 0, slowest: 0 };

beforeAll(async () => {
  world = await startHttpWorld({ config: { areRateLimitsOn: false } });
  person = world.signIn("thunder");
  const samples: number[] = [];
  for (let round = 0; round < 50; round += 1) samples.push((await timed("GET", "/auth/user")).ms);
  baselineMs = samples.toSorted((a, b) => a - b)[25] ?? 1;
});
afterAll(async () => {
  figure(
    "fuzz, calls",
    `${tally.sent} requests of ${endpoints.length} calls, ${tally.refused} refused: 0 of 5xx, 0 words of the inside, slowest ${tally.slowest.toFixed(0)} x GET /auth/user`,
  );
  await world[Symbol.asyncDispose]();
});

interface Timed {
  readonly answer: Answer;
  readonly ms: number;
}

async function timed(method: string, path: string, body?: unknown): Promise<Timed> {
  const sender = await person;
  const startedMs = performance.now();
  const answer = await sender.send(method, path, body === undefined ? {} : { body });
  return { answer, ms: performance.now() - startedMs };
}

const INSIDE = /\bat \/|node_modules|select |insert |ZodError|FST_ERR|SyntaxError/;
const SENTENCE = /^[A-ZÀ-Ý].+\.$/s;

/** Retried as another user after a 401: a concurrent request may have ended the session or deleted the account. */
async function answered(method: string, path: string, body?: unknown): Promise<Timed> {
  for (let others = AT_ONCE - 1; ; others -= 1) {
    const sender = person;
    const sent = await timed(method, path, body);
    if (sent.answer.status !== 401 || others === 0) return sent;
    // Only the first one signs in again.
    if (person === sender) person = world.signIn("thunder");
  }
}

async function expectDecent(method: string, path: string, body?: unknown): Promise<void> {
  const { answer, ms } = await answered(method, path, body);
  tally.sent += 1;
  if (answer.status >= 500) expect(answer.status, `${path} ${JSON.stringify(body)}`).toBeLessThan(500);
  if (INSIDE.test(answer.text)) expect(answer.text).not.toMatch(INSIDE);
  if (answer.status >= 400) {
    tally.refused += 1;
    const { error } = answer.body as { readonly error?: unknown };
    if (typeof error !== "string" || !SENTENCE.test(error)) expect(answer.text).toMatch(SENTENCE);
  }
  const factor = ms / baselineMs;
  if (factor < SLOW_FACTOR) {
    tally.slowest = Math.max(tally.slowest, factor);
    return;
  }
  expect(await repeatedFactor(method, path, body), `${path} is slow`).toBeLessThan(SLOW_FACTOR);
}

/** The least of several tries, each compared with a read at the same time: a busy machine slows both. */
async function repeatedFactor(method: string, path: string, body?: unknown): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < 5 && least >= SLOW_FACTOR; tries += 1) {
    const [one, read] = await Promise.all([timed(method, path, body), timed("GET", "/auth/user")]);
    least = Math.min(least, one.ms / Math.max(read.ms, baselineMs));
  }
  return least;
}

// Signing out has no input and would make every second request anonymous.
const endpoints = Object.values(calls).filter((call) => call !== calls.signOut);

const cases = endpoints.map((call) => {
  const isRead = call.method === "POST" || "query" in call;
  return [call.method, call.path, isRead ? REQUESTS : REQUESTS_UNREAD] as const;
});

test.each(cases)("any %s %s", async (method, path, requests) => {
  await fc.assert(
    method === "POST"
      ? fc.asyncProperty(several(anyBody), async (bodies) => {
          await Promise.all(bodies.map((body) => expectDecent(method, path, body)));
        })
      : fc.asyncProperty(several(anyQuery), async (queries) => {
          await Promise.all(queries.map((query) => expectDecent(method, `${path}?${query}`)));
        }),
    { numRuns: requests / AT_ONCE, endOnFailure: true },
  );
});

function several<Input>(input: fc.Arbitrary<Input>): fc.Arbitrary<readonly Input[]> {
  return fc.tuple(...Array.from({ length: AT_ONCE }, () => input));
}
