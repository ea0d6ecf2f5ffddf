import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProduct, type Product } from "../../e2e/product.ts";
import { signInAt, type Person } from "#verify/testing/person.ts";
import { figure, median } from "./figures.ts";

/** Clients that never complete a request are disconnected, and others are served as before. */
const SLOW_CLIENTS = 500;
const MOST_SLOWDOWN = 2;
const SAMPLES = 200;
/** The minimum over the rounds counts, because a busy machine only adds time. */
const LEAST_ROUNDS = 5;
const MOST_ROUNDS = 25;

let product: Product;
let person: Person;

beforeAll(async () => {
  product = await startProduct({ LOG_LEVEL: "error" });
  person = await signInAt(product.url, "thunder-lea");
});
afterAll(() => product.stop());

async function p99Ms(): Promise<number> {
  const samples: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    const startedMs = performance.now();
    await person.call("user");
    samples.push(performance.now() - startedMs);
  }
  return samples.toSorted((a, b) => a - b)[Math.floor(SAMPLES * 0.99)] ?? Infinity;
}

const beginnings = [
  (host: string) => `GET /auth/user HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `,
  (host: string) =>
    `POST /filtres/add HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{"tag":"`,
  () => "",
] as const;

interface SlowClient {
  readonly wire: Socket;
  readonly isGone: () => boolean;
}

function openSlow(index: number): SlowClient {
  const { host, port } = new URL(product.url);
  let isGone = false;
  const wire = connect(Number(port), "localhost", () => {
    const begin = beginnings[index % beginnings.length];
    wire.write(begin?.(host) ?? "");
  });
  const drip = setInterval(() => {
    if (wire.writable && index % beginnings.length !== 2) wire.write("x");
  }, 1_000);
  wire.on("error", () => undefined);
  wire.resume();
  wire.on("close", () => {
    isGone = true;
    clearInterval(drip);
  });
  return { wire, isGone: () => isGone };
}

/**
 * Each round measures both in succession, so that other load affects both alike; the median of the rounds' ratios
 * leaves out those in which it did not. A real slowdown persists.
 */
test("five hundred slow clients slow nobody down and are sent away", async () => {
  const slowdowns: number[] = [];
  let slow: readonly SlowClient[] = [];
  const isUndecided = (round: number): boolean =>
    round < LEAST_ROUNDS || (median(slowdowns) > MOST_SLOWDOWN && round < MOST_ROUNDS);
  for (let round = 0; isUndecided(round); round += 1) {
    for (const { wire } of slow) wire.destroy();
    const aloneMs = await settledP99Ms();
    slow = await openAll();
    slowdowns.push((await settledP99Ms()) / aloneMs);
  }
  // The limit is 10 s for headers and 20 s for a request; a silent client only occupies a connection.
  const dripping = slow.filter((_, index) => index % beginnings.length !== 2);
  await expect.poll(() => dripping.every(({ isGone }) => isGone())).toBe(true);
  for (const { wire } of slow) wire.destroy();
  const slowdown = median(slowdowns);
  figure(
    "slow clients",
    `${SLOW_CLIENTS} clients that never finish: others' p99 x ${slowdown.toFixed(2)}, ${dripping.length} of ${dripping.length} dripping ones sent away`,
  );
  expect(slowdown).toBeLessThanOrEqual(MOST_SLOWDOWN);
  expect(await person.call("user")).toMatchObject({ user: { level: 2 } });
});

async function openAll(): Promise<readonly SlowClient[]> {
  const slow = Array.from({ length: SLOW_CLIENTS }, (_, index) => openSlow(index));
  await expect.poll(() => slow.filter(({ wire }) => wire.readyState === "open").length).toBe(SLOW_CLIENTS);
  return slow;
}

/** The second measurement, once clients have stopped connecting and disconnecting. */
async function settledP99Ms(): Promise<number> {
  await p99Ms();
  return await p99Ms();
}
