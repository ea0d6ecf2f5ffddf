import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";

test("a free port is unused, and outside the system's range for outgoing connections", async () => {
  const taken = await freePort();
  const server = createServer().listen(taken, "127.0.0.1");
  await once(server, "listening");
  const given: number[] = [];
  while (given.length < 100) given.push(await freePort());
  server.close();
  expect(given).not.toContain(taken);
  expect(new Set(given).size).toBeGreaterThan(50);
  if (process.platform !== "linux") return;
  const [lowest] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split("\t").map(Number);
  expect(Math.max(...given)).toBeLessThan(lowest ?? 0);
});
