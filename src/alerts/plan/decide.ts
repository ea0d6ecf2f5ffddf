/** How a person is alerted about a listing or a purchase. Pure: the planner stores the returned counters. */
import type { AlertAway, AlertCounters, AlertHour, LastDigest } from "#domain/alert.ts";
import type { FilterId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { AlertFilter, AlertReader } from "#store/alert-store.ts";
import type { QuietHours } from "./quiet-hours.ts";

export type Decision =
  | { readonly kind: "nothing" }
  /** Not sent: counted for the end of the hour, or for the digest. */
  | { readonly kind: "count"; readonly counters: AlertCounters }
  /** `filterTag`: of the filter whose limit it uses, "" for a purchase. `filterIds`: all that announce it. */
  | {
      readonly kind: "send";
      readonly isLoud: boolean;
      readonly filterTag: string;
      readonly filterIds: readonly FilterId[];
      readonly counters: AlertCounters;
    };

/** What a decision depends on besides the person. */
export interface Moment {
  readonly nowMs: number;
  /** The current quiet hours; null outside of them. */
  readonly quiet: QuietHours | null;
  /** How long a person's hour lasts. */
  readonly hourMs: number;
}

type Person = Pick<AlertReader, "settings" | "counters" | "hasArticles" | "filters">;

/** From the feed, or read from the store again: then those until `countedUntilMs` may already be counted. */
export type MatchSource = "feed" | { readonly countedUntilMs: number };

/** A match: sent within the limits, counted beyond them and during quiet hours or a pause. */
export function decideArticle(
  person: Person,
  match: UserMatch,
  moment: Moment,
  source: MatchSource,
): Decision {
  return decideFor(person, announcingFilters(person.filters, match), moment, source);
}

/**
 * A listing that automatic buying took for too cheap: the filter announces it, although it buys by itself, because
 * nothing is bought until the person answers.
 */
export function decideQuestion(person: Person, filterId: FilterId, moment: Moment): Decision {
  const asking = person.filters.filter(({ id, mode }) => id === filterId && mode !== "none");
  return decideFor(person, asking, moment, "feed");
}

function decideFor(
  person: Person,
  announcing: readonly AlertFilter[],
  moment: Moment,
  source: MatchSource,
): Decision {
  if (!person.hasArticles) return { kind: "nothing" };
  const [first] = announcing;
  if (first === undefined) return { kind: "nothing" };
  const away = awayAt(person, moment);
  const { lastDigest, lastGroupEndMs, countedUntilMs } = person.counters;
  // Counts may be short of a few articles after a restart, but none is counted twice.
  const isCounted = source !== "feed" && moment.nowMs <= source.countedUntilMs;
  const counted = { ...person.counters, countedUntilMs: Math.max(countedUntilMs ?? 0, moment.nowMs) };
  // It was in that digest, or arrives too late for it.
  const isOfLastDigest = moment.nowMs < (lastDigest?.endedAtMs ?? 0);
  if (away !== null) {
    if (isOfLastDigest || isCounted) return { kind: "nothing" };
    return { kind: "count", counters: { ...counted, away: { ...away, articles: away.articles + 1 } } };
  }
  // Read again, it was in that digest, whose pause was ended early, or in the group of its hour.
  const isOfLastGroup = moment.nowMs < (lastGroupEndMs ?? 0);
  if (source !== "feed" && (isOfLastDigest || isOfLastGroup)) return { kind: "nothing" };
  const hour = hourAt(person.counters.hour, moment) ?? emptyHour(moment.nowMs);
  const withRoom = announcing.find(({ id, maxPerHour }) => (hour.sentBy[id] ?? 0) < maxPerHour);
  if (withRoom === undefined || hour.sentCount >= person.settings.maxPerHour) {
    if (isCounted) return { kind: "nothing" };
    const countedBy = incremented(hour.countedBy, (withRoom ?? first).id);
    return { kind: "count", counters: { ...counted, hour: { ...hour, countedBy } } };
  }
  const sentBy = incremented(hour.sentBy, withRoom.id);
  return {
    kind: "send",
    isLoud: withRoom.mode === "loud",
    filterTag: withRoom.tag,
    filterIds: announcing.map(({ id }) => id),
    counters: { ...person.counters, hour: { ...hour, sentCount: hour.sentCount + 1, sentBy } },
  };
}

/** The filters that announce the listing, loud ones first, in the order of the match. */
function announcingFilters(
  filters: readonly AlertFilter[],
  { filterIds, listing }: UserMatch,
): readonly AlertFilter[] {
  const announcing = filterIds.flatMap((id) => {
    const filter = filters.find((one) => one.id === id);
    if (filter === undefined || filter.mode === "none" || filter.isBuying) return [];
    return isNewsFor(filter, listing) ? [filter] : [];
  });
  return announcing.toSorted((one, other) => Number(other.mode === "loud") - Number(one.mode === "loud"));
}

/** First seen after the filter became active, by the rule of automatic buying, or cheaper since. */
function isNewsFor(
  { activatedAtMs }: AlertFilter,
  { listing, firstSeenAtMs, cheaperSinceMs = -Infinity }: SeenListing,
): boolean {
  if (cheaperSinceMs >= activatedAtMs) return true;
  const { photoTakenAtUnixS } = listing;
  if (firstSeenAtMs < activatedAtMs || photoTakenAtUnixS === null) return false;
  return photoTakenAtUnixS >= Math.floor(activatedAtMs / 1_000);
}

/** Identified by its audit entry. */
export type PurchaseOutcome = { readonly entryId: number } & (
  | { readonly kind: "confirmed"; readonly cents: number }
  | { readonly kind: "cancelled" | "undecided" }
);

const MAX_ENTRIES = 200;

/** A purchase's outcome: counted during quiet hours, otherwise sent; a pause applies to articles only. */
export function decidePurchase(person: Person, outcome: PurchaseOutcome, moment: Moment): Decision {
  const away = moment.quiet === null ? null : awayAt(person, moment);
  if (away === null)
    return { kind: "send", isLoud: true, filterTag: "", filterIds: [], counters: person.counters };
  if (away.entries.includes(outcome.entryId)) return { kind: "nothing" };
  return { kind: "count", counters: { ...person.counters, away: withPurchase(away, outcome) } };
}

function withPurchase(before: AlertAway, outcome: PurchaseOutcome): AlertAway {
  const away = { ...before, entries: [...before.entries, outcome.entryId].slice(-MAX_ENTRIES) };
  switch (outcome.kind) {
    case "confirmed":
      return {
        ...away,
        confirmed: away.confirmed + 1,
        confirmedCents: away.confirmedCents + outcome.cents,
      };
    case "cancelled":
      return { ...away, cancelled: away.cancelled + 1 };
    case "undecided":
      return { ...away, undecided: away.undecided + 1 };
    default:
      return outcome satisfies never;
  }
}

/** The end of an hour, or of an absence (quiet hours or a pause). */
export interface Ended {
  /** The hour's articles beyond the limits, by filter. */
  readonly group: AlertHour | null;
  readonly digest: AlertAway | null;
  readonly counters: AlertCounters;
}

/** Null: nothing ended. */
export function decideEnd(person: Person, moment: Moment): Ended | null {
  const { hour, away } = person.counters;
  const isHourOver = hour !== null && hourAt(hour, moment) === null;
  // A moment before quiet hours does not end them: matches arrive late, and by the clocks of other nodes.
  const hasBegun = away !== null && moment.nowMs >= (away.startMs ?? 0);
  const now = awayAt(person, moment);
  const isBack = hasBegun && now === null;
  if (!isHourOver && !isBack) return null;
  const left = hour === null || !isHourOver ? 0 : countedIn(hour);
  const before =
    hour === null || left === 0
      ? person.counters
      : { ...person.counters, lastGroupEndMs: hour.beganAtMs + moment.hourMs };
  // During an absence, what the hour counted goes into the digest.
  if (now !== null && left > 0) {
    const counted = { ...now, articles: now.articles + left };
    return { group: null, digest: null, counters: { ...before, hour: null, away: counted } };
  }
  const digest = isBack && hasNews(away) ? away : null;
  return {
    group: left > 0 ? hour : null,
    digest,
    counters: {
      ...before,
      hour: isHourOver ? null : hour,
      away: isBack ? null : away,
      ...(digest === null ? {} : { lastDigest: { endedAtMs: moment.nowMs, entries: digest.entries } }),
    },
  };
}

function hasNews({ articles, confirmed, cancelled, undecided }: AlertAway): boolean {
  return articles + confirmed + cancelled + undecided > 0;
}

/** The current absence with its counts; null outside of quiet hours and pauses. */
function awayAt({ settings, counters }: Person, { nowMs, quiet }: Moment): AlertAway | null {
  const { away: known, lastDigest } = counters;
  if (quiet !== null) {
    if (known !== null) return known.kind === "quiet" ? known : { ...known, kind: "quiet" };
    const { startMs } = quiet;
    return { ...emptyAway("quiet", `q${startMs}`, lastDigest), startMs };
  }
  if (nowMs >= settings.pausedUntilMs) return null;
  return known ?? emptyAway("pause", `p${settings.pausedUntilMs}`, lastDigest);
}

/** One that goes on after a digest, or of which a purchase is read later, ends in a further one: its key differs. */
function emptyAway(kind: AlertAway["kind"], key: string, lastDigest: LastDigest | undefined): AlertAway {
  return {
    kind,
    key: lastDigest === undefined ? key : `${key}:${lastDigest.endedAtMs}`,
    articles: 0,
    confirmed: 0,
    confirmedCents: 0,
    cancelled: 0,
    undecided: 0,
    entries: lastDigest?.entries ?? [],
  };
}

/** The hour if it has not ended. It may begin in the future if another node's clock is ahead. */
function hourAt(hour: AlertHour | null, { nowMs, hourMs }: Moment): AlertHour | null {
  return hour !== null && nowMs < hour.beganAtMs + hourMs ? hour : null;
}

function emptyHour(beganAtMs: number): AlertHour {
  return { beganAtMs, sentCount: 0, sentBy: {}, countedBy: {} };
}

function countedIn({ countedBy }: AlertHour): number {
  return Object.values(countedBy).reduce((sum, count) => sum + count, 0);
}

function incremented(
  counts: Readonly<Record<FilterId, number>>,
  id: FilterId,
): Readonly<Record<FilterId, number>> {
  return { ...counts, [id]: (counts[id] ?? 0) + 1 };
}
