import { request } from "node:http";
import { expect, test } from "vitest";
import { freePort } from "#verify/testing/free-port.ts";
import { systemClock } from "../clock.ts";
import { createInstruments } from "./instruments.ts";
import { createMetricsServer, type Gauged } from "./metrics-server.ts";

async function statusUnder(port: number, host: string, path = "/metrics"): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request({ port, host: "127.0.0.1", path, headers: { host } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on("error", reject)
    .end();
  return await promise;
}

const GAUGED: Gauged = {
  store: {
    ping: async () => undefined,
    openPurchases: async () => new Map(),
    nodes: { others: async () => new Map() },
  },
  feedState: () => ({ kind: "live" }) as const,
  stops: async () => [],
  socketCount: () => 0,
  queues: async () => ({}),
  clock: systemClock,
};

const FOREIGN = ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "a b"];
const OF_A_PRIVATE_NETWORK = ["node-1", "172.30.0.7", "[fd00::7]"];

test.for([
  { host: "127.0.0.1", others: "nobody else" },
  { host: "0.0.0.0", others: "its private network" },
])(
  "metrics on $host answer to this machine's names and $others, never to a name that somebody can own",
  async ({ host }) => {
    const port = await freePort();
    const server = createMetricsServer({ host, port }, createInstruments(), GAUGED);
    await server.run();
    try {
      for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, "[::1]"])
        expect(await statusUnder(port, name)).toBe(200);
      for (const name of OF_A_PRIVATE_NETWORK)
        expect(await statusUnder(port, `${name}:${port}`)).toBe(host === "127.0.0.1" ? 421 : 200);
      for (const name of FOREIGN) expect(await statusUnder(port, name)).toBe(421);
    } finally {
      await server.stop();
    }
  },
);

test.for([
  { store: "answers", ping: async () => undefined, status: 200 },
  { store: "fails", ping: async () => await Promise.reject(new Error("away")), status: 503 },
  { store: "is silent", ping: async () => await new Promise<never>(() => undefined), status: 503 },
])("a node's health is $status when its store $store, beside its metrics", async ({ ping, status }) => {
  const port = await freePort();
  const gauged: Gauged = {
    ...GAUGED,
    store: { ...GAUGED.store, ping },
    clock: { schedule: (_, wake) => systemClock.schedule(50, wake) },
  };
  const server = createMetricsServer({ host: "127.0.0.1", port }, createInstruments(), gauged);
  await server.run();
  try {
    expect(await statusUnder(port, `127.0.0.1:${port}`, "/health")).toBe(status);
    expect(await statusUnder(port, "evil.example", "/health")).toBe(421);
    expect(await statusUnder(port, `127.0.0.1:${port}`, "/healthy")).toBe(404);
  } finally {
    await server.stop();
  }
});
