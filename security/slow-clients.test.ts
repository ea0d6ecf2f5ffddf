import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProduct, type Product } from "../e2e/product.ts";
import { signInAt, type Person } from "../src/testing/person.ts";
import { figure } from "./figures.ts";

/** Five hundred clients that never finish what they say: the others are served as before, and the slow ones are sent away. */
const SLOW_CLIENTS = 500;
const MOST_SLOWDOWN = 2;
const SAMPLES = 200;
/** The best round counts: a busy machine only ever adds. */
const ROUNDS = 5;

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

function openSlow(index: number): { readonly wire: Socket; readonly isGone: () => boolean } {
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

test("five hundred slow clients slow nobody down and are sent away", async () => {
  await p99Ms();
  const before: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) before.push(await p99Ms());
  const slow = Array.from({ length: SLOW_CLIENTS }, (_, index) => openSlow(index));
  await expect.poll(() => slow.filter(({ wire }) => wire.readyState === "open").length).toBe(SLOW_CLIENTS);
  const beside: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) beside.push(await p99Ms());
  const slowdown = Math.min(...beside) / Math.min(...before);
  // Headers have ten seconds, a whole request twenty; who says nothing at all keeps only a place.
  const dripping = slow.filter((_, index) => index % beginnings.length !== 2);
  await expect.poll(() => dripping.every(({ isGone }) => isGone()), { timeout: 60_000 }).toBe(true);
  for (const { wire } of slow) wire.destroy();
  figure(
    "slow clients",
    `${SLOW_CLIENTS} clients that never finish: others' p99 x ${slowdown.toFixed(2)}, ${dripping.length} of ${dripping.length} dripping ones sent away`,
  );
  expect(slowdown).toBeLessThanOrEqual(MOST_SLOWDOWN);
  expect(await person.call("user")).toMatchObject({ user: { level: 2 } });
});
