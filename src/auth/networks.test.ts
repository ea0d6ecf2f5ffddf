import { expect, test } from "vitest";
import {
  clientAddress,
  createNetworks,
  createPlainHttpGuard,
  LOOPBACK,
  networksOf,
  plainAddress,
} from "./networks.ts";

test("createNetworks() matches single addresses and networks of both families, and no invalid address", () => {
  const isKnown = createNetworks(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);
  for (const address of ["10.9.8.7", "192.0.2.7", "2001:db8::5"]) expect(isKnown(address)).toBe(true);
  for (const address of ["11.0.0.1", "192.0.2.8", "2001:db9::5", "", "evil", "10.0.0.0/8"])
    expect(isKnown(address)).toBe(false);
});

test("LOOPBACK knows this machine", () => {
  const isOwnMachine = createNetworks(LOOPBACK);
  expect(["127.0.0.1", "127.9.9.9", "::1"].every(isOwnMachine)).toBe(true);
  expect(["128.0.0.1", "10.127.0.0.1", "::2", "127.evil.example", ""].some(isOwnMachine)).toBe(false);
});

test("plainAddress() reads an IPv4 peer through the other family", () => {
  expect(plainAddress("::ffff:10.1.2.3")).toBe("10.1.2.3");
  expect(plainAddress("2001:db8::1")).toBe("2001:db8::1");
  expect(plainAddress(undefined)).toBe("");
});

test.each([
  ["nobody forwards", "192.0.2.1", undefined, "192.0.2.1"],
  ["a stranger forwards what he likes", "192.0.2.1", "10.0.0.1, 198.51.100.9", "192.0.2.1"],
  ["our proxy forwards", "10.0.0.1", "198.51.100.9", "198.51.100.9"],
  ["two of our proxies forward", "10.0.0.1", "198.51.100.9, 10.0.0.2", "198.51.100.9"],
  ["a client lies to our proxy", "10.0.0.1", "203.0.113.1, 198.51.100.9", "198.51.100.9"],
  ["our proxies talk among themselves", "10.0.0.1", "10.0.0.3", "10.0.0.1"],
  ["our proxy writes ports", "10.0.0.1", "198.51.100.9:40123, 10.0.0.2:443", "198.51.100.9"],
  ["our proxy writes brackets", "10.0.0.1", "[2001:db8::9]:40123", "2001:db8::9"],
])("clientAddress(): %s", (_case, peer, forwarded, expected) => {
  expect(clientAddress({ peer, forwarded }, createNetworks(["10.0.0.0/8"]))).toBe(expected);
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:201", "192.0.2.1"],
  ["192.0.2.1:40123", "192.0.2.1"],
  ["[::ffff:192.0.2.1]:40123", "192.0.2.1"],
  ["unknown", "unknown"],
])("networksOf(): %s counts as %s", (address, name) => {
  expect(networksOf(address)).toEqual([{ name, share: 1 }]);
});

test.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:db8:1:2::ffff:1", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64", "2001:db8:1::/48"],
  ["2001:db8::1", "2001:db8:0:0::/64", "2001:db8:0::/48"],
  ["fe80::1%eth0", "fe80:0:0:0::/64", "fe80:0:0::/48"],
  ["::1", "0:0:0:0::/64", "0:0:0::/48"],
  ["[2001:db8:1:2::1]:40123", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["[2001:db8:1:2::1]", "2001:db8:1:2::/64", "2001:db8:1::/48"],
])("networksOf(): %s has share 1 in %s and share 8 in %s", (address, subnet, site) => {
  expect(networksOf(address)).toEqual([
    { name: subnet, share: 1 },
    { name: site, share: 8 },
  ]);
});

const from = (remoteAddress: string | undefined, scheme?: string) => ({
  headers: scheme === undefined ? {} : { "x-forwarded-proto": scheme },
  socket: { remoteAddress },
});

test.each([
  ["our own machine", from("127.0.0.1"), true],
  ["our own machine, on both families", from("::ffff:127.0.0.1"), true],
  ["the proxy's address", from("10.1.2.3", "https"), true],
  ["the proxy, about somebody who came plainly", from("10.1.2.3", "http"), false],
  ["a proxy of ours, about a chain of schemes", from("10.1.2.3", "https,http"), false],
  ["the proxy's other address", from("2001:db8::1", "https"), true],
  ["somebody else who claims to be the proxy", from("192.0.2.1", "https"), false],
  ["somebody else", from("192.0.2.1"), false],
  ["somebody without an address", from(undefined), false],
])("with an https address, %s is answered: %j %s", (_who, request, isAnswered) => {
  const isSafe = createPlainHttpGuard("https://synapse.example", ["10.0.0.0/8", "2001:db8::1"]);
  expect(isSafe(request)).toBe(isAnswered);
});

test("with a plain address, which can only be this machine's, every request is answered", () => {
  expect(createPlainHttpGuard("http://localhost:3000", [])(from("192.0.2.1", "http"))).toBe(true);
});
