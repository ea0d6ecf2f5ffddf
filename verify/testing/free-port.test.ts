import { execFileSync } from "node:child_process";
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

test("two that would begin with the same port use separate ranges", () => {
  const module = new URL("./free-port.ts", import.meta.url).href;
  const script = `
    const [one, other] = [await import("${module}?one"), await import("${module}?other")];
    console.log(await one.freePort(), await other.freePort());
  `;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  const [one, other] = printed.split(" ").map((port) => Math.floor(Number(port) / 100));
  expect(one).not.toBe(other);
});
