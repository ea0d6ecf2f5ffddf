import { request } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { calls } from "#contract/calls.ts";
import { startHttpWorld, type Answer, type HttpWorld, type Person } from "./http-world.suite.ts";

/** Whatever is sent, an answer is the contract's or one French sentence, never a failure of ours. */
let world: HttpWorld;
let person: Person;
let port: string;

beforeAll(async () => {
  world = await startHttpWorld({ config: { areRateLimitsOn: false } });
  person = await world.signIn("thunder");
  ({ port } = new URL(await world.app.listen({ port: 0, host: "127.0.0.1" })));
});
afterAll(() => world[Symbol.asyncDispose]());

const RUNS = { numRuns: 120 };
const posts = Object.values(calls).filter(({ method }) => method === "POST");
const reads = Object.values(calls).filter((call) => call.method === "GET" && call !== calls.signOut);

function expectDecent(answer: Answer): void {
  expect(answer.status, answer.text).toBeLessThan(500);
  if (answer.status < 400) return;
  expect(answer.body).toMatchObject({ error: expect.stringMatching(/^[A-ZÀ-Ý].+\.$/s) as unknown });
  expect(answer.text).not.toMatch(/\bat \/|node_modules|select |insert |ZodError|FST_ERR/);
}

const anything = fc.jsonValue({ maxDepth: 3 });
const ids = fc.oneof(anything, fc.array(fc.oneof(fc.integer(), fc.double(), fc.constantFrom(221, 53, 6, 1))));
const selection = fc.oneof(anything, fc.record({ ids, names: anything }, { requiredKeys: [] }));
const text = fc.oneof(anything, fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
const number = fc.oneof(anything, fc.double(), fc.integer(), fc.constantFrom(0, 1, 11, 100, 100_001));
const flag = fc.oneof(fc.boolean(), anything);

/** Nearly right, so that it gets past the first checks. */
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
    adresse: fc.oneof(
      anything,
      fc.record({ rue: text, ville: text, code_postal: number, pays: fc.oneof(text, fc.constant("France")) }),
    ),
    relais: fc.oneof(anything, fc.array(text)),
    limites: fc.oneof(anything, fc.record({ jour: number, mois: number, achats_jour: number, arret: flag })),
  },
  { requiredKeys: [] },
);

test.each(posts.map(({ path }) => path))("any body of %s", async (path) => {
  const body = fc.oneof(nearlyRight, anything, fc.string({ unit: "binary" }));
  await fc.assert(
    fc.asyncProperty(body, async (sent) => expectDecent(await person.post(path, sent))),
    RUNS,
  );
});

test.each(reads.map(({ path }) => path))("any query of %s", async (path) => {
  const piece = fc.oneof(
    fc.stringMatching(/^[!-~]{0,20}$/),
    fc.constantFrom("q=", "limit=", "&", "%", "%00", "%c3%28", "[]", "=1", "__proto__"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) =>
      expectDecent(await person.get(`${path}?${pieces.join("").replaceAll("#", "")}`)),
    ),
    RUNS,
  );
});

/** Over a real connection: whoever builds a request for a test would tidy its address first. */
function askRaw(method: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host: "localhost:3000" };
    const asked = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: answer }));
    });
    asked.on("error", reject).end();
  });
}

test("any address", async () => {
  const part = fc.oneof(
    fc.stringMatching(/^[!-~]{0,12}$/),
    fc.constantFrom("..", ".env", "%2e%2e", "%5c", "\\", "filtres", "auth", "synapse", "%E0%A4%A", "get"),
  );
  const methods = fc.constantFrom("GET", "POST", "PUT", "HEAD");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 5 }), methods, async (parts, method) => {
      const answer = await askRaw(method, `/${parts.join("/")}`);
      // Without a built web its pages say 503, and nothing else may.
      if (answer.status === 503) expect(answer.text === "" || answer.text.includes("L'interface")).toBe(true);
      else expect(answer.status).toBeLessThan(500);
    }),
    { numRuns: 400 },
  );
});

test("any headers", async () => {
  const value = fc.stringMatching(/^[ -~]{0,40}$/);
  const headers = fc.record(
    {
      host: fc.oneof(value, fc.constant("localhost:3000")),
      cookie: fc.oneof(
        value,
        value.map((secret) => `__Host-sid=${secret}`),
      ),
      origin: value,
      "content-type": fc.oneof(value, fc.constant("application/json")),
      "sec-fetch-site": fc.oneof(value, fc.constant("same-origin")),
      "accept-encoding": value,
      "x-forwarded-for": value,
      "x-forwarded-host": value,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(headers, fc.constantFrom(...Object.values(calls)), async (sent, { method, path }) =>
      expectDecent(await world.anonymous.send(method, path, { headers: sent })),
    ),
    { numRuns: 400 },
  );
});
