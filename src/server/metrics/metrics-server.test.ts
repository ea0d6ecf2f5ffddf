import { request } from "node:http";
import { expect, test } from "vitest";
import { freePort } from "#testing/free-port.ts";
import { createInstruments } from "./instruments.ts";
import { createMetricsServer } from "./metrics-server.ts";

async function statusUnder(port: number, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request({ port, host: "127.0.0.1", path: "/metrics", headers: { host } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on("error", reject)
    .end();
  return await promise;
}

test("metrics are told to nobody who calls this machine by a name of their own", async () => {
  const port = await freePort();
  const server = createMetricsServer(port, createInstruments(), {
    store: {
      ping: async () => undefined,
      openPurchases: async () => new Map(),
      nodes: { others: async () => new Map() },
    },
    feedState: () => ({ kind: "live" }),
    stops: async () => [],
    socketCount: () => 0,
    busRefusedCount: () => 0,
    queues: async () => ({}),
  });
  await server.run();
  try {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "[::1]"])
      expect(await statusUnder(port, host)).toBe(200);
    for (const host of [`evil.example:${port}`, "127.0.0.1.evil.example", "localhost@evil.example", "a b"])
      expect(await statusUnder(port, host)).toBe(421);
  } finally {
    await server.stop();
  }
});
