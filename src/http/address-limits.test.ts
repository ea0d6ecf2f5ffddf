import { afterAll, beforeAll, expect, test } from "vitest";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

/** Outside the sandbox every address counts, including this machine's; behind a proxy, the forwarded one. */
let world: HttpWorld;
let proxied: HttpWorld;
let unlimited: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld({ config: { isSandbox: false } });
  proxied = await startHttpWorld({ config: { isSandbox: false, trustedProxies: ["127.0.0.1"] } });
  unlimited = await startHttpWorld({ config: { isSandbox: false, areRateLimitsOn: false } });
});
afterAll(() => Promise.all([world, proxied, unlimited].map((one) => one[Symbol.asyncDispose]())));

async function statusesOf(count: number, get: (turn: number) => Promise<{ readonly status: number }>) {
  const statuses: number[] = [];
  for (let turn = 0; turn < count; turn += 1) statuses.push((await get(turn)).status);
  return statuses;
}

test("an address begins or ends twenty sign-ins a minute, regardless of its forwarded headers", async () => {
  const statuses = await statusesOf(21, (turn) =>
    world.anonymous.get("/auth/discord/callback", { headers: { "x-forwarded-for": `10.0.0.${turn}` } }),
  );
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 302));
  expect(statuses[20]).toBe(429);
  expect((await world.anonymous.get("/auth/discord")).status).toBe(429);
  expect((await world.anonymous.get("/auth/user")).status).toBe(200);
});

test("behind a proxy that is trusted every address counts for itself", async () => {
  const statuses = await statusesOf(30, (turn) =>
    proxied.anonymous.get("/auth/discord/callback", { headers: { "x-forwarded-for": `10.0.0.${turn}` } }),
  );
  expect(new Set(statuses)).toEqual(new Set([302]));
  // Addresses that a client puts in front are ignored: the proxy's entry is the last.
  const forged = await statusesOf(21, (turn) =>
    proxied.anonymous.get("/auth/discord/callback", {
      headers: { "x-forwarded-for": `10.9.9.${turn}, 10.1.1.1` },
    }),
  );
  expect(forged[20]).toBe(429);
});

test("all addresses of one IPv6 subscriber are one address, and IPv4 written as IPv6 is IPv4", async () => {
  const from = (address: string) => (turn: number) =>
    proxied.anonymous.get("/auth/discord/callback", {
      headers: { "x-forwarded-for": address.replace("TURN", turn.toString(16)) },
    });
  expect((await statusesOf(21, from("2001:db8:1:2:TURN::1")))[20]).toBe(429);
  expect((await statusesOf(1, from("2001:db8:1:3::1")))[0]).toBe(302);
  expect((await statusesOf(21, from("::ffff:203.0.113.9")))[20]).toBe(429);
  expect((await statusesOf(1, from("203.0.113.9")))[0]).toBe(429);
});

test("a proxy that appends each connection's port to the address hides no client", async () => {
  const from = (address: string) => (turn: number) =>
    proxied.anonymous.get("/auth/discord/callback", {
      headers: { "x-forwarded-for": address.replaceAll("PORT", String(40_000 + turn)) },
    });
  expect((await statusesOf(21, from("203.0.113.77:PORT")))[20]).toBe(429);
  expect((await statusesOf(21, from("[2001:db8:77::1]:PORT")))[20]).toBe(429);
  // An earlier proxy that also appends ports is skipped: the client before it counts.
  expect((await statusesOf(21, from("203.0.113.78:PORT, 127.0.0.1:PORT")))[20]).toBe(429);
  expect((await statusesOf(1, from("203.0.113.79:PORT, 127.0.0.1:PORT")))[0]).toBe(302);
});

test("all networks of one IPv6 subscriber are eight addresses", async () => {
  const statuses = await statusesOf(161, (turn) =>
    proxied.anonymous.get("/auth/discord/callback", {
      headers: { "x-forwarded-for": `2001:db8:7:${turn.toString(16)}::1` },
    }),
  );
  expect(new Set(statuses.slice(0, 160))).toEqual(new Set([302]));
  expect(statuses[160]).toBe(429);
});

test("a flood from one address is stopped before its sessions are looked up", async () => {
  await world.clock.advance(60_000);
  const statuses = await statusesOf(1_501, () => world.anonymous.get("/health"));
  expect(statuses.slice(0, 1_500).every((status) => status === 200)).toBe(true);
  expect(statuses[1_500]).toBe(429);
});

test("limits that are lifted limit nothing", async () => {
  const statuses = await statusesOf(60, () => unlimited.anonymous.get("/auth/discord/callback"));
  expect(new Set(statuses)).toEqual(new Set([302]));
});

test("the host that a trusted proxy forwards is the host", async () => {
  const headers = { host: "backend:8080", "x-forwarded-host": "localhost:3000" };
  expect((await proxied.anonymous.get("/auth/user", { headers })).status).toBe(200);
  expect((await world.anonymous.get("/auth/user", { headers })).status).toBe(421);
});
