import { expect, test, vi } from "vitest";
import { DEFAULT_ALERT_SETTINGS, NO_COUNTERS } from "#domain/alert.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import { HOUR_MS } from "#domain/clock.ts";
import type { AlertFilter, AlertReader } from "#store/alert-store.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { decideArticle, decideEnd } from "./decide.ts";
import { QuietClock, quietHoursFrom } from "./quiet-hours.ts";

function aFilter(id: string, traits: Partial<AlertFilter> = {}): AlertFilter {
  const terms = { mode: "loud" as const, maxPerHour: 6, isBuying: false, activatedAtMs: A_MOMENT_MS };
  return { id: asFilterId(id), tag: id, ...terms, ...traits };
}

function aReader(
  filters: readonly AlertFilter[],
  settings: Partial<AlertReader["settings"]> = {},
): AlertReader {
  const known = { ...DEFAULT_ALERT_SETTINGS, ...settings };
  const tags = new Map(filters.map(({ id, tag }) => [id, tag]));
  return {
    userId: asUserId("lea"),
    settings: known,
    counters: NO_COUNTERS,
    hasArticles: true,
    filters,
    tags,
  };
}

const moment = (nowMs: number, quiet: { startMs: number; endMs: number } | null = null) => ({
  nowMs,
  quiet,
  hourMs: HOUR_MS,
});
const matchOf = (...ids: string[]) => aMatch({ filterIds: ids.map(asFilterId) });

test("alerts per hour are bounded per filter and person, loud filters first; the rest are counted once", () => {
  let reader = aReader([aFilter("quiet", { mode: "silent" }), aFilter("loud", { maxPerHour: 1 })], {
    maxPerHour: 2,
  });
  const kinds: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const decision = decideArticle(reader, matchOf("quiet", "loud"), moment(A_MOMENT_MS + n), "feed");
    kinds.push(decision.kind === "send" ? `send ${decision.filterTag}` : decision.kind);
    if (decision.kind !== "nothing") reader = { ...reader, counters: decision.counters };
  }
  expect(kinds).toEqual(["send loud", "send quiet", "count", "count"]);
  expect(decideEnd(reader, moment(A_MOMENT_MS + HOUR_MS - 1))).toBeNull();
  const ended = decideEnd(reader, moment(A_MOMENT_MS + HOUR_MS));
  expect(ended).toMatchObject({ group: { countedBy: { quiet: 2 } }, counters: NO_COUNTERS });
});

test("only listings new or cheaper since the filter became active are announced, unless the filter buys them", () => {
  const listingOf = (takenMs: number) => aListing({ photoTakenAtUnixS: Math.floor(takenMs / 1_000) });
  const kindOf = (filter: AlertFilter, listing: ReturnType<typeof aSeenListing>) =>
    decideArticle(aReader([filter]), { ...matchOf(filter.id), listing }, moment(A_MOMENT_MS + 9), "feed")
      .kind;
  const old = aSeenListing({ listing: listingOf(A_MOMENT_MS - 60_000) });
  expect(kindOf(aFilter("f"), old)).toBe("nothing");
  expect(kindOf(aFilter("f"), { ...old, cheaperSinceMs: A_MOMENT_MS + 5 })).toBe("send");
  expect(kindOf(aFilter("f"), aSeenListing())).toBe("send");
  expect(kindOf(aFilter("f", { isBuying: true }), aSeenListing())).toBe("nothing");
  expect(kindOf(aFilter("f", { mode: "none" }), aSeenListing())).toBe("nothing");
});

test("quiet hours and a pause count alerts, and end in one digest", () => {
  let reader = aReader([aFilter("f")]);
  const night = { startMs: A_MOMENT_MS - 1, endMs: A_MOMENT_MS + HOUR_MS };
  for (let n = 0; n < 3; n += 1) {
    const decision = decideArticle(reader, matchOf("f"), moment(A_MOMENT_MS + n, night), "feed");
    if (decision.kind === "count") reader = { ...reader, counters: decision.counters };
  }
  expect(decideEnd(reader, moment(A_MOMENT_MS + 5, night))).toBeNull();
  const ended = decideEnd(reader, moment(night.endMs));
  expect(ended).toMatchObject({ digest: { kind: "quiet", articles: 3, key: `q${night.startMs}` } });
});

