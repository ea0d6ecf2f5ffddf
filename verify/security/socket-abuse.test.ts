import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProduct, type Product } from "../../e2e/product.ts";
import { signInAt, type Person } from "#verify/testing/person.ts";
import { openTab } from "#verify/testing/tab.ts";
import { figure, median, sized } from "./figures.ts";

/**
 * Ten people open five sockets each, send requests without end and never read an answer. A bare server grows
 * by hundreds of megabytes in seconds; the product must stay small, disconnect them and serve the others.
 */
const PEOPLE = 10;
const SOCKETS_EACH = 5;
const MOST_GROWTH_MB = 64;
const CUT_WITHIN_MS = 5_000;
/** Others may take twice as long. */
const MOST_SLOWDOWN = 2;
const SAMPLES = 300;
/** The minimum over the rounds counts, because a busy machine only adds time. */
const LEAST_ROUNDS = sized(4, 40);
const MOST_ROUNDS = sized(25, 40);

let product: Product;
let attackers: Person[];
let otherPerson: Person;

beforeAll(async () => {
  product = await startProduct({ RATE_LIMITS: "on", LOG_LEVEL: "error", SANDBOX_LISTINGS_PER_SECOND: "5" });
  otherPerson = await signInAt(product.url, "thunder-voisin");
  attackers = [];
  for (let index = 0; index < PEOPLE; index += 1)
    attackers.push(await signInAt(product.url, `thunder-flot-${index}`));
});
afterAll(() => product.stop());

/** Resident memory in MB; null where unavailable. */
function residentMb(): number | null {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${product.pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return null;
  }
}

interface Offender {
  readonly wire: Socket;
  readonly isCut: () => boolean;
  readonly cutAfterMs: () => number;
  readonly flood: () => void;
}

/** A hand-written WebSocket client that neither reads nor obeys the protocol. */
async function openOffender({ cookie }: Person): Promise<Offender> {
  const { port } = new URL(product.url);
  const wire = connect(Number(port), "localhost");
  wire.write(
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: ${cookie}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`,
  );
  let isCut = false;
  let floodedAtMs = 0;
  let cutAtMs = 0;
  wire.on("error", () => undefined);
  wire.on("close", () => {
    isCut = true;
    cutAtMs = performance.now();
  });
  await new Promise<void>((resolve) => void wire.once("data", () => resolve()));
  wire.write(frameOf("40"));
  wire.pause();
  return {
    wire,
    isCut: () => isCut,
    cutAfterMs: () => cutAtMs - floodedAtMs,
    flood() {
      floodedAtMs = performance.now();
      const question = Buffer.concat(Array.from({ length: 500 }, () => frameOf('42["flux_handler"]')));
      const pump = (): void => {
        while (wire.writable && wire.write(question));
        if (wire.writable) wire.once("drain", pump);
      };
      pump();
      // Resumes reading later, or the end of the connection would not be noticed.
      setTimeout(() => wire.resume(), CUT_WITHIN_MS / 2).unref();
    },
  };
}

/** A masked text frame of a client. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

/** The p99 latency of another person's call, one without rate limit and store access. */
async function p99Ms(): Promise<number> {
  const samples: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    const startedMs = performance.now();
    expect((await fetch(`${product.url}/favicon.svg`)).status).toBe(200);
    samples.push(performance.now() - startedMs);
  }
  return samples.toSorted((a, b) => a - b)[Math.floor(SAMPLES * 0.99)] ?? Infinity;
}

/**
 * Each round measures both in succession, so that other load affects both alike; the median of the rounds' ratios
 * leaves out those in which it did not. A real slowdown persists.
 */
test("fifty sockets that flood and never read cost little, are cut, and slow nobody else", async () => {
  await p99Ms();
  let mostMb = 0;
  const slowdowns: number[] = [];
  let cutCount = 0;
  let slowestCutMs = 0;
  const restMb = residentMb();
  const isUndecided = (round: number): boolean =>
    round < LEAST_ROUNDS || (median(slowdowns) > MOST_SLOWDOWN && round < MOST_ROUNDS);
  for (let round = 0; isUndecided(round); round += 1) {
    const aloneMs = await p99Ms();
    const offenders: Offender[] = [];
    for (const person of attackers)
      for (let index = 0; index < SOCKETS_EACH; index += 1) offenders.push(await openOffender(person));
    for (const one of offenders) one.flood();
    slowdowns.push((await p99Ms()) / aloneMs);
    mostMb = Math.max(mostMb, residentMb() ?? 0);
    await expect.poll(() => offenders.every(({ isCut }) => isCut())).toBe(true);
    mostMb = Math.max(mostMb, residentMb() ?? 0);
    cutCount += offenders.length;
    slowestCutMs = Math.max(slowestCutMs, ...offenders.map((one) => one.cutAfterMs()));
  }
  const slowdown = median(slowdowns);
  const growthMb = restMb === null ? 0 : Math.max(0, mostMb - restMb);
  figure(
    "socket abuse",
    `${cutCount} flooding sockets that never read: all cut (slowest ${(slowestCutMs / 1_000).toFixed(1)} s, half of it our own silence), memory + ${growthMb.toFixed(0)} MB, others' p99 x ${slowdown.toFixed(2)}`,
  );
  expect(growthMb).toBeLessThanOrEqual(MOST_GROWTH_MB);
  expect(slowdown).toBeLessThanOrEqual(MOST_SLOWDOWN);
  const tab = openTab(product.url, otherPerson.cookie);
  await expect.poll(() => tab.life).toEqual(["connect"]);
  tab.close();
});

test("a person's flood affects only that person: the sixth socket is refused, the neighbour's is not", async () => {
  const [person] = attackers;
  if (person === undefined) throw new Error("nobody attacks");
  const tabs = Array.from({ length: 8 }, () => openTab(product.url, person.cookie));
  await expect.poll(() => tabs.every(({ life }) => life.length > 0)).toBe(true);
  const refused = tabs.flatMap(({ life }) => life).filter((line) => line.startsWith("connect_error"));
  expect(refused).toHaveLength(3);
  expect(new Set(refused).size).toBe(1);
  const tab = openTab(product.url, otherPerson.cookie);
  await expect.poll(() => tab.life).toEqual(["connect"]);
  for (const one of [...tabs, tab]) one.close();
  figure("socket abuse", "8 sockets of one person: 5 let in, 3 refused with a sentence");
});
