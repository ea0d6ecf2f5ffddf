import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ROUTE_NAMES } from "../http/endpoint.ts";
import type { FaultKind } from "./injection.ts";
import { readFaultSpec, faultKinds, selectFaults, type ArmedFault, type RequestTraits } from "./faults.ts";

const kinds = new Map(faultKinds.map((kind) => [kind.kind, kind]));

function armed(body: Readonly<Record<string, unknown>>, number = 1): ArmedFault {
  const spec = readFaultSpec(body, kinds);
  const kind = kinds.get(spec.kind);
  if (kind === undefined) throw new Error("no such kind");
  return { kind, spec, number, armedAtMs: 1_000, seenCount: 0, struckCount: 0 };
}

/** The indices of the struck requests; faults stay armed in between. */
function hitCounts(
  faults: readonly ArmedFault[],
  requests: readonly RequestTraits[],
  seed = 1,
): readonly number[] {
  let now = faults;
  return requests.map((facts) => {
    const outcome = selectFaults(now, facts, { seed, nowMs: 2_000 });
    now = outcome.armed;
    return outcome.hits.length;
  });
}

const post = (route: RequestTraits["route"]): RequestTraits => ({ route, changes: true });
const get = (route: RequestTraits["route"]): RequestTraits => ({ route, changes: false });

test("the same seed and requests give the same faults", () => {
  const requests = fc.array(fc.record({ route: fc.constantFrom(...ROUTE_NAMES), changes: fc.boolean() }));
  fc.assert(
    fc.property(requests, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (sent, seed, rate) => {
      const faults = [armed({ kind: "reset", rate }), armed({ kind: "latency", rate }, 2)];
      expect(hitCounts(faults, sent, seed)).toEqual(hitCounts(faults, sent, seed));
    }),
  );
});

test("rate 1 strikes every request, rate 0 none, other rates about their share", () => {
  const requests = Array.from({ length: 1_000 }, () => get("catalog"));
  const sum = (rate: number): number =>
    hitCounts([armed({ kind: "reset", rate })], requests).reduce((total, count) => total + count, 0);
  expect(sum(1)).toBe(1_000);
  expect(sum(0)).toBe(0);
  expect(sum(0.3) / 1_000).toBeCloseTo(0.3, 1);
});

test("count limits the strikes, not the requests seen", () => {
  const requests = [get("orders"), get("catalog"), get("catalog"), get("orders"), get("catalog")];
  expect(hitCounts([armed({ kind: "reset", route: "catalog", count: 2 })], requests)).toEqual([
    0, 1, 1, 0, 0,
  ]);
});

test("without a route a fault strikes the default routes of its kind", () => {
  expect(
    hitCounts([armed({ kind: "sold_first" })], [post("payment"), get("payment"), get("catalog")]),
  ).toEqual([1, 0, 0]);
  expect(
    hitCounts([armed({ kind: "unauthorised" })], [get("catalog"), get("orders"), post("refresh")]),
  ).toEqual([0, 1, 0]);
  expect(hitCounts([armed({ kind: "cancel_refused" })], [get("transaction"), post("transaction")])).toEqual([
    0, 1,
  ]);
});

test("two armed faults can strike one request", () => {
  expect(hitCounts([armed({ kind: "latency" }), armed({ kind: "rate_limit" }, 2)], [get("catalog")])).toEqual(
    [2],
  );
});

test("a burst strikes a run of requests or none of it", () => {
  const requests = Array.from({ length: 200 }, () => get("catalog"));
  const hits = hitCounts([armed({ kind: "server_error", variant: "burst", rate: 0.4 })], requests);
  for (let run = 0; run < 200; run += 5) expect(new Set(hits.slice(run, run + 5)).size).toBe(1);
  expect(new Set(hits).size).toBe(2);
});

describe("every kind", () => {
  test("can be armed without parameters, strikes every request, and waits less than the product does", () => {
    for (const { kind, defaultDelayMs } of faultKinds) {
      expect(armed({ kind }).spec).toMatchObject({ rate: 1, route: null, count: null });
      expect(defaultDelayMs).toBeLessThan(5_000);
    }
  });

  test("of the list can be armed, once", () => {
    const listed =
      "latency timeout_before_effect timeout_after_effect late_effect reset rate_limit unauthorised blocked captcha refresh_lost refresh_reuse server_error sold_first price_changed withdrawn malformed drift drip orders_lag cancel_refused cancel_ambiguous confirmation_expired empty_feed frozen_feed page_overflow promoted";
    expect(faultKinds.map(({ kind }) => kind).toSorted()).toEqual(listed.split(" ").toSorted());
  });

  test("has an injection for each of its variants", () => {
    for (const kind of faultKinds) {
      for (const variant of [...kind.variants, "any"]) {
        const injection = injectionOf(kind, variant);
        expect(Object.keys(injection).length, `${kind.kind} ${variant}`).toBeGreaterThan(0);
      }
    }
  });
});

function injectionOf(kind: FaultKind, variant: string): object {
  const route = kind.routes[0] ?? "catalog";
  const { hits } = selectFaults([armed({ kind: kind.kind, variant })], post(route), {
    seed: 1,
    nowMs: 2_000,
  });
  const [first] = hits;
  return first === undefined ? {} : first.fault.inject(first.hit);
}

test("latency stays below the product's waiting time except in the heavy variant", () => {
  const delaysOf = (variant: string): readonly number[] => {
    let now: readonly ArmedFault[] = [armed({ kind: "latency", variant })];
    return Array.from({ length: 3_000 }, () => {
      const outcome = selectFaults(now, get("catalog"), { seed: 1, nowMs: 2_000 });
      now = outcome.armed;
      const [first] = outcome.hits;
      return first?.fault.inject(first.hit).holdMs ?? 0;
    });
  };
  const usual = delaysOf("usual").toSorted((one, other) => one - other);
  expect(usual.at(-1)).toBeLessThan(5_000);
  expect(usual[1_500]).toBeGreaterThan(20);
  expect(usual[1_500]).toBeLessThan(400);
  expect(Math.max(...delaysOf("heavy"))).toBeGreaterThan(5_000);
  expect(Math.max(...delaysOf("heavy"))).toBeLessThanOrEqual(30_000);
});