test("quiet hours follow the local time of Europe/Paris across changes of daylight saving", () => {
  const night = { isOn: true, from: 23 * 60, to: 7 * 60 };
  const between = (atMs: string, quiet = night) => {
    const found = quietHoursFrom(quiet, Date.parse(atMs));
    return found === null
      ? []
      : [found.startMs, found.endMs].map((ms) => new Date(ms).toISOString().slice(5, 16));
  };
  expect(between("2026-01-10T12:00:00Z")).toEqual(["01-10T22:00", "01-11T06:00"]);
  expect(between("2026-07-10T23:30:00Z")).toEqual(["07-10T21:00", "07-11T05:00"]);
  expect(between("2026-03-28T23:30:00Z")).toEqual(["03-28T22:00", "03-29T05:00"]);
  expect(between("2026-10-25T00:30:00Z")).toEqual(["10-24T21:00", "10-25T06:00"]);
  const fromHalfPastTwo = { isOn: true, from: 2 * 60 + 30, to: 6 * 60 };
  expect(between("2026-03-28T23:30:00Z", fromHalfPastTwo)).toEqual(["03-29T01:30", "03-29T04:00"]);
  expect(between("2026-10-24T23:30:00Z", fromHalfPastTwo)).toEqual(["10-25T00:30", "10-25T05:00"]);
});

test("quiet hours are computed once a night, and are those of a computation for each moment", () => {
  for (const [from, to] of [
    [23 * 60, 7 * 60],
    [9 * 60, 10 * 60],
    [2 * 60 + 30, 3 * 60],
    [3 * 60, 2 * 60 + 30],
  ] as const) {
    const quiet = { isOn: true, from, to };
    for (const startMs of [Date.parse("2026-03-27T10:00:00Z"), Date.parse("2026-10-23T10:00:00Z")]) {
      const clock = new QuietClock(quiet);
      for (let n = 0; n < 4 * 96; n += 1) {
        // Matches come late, by up to an hour.
        const atMs = startMs + n * 900_000 - ((n * 7_919) % 60) * 60_000;
        const night = quietHoursFrom(quiet, atMs);
        expect(clock.at(atMs)).toEqual(night !== null && night.startMs <= atMs ? night : null);
      }
    }
  }
  const clock = new QuietClock({ isOn: true, from: 23 * 60, to: 7 * 60 });
  const computing = vi.spyOn(Temporal.Instant, "fromEpochMilliseconds");
  const noonMs = Date.parse("2026-01-10T11:00:00Z");
  for (let n = 0; n < 2_000; n += 1) clock.at(noonMs + n * 30_000);
  expect(computing).toHaveBeenCalledTimes(1);
  computing.mockRestore();
});

/** Four nights in steps of 15 minutes, two of them with a change of the clocks. */
test.each([
  ["2026-03-27", "2026-03-31"],
  ["2026-10-23", "2026-10-27"],
])("from %s each night ends in one digest of all its alerts, also when the clocks change", (from, to) => {
  for (const [quietFrom, quietTo] of [
    [23 * 60, 7 * 60],
    [2 * 60 + 30, 6 * 60],
    [22 * 60, 2 * 60 + 30],
    [60, 2 * 60],
  ] as const) {
    const quiet = { isOn: true, from: quietFrom, to: quietTo };
    let reader = aReader([aFilter("f", { maxPerHour: 60, activatedAtMs: 0 })], { quiet, maxPerHour: 120 });
    const digests: { readonly key: string; readonly articles: number }[] = [];
    let [counted, sent] = [0, 0];
    const [startMs, endMs] = [Date.parse(`${from}T10:00:00Z`), Date.parse(`${to}T10:00:00Z`)];
    const clock = new QuietClock(quiet);
    for (let atMs = startMs; atMs < endMs; atMs += 900_000) {
      const now = moment(atMs, clock.at(atMs));
      const ended = decideEnd(reader, now);
      if (ended?.digest !== null && ended !== null) digests.push(ended.digest);
      if (ended !== null) reader = { ...reader, counters: ended.counters };
      const listing = aSeenListing({ listing: aListing({ photoTakenAtUnixS: atMs / 1_000 }) });
      const decision = decideArticle(reader, { ...matchOf("f"), listing, matchedAtMs: atMs }, now, "feed");
      if (decision.kind === "nothing") throw new Error("a listing was forgotten");
      reader = { ...reader, counters: decision.counters };
      if (decision.kind === "count") counted += 1;
      else sent += 1;
    }
    expect([quietFrom, digests.length, new Set(digests.map(({ key }) => key)).size]).toEqual([
      quietFrom,
      4,
      4,
    ]);
    expect(digests.reduce((sum, { articles }) => sum + articles, 0)).toBe(counted);
    expect(counted + sent).toBe(4 * 96);
  }
});
