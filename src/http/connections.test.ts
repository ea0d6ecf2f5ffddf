import { EventEmitter } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { HttpConfig } from "./http-deps.ts";
import { type HttpWorld, startHttpWorld } from "./http-world.suite.ts";
import { boundConnections } from "./plugins/admission.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

interface Listening {
  readonly app: HttpWorld["app"];
  readonly dial: () => Socket;
  readonly openCount: () => Promise<number>;
}

async function startListening(config: Partial<HttpConfig>, host = "127.0.0.1"): Promise<Listening> {
  const world = await startHttpWorld({ config });
  closers.push(async () => world[Symbol.asyncDispose]());
  const { app } = world;
  const port = Number(new URL(await app.listen({ port: 0, host })).port);
  return {
    app,
    dial() {
      const wire = connect(port, host).on("error", () => undefined);
      closers.push(() => void wire.destroy());
      return wire;
    },
    openCount: () =>
      new Promise((resolve, reject) =>
        app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
  };
}

const isClosed = (wire: Socket): boolean => wire.resume().closed;

test("an address may hold 256 connections; the next is closed until one of them ends", async () => {
  const { dial, openCount } = await startListening({ isSandbox: false });
  const wires = Array.from({ length: 256 }, dial);
  await expect.poll(openCount).toBe(256);
  const dialledAtMs = performance.now();
  const late = Array.from({ length: 20 }, dial);
  await expect.poll(() => late.every(isClosed)).toBe(true);
  // Earlier than the ten seconds after which silent clients are disconnected anyway.
  expect(performance.now() - dialledAtMs).toBeLessThan(10_000);
  expect(wires.some(isClosed)).toBe(false);
  wires[0]?.destroy();
  await expect.poll(openCount).toBe(255);
  const next = dial();
  next.write("GET /health HTTP/1.1\r\nHost: localhost:3000\r\n\r\n");
  await new Promise((resolve) => void next.once("data", resolve));
  expect(await openCount()).toBe(256);
});

test("an IPv6 subscriber holds 2,048 connections, from whichever networks of theirs", () => {
  const server = new EventEmitter();
  boundConnections(server, { isSandbox: false, areRateLimitsOn: true, trustedProxies: [] });
  const dialFrom = (remoteAddress: string) => {
    const wire = Object.assign(new EventEmitter(), { remoteAddress, isCut: false });
    server.emit("connection", Object.assign(wire, { destroy: () => (wire.isCut = true) }));
    return wire;
  };
  const wires = Array.from({ length: 2_100 }, (_, i) => dialFrom(`2001:db8:1:${(i % 100).toString(16)}::1`));
  expect(wires.filter(({ isCut }) => isCut)).toHaveLength(52);
  expect(dialFrom("2001:db8:2::1").isCut).toBe(false);
  wires[0]?.emit("close");
  expect(dialFrom("2001:db8:1:ffff::1").isCut).toBe(false);
  expect(dialFrom("2001:db8:1:ffff::1").isCut).toBe(true);
});

test.each([
  ["in the sandbox this machine, which is many people,", {}],
  ["a proxy that is trusted", { isSandbox: false, trustedProxies: ["127.0.0.1"] }],
  ["with the limits lifted everybody", { isSandbox: false, areRateLimitsOn: false }],
] as const)("%s holds any number of connections", async (_who, config) => {
  const { dial, openCount } = await startListening(config);
  const wires = Array.from({ length: 300 }, dial);
  await expect.poll(openCount).toBe(300);
  expect(wires.some(isClosed)).toBe(false);
});

test("a client that reads nothing of an answer is disconnected", async () => {
  const webRoot = await mkdtemp(join(tmpdir(), "synapse-web-"));
  closers.push(() => rm(webRoot, { recursive: true }));
  await mkdir(join(webRoot, "assets"));
  // More than the system's buffers hold.
  await writeFile(join(webRoot, "assets", "large.woff2"), Buffer.alloc(16 * 1024 * 1024));
  const { app, dial, openCount } = await startListening({ webRoot });
  expect(app.server.timeout).toBe(60_000);
  app.server.timeout = 500;
  const wire = dial().pause();
  wire.write("GET /assets/large.woff2 HTTP/1.1\r\nHost: localhost:3000\r\n\r\n".repeat(3));
  await new Promise((resolve) => void wire.once("readable", resolve));
  await expect.poll(openCount).toBe(0);
});
