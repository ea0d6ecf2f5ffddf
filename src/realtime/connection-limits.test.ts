import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createHandshakePace, createTokenBucket } from "./connection-limits.ts";

test("a burst passes, then only the rate", () => {
  const bucket = createTokenBucket({ perSecond: 2, burst: 10 });
  const atOnce = Array.from({ length: 12 }, () => bucket.take(0));
  expect(atOnce.filter(Boolean)).toHaveLength(10);
  expect(bucket.take(499)).toBe(false);
  expect(bucket.take(1_000)).toBe(true);
  expect(bucket.take(1_000)).toBe(true);
  expect(bucket.take(1_000)).toBe(false);
});

test("a rest fills the bucket up to its burst, never beyond", () => {
  const bucket = createTokenBucket({ perSecond: 2, burst: 3 });
  const later = Array.from({ length: 5 }, () => bucket.take(3_600_000));
  expect(later).toEqual([true, true, true, false, false]);
});

test("a clock that steps back gives nothing away", () => {
  const bucket = createTokenBucket({ perSecond: 1, burst: 1 });
  expect(bucket.take(10_000)).toBe(true);
  expect(bucket.take(0)).toBe(false);
});

const from = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage;

function admittedCount(
  isInPace: (request: IncomingMessage) => boolean,
  request: IncomingMessage,
  times: number,
) {
  return Array.from({ length: times }, () => isInPace(request)).filter(Boolean).length;
}

test("an address opens a burst of 120 connections, then five a second, without affecting others", async () => {
  const clock = new FakeClock();
  const isInPace = createHandshakePace({ trustedProxies: [], isSandbox: false, clock });
  expect(admittedCount(isInPace, from("192.0.2.1"), 500)).toBe(120);
  expect(admittedCount(isInPace, from("192.0.2.1", "198.51.100.1"), 5)).toBe(0);
  expect(admittedCount(isInPace, from("192.0.2.2"), 5)).toBe(5);
  await clock.advance(2_000);
  expect(admittedCount(isInPace, from("192.0.2.1"), 50)).toBe(10);
});

test("behind a proxy that is named each client counts for itself", () => {
  const isInPace = createHandshakePace({
    trustedProxies: ["10.0.0.0/8"],
    isSandbox: false,
    clock: new FakeClock(),
  });
  expect(admittedCount(isInPace, from("10.0.0.1", "198.51.100.1"), 500)).toBe(120);
  expect(admittedCount(isInPace, from("10.0.0.1", "198.51.100.2"), 5)).toBe(5);
});

test("in the sandbox this machine is many people", () => {
  const isInPace = createHandshakePace({ trustedProxies: [], isSandbox: true, clock: new FakeClock() });
  expect(admittedCount(isInPace, from("::ffff:127.0.0.1"), 500)).toBe(500);
  expect(admittedCount(isInPace, from("192.0.2.1"), 500)).toBe(120);
});

test("all addresses of one IPv6 subscriber are one", () => {
  const isInPace = createHandshakePace({ trustedProxies: [], isSandbox: false, clock: new FakeClock() });
  const admitted = Array.from({ length: 500 }, (_, i) => isInPace(from(`2001:db8:1:2::${i.toString(16)}`)));
  expect(admitted.filter(Boolean)).toHaveLength(120);
  expect(isInPace(from("2001:db8:1:3::1"))).toBe(true);
});

test("all networks of one IPv6 subscriber are eight", () => {
  const isInPace = createHandshakePace({ trustedProxies: [], isSandbox: false, clock: new FakeClock() });
  const admitted = Array.from({ length: 1_500 }, (_, i) => isInPace(from(`2001:db8:1:${i.toString(16)}::1`)));
  expect(admitted.filter(Boolean)).toHaveLength(960);
  expect(isInPace(from("2001:db8:2::1"))).toBe(true);
});
