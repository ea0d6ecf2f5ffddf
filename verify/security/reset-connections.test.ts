import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProduct, type Product } from "../../e2e/product.ts";
import { signInAt, type Person } from "#verify/testing/person.ts";
import { figure, sized } from "./figures.ts";

/** A connection that its client resets, at whatever byte, must not end the process. */
let product: Product;
let person: Person;

beforeAll(async () => {
  // Without rate limits, so that every request is processed as far as its client lets it.
  product = await startProduct({ RATE_LIMITS: "off", LOG_LEVEL: "error" });
  person = await signInAt(product.url, "thunder-coupure");
});
afterAll(() => product.stop());

const AT_ONCE = 20;
const UPGRADE =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

const broken = fc.record({
  line: fc.constantFrom(
    "GET /socket.io/?EIO=4&transport=websocket",
    "GET /socket.io/?EIO=4&transport=polling",
    "POST /socket.io/?EIO=4&transport=websocket",
    "GET /another?EIO=4&transport=websocket",
    "GET /articles/recent",
    "POST /filtres/add",
    "GET /synapse/articles",
  ),
  hasSession: fc.boolean(),
  /** Names a connection that the person has opened. */
  hasSid: fc.boolean(),
  origin: fc.constantFrom(null, "own", "null", "http://evil.example"),
  isUpgrade: fc.boolean(),
  /** The part of the request that is sent. */
  share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  /** A frame in the same packet. */
  frame: fc.constantFrom("", "\u0081\u0082\0\0\0\u000040", "\u0088\u0080\0\0\0\0", "\u00ff\u00ff"),
  waitMs: fc.constantFrom(0, 0, 1, 2, 5, 10, 30),
  isReset: fc.boolean(),
});
type Broken = typeof broken extends fc.Arbitrary<infer One> ? One : never;

async function newSid(): Promise<string> {
  const { body } = await person.raw("GET", "/socket.io/?EIO=4&transport=polling");
  return /"sid":"([^"]+)"/.exec(String(body))?.[1] ?? "";
}

async function bytesOf({
  line,
  hasSession,
  hasSid,
  origin,
  isUpgrade,
  share,
  frame,
}: Broken): Promise<Buffer> {
  const sid = hasSid && line.includes("?") ? `&sid=${await newSid()}` : "";
  const from = origin === null ? "" : `Origin: ${origin === "own" ? product.url : origin}\r\n`;
  const session = hasSession ? `Cookie: ${person.cookie}\r\n` : "";
  const { host } = new URL(product.url);
  const upgrade = isUpgrade ? UPGRADE : "";
  const text = `${line}${sid} HTTP/1.1\r\nHost: ${host}\r\n${from}${session}${upgrade}\r\n${frame}`;
  return Buffer.from(text.slice(0, Math.ceil(text.length * share)), "latin1");
}

/** @throws Error when it is not connected: the process has ended */
async function breakOff(one: Broken): Promise<void> {
  const bytes = await bytesOf(one);
  const wire = connect(Number(new URL(product.url).port), "localhost");
  await once(wire, "connect");
  // The connection of a client that is gone may be reset by the server first.
  wire.on("error", () => undefined);
  wire.resume();
  wire.write(bytes);
  await pause(one.waitMs);
  if (one.isReset) wire.resetAndDestroy();
  else wire.destroy();
}

test("connections that are broken off at any byte end nothing", async () => {
  const count = sized(5_000, 200_000);
  const left = fc.sample(broken, count);
  const breakOffAll = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) await breakOff(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, breakOffAll));
  expect((await person.raw("GET", "/auth/user")).status).toBe(200);
  figure("broken connections", `${count} broken off at any byte: the process went on`);
});
