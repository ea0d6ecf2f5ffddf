import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { calls } from "#contract/calls.ts";
import { startHttpWorld, type Answer, type HttpWorld, type Person } from "#http/http-world.suite.ts";
import { figure, sized } from "./figures.ts";
import { anyBody, anyQuery } from "./any-body.ts";

/**
 * Many requests of every call. Slowness is judged against a named baseline, the middle of what the same run needs for
 * an ordinary read: an input is slow when it takes a thousand times that, again and again.
 */
const SLOW_FACTOR = 1_000;
const RUNS = sized(2_000, 50_000);

let world: HttpWorld;
let person: Person;
let baselineMs: number;
const tally = { sent: 0, refused: 0, slowest: 0 };

beforeAll(async () => {
  world = await startHttpWorld({ config: { areRateLimitsOn: false } });
  person = await world.signIn("thunder");
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
  const startedMs = performance.now();
  const answer = await person.send(method, path, body === undefined ? {} : { body });
  return { answer, ms: performance.now() - startedMs };
}

const INSIDE = /\bat \/|node_modules|select |insert |ZodError|FST_ERR|SyntaxError/;
const SENTENCE = /^[A-ZÀ-Ý].+\.$/s;

async function expectDecent(method: string, path: string, body?: unknown): Promise<void> {
  const { answer, ms } = await timed(method, path, body);
  tally.sent += 1;
  // The call ended the session or the account: somebody else goes on.
  if (answer.status === 401) person = await world.signIn("thunder");
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
  // A busy machine is slow once; an input that is slow is so every time.
  const again = [await timed(method, path, body), await timed(method, path, body)];
  expect(Math.min(...again.map((one) => one.ms)) / baselineMs, `${path} is slow`).toBeLessThan(SLOW_FACTOR);
}

// Signing out takes no input; it would only make every second request one of a stranger's.
const endpoints = Object.values(calls).filter((call) => call !== calls.signOut);

test.each(endpoints.map(({ method, path }) => [method, path] as const))("any %s %s", async (method, path) => {
  await fc.assert(
    method === "POST"
      ? fc.asyncProperty(anyBody, (body) => expectDecent(method, path, body))
      : fc.asyncProperty(anyQuery, (query) => expectDecent(method, `${path}?${query}`)),
    { numRuns: RUNS, endOnFailure: true },
  );
});
