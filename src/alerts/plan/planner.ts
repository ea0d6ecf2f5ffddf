/**
 * Decides which alerts people get, on one node at a time. Decisions are in the store, and its state in memory
 * can be rebuilt: a start, a takeover or a failure replays recorded matches from a minute before its mark.
 */
import { LRUCache } from "lru-cache";
import { type Clock, sleep, withTimeout, DAY_MS, HOUR_MS } from "#domain/clock.ts";
import type { AlertMessage } from "#domain/alert.ts";
import type { EventBus } from "#domain/events.ts";
import type { UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { AlertReader, AlertStore, PlannedAlert } from "#store/alert-store.ts";
import type { ListingStore } from "#store/market-store.ts";
import type { MissedWish } from "#domain/story.ts";
import { articleAlert, digestAlert, groupAlert, questionAlert } from "#presenters/alerte.ts";
import { LINK_MS, type LinkTokens, tokenHash } from "../links.ts";
import {
  type Decision,
  decideArticle,
  decideEnd,
  decideQuestion,
  type MatchSource,
  type Moment,
} from "./decide.ts";
import { MatchBacklog } from "./match-backlog.ts";
import { QuietClock } from "./quiet-hours.ts";

export interface PlannerDeps {
  readonly alerts: AlertStore;
  readonly listings: Pick<ListingStore, "matchesBetween">;
  readonly onBatch: (listener: (batch: { readonly matches: readonly UserMatch[] }) => void) => () => void;
  readonly events: Pick<EventBus, "subscribe">;
  readonly links: LinkTokens;
  /** Plans the alerts of the audit log; called every second. */
  readonly readAudit: (planner: Planner) => Promise<void>;
  /** Called when alerts may be due. */
  readonly wake: () => void;
  readonly hourMs: number;
  /** With several nodes an event may be lost: people are read again after this time. Infinity with one. */
  readonly peopleAgeMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the audit reader needs of the planner. */
export interface Planner {
  person(userId: UserId): Promise<PlannedPerson | null>;
  moment(person: PlannedPerson, atMs: number): Moment;
  write(plan: Parameters<AlertStore["outbox"]["plan"]>[0]): Promise<void>;
}

/** A person in memory; the counters change with every decision. */
interface PlannedPerson {
  reader: AlertReader;
  quiet: QuietClock;
  /** The latest match in the counters that were read from the store. */
  readonly countedUntilMs: number;
}

/** How far back is replayed: longer than any node's or transaction's delay. */
export const OVERLAP_MS = 60_000;
/** Longest synchronous work before yielding to the event loop. */
const SLICE_MS = 2;
const TICK_MS = 1_000;
const COUNTS_EVERY_MS = 30_000;
const REPLAY_PAGE = 2_000;
const MAX_REMEMBERED = 50_000;
/** Far longer than recording takes, and shorter than the overlap. */
const SECOND_READING_MS = 15_000;
/** How long an alert about a listing is useful. */
const ARTICLE_MS = 10 * 60_000;

/** Starts planning. @returns ends it */
export async function startPlanner(deps: PlannerDeps): Promise<() => Promise<void>> {
  const planner = new RunningPlanner(deps);
  await planner.start();
  return () => planner.stop();
}

/** A match, or a question of automatic buying. */
interface ListingNews {
  readonly listing: Listing;
  readonly subject: string;
  readonly atMs: number;
  readonly decide: (moment: Moment) => Decision;
  readonly messageOf: (decision: Extract<Decision, { kind: "send" }>) => AlertMessage;
}

class RunningPlanner implements Planner {
  readonly #deps: PlannerDeps;
  readonly #people = new Map<UserId, PlannedPerson>();
  /** People whose destinations, settings or filters changed. */
  readonly #changed = new Set<UserId>();
  /** People whose counters are not stored yet. */
  readonly #dirty = new Set<UserId>();
  readonly #backlog = new MatchBacklog();
  /** Those of a node that dies are lost: the person finds them among the missed purchases. */
  readonly #questions: MissedWish[] = [];
  /** Recently decided listings and prices, so that a repeated match is not counted twice. */
  readonly #remembered = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  #mustReplay = false;
  /** Matches are recorded after they are published: at the start the latest may not be in the store yet. */
  #secondReading: { readonly fromMs: number; readonly untilMs: number; readonly dueMs: number } | null = null;
  #isStopped = false;
  #countsDueMs = 0;
  #peopleDueMs = 0;
  #ends: (() => void)[] = [];
  #work: Promise<void> = Promise.resolve();
  #wakeUp: () => void = () => undefined;

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { events, onBatch, clock } = this.#deps;
    this.#ends = [
      events.subscribe((event) => {
        if ("userId" in event && RELOADING.has(event.kind)) this.#changed.add(event.userId);
        if (event.kind === "purchase_to_confirm") this.#ask(event.miss);
      }),
      onBatch(({ matches }) => this.#take(matches)),
    ];
    await this.#recover();
    this.#countsDueMs = clock.nowMs() + COUNTS_EVERY_MS;
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const end of this.#ends) end();
    this.#wakeUp();
    await this.#work;
    await this.#saveCounts().catch(() => undefined);
  }

  #take(matches: readonly UserMatch[]): void {
    if (matches.length === 0 || this.#isStopped) return;
    // On overflow the matches are read again from the store.
    if (!this.#backlog.add(matches)) this.#mustReplay = true;
    this.#wakeUp();
  }

  #ask(question: MissedWish): void {
    if (this.#isStopped) return;
    this.#questions.push(question);
    this.#wakeUp();
  }

  get #isIdle(): boolean {
    return this.#backlog.isEmpty && this.#questions.length === 0;
  }

  async #run(): Promise<void> {
    let nextTickMs = 0;
    while (!this.#isStopped) {
      try {
        if (this.#mustReplay) await this.#recover();
        await this.#reloadChanged();
        await this.#backlog.workOff((batch, from) => this.#workOffPart(batch, from, "feed"));
        await this.#planQuestions();
        const nowMs = this.#deps.clock.nowMs();
        if (nowMs >= nextTickMs) {
          nextTickMs = nowMs + TICK_MS;
          await this.#tick();
        }
      } catch (error) {
        this.#deps.log.warn({ part: "alerts", ...describeError(error) }, "planning failed and begins again");
        // Counts in memory may not have been stored.
        this.#mustReplay = true;
        await sleep(this.#deps.clock, TICK_MS);
      }
      if (this.#isIdle && !this.#mustReplay) await this.#rest(nextTickMs);
    }
  }

  async #rest(untilMs: number): Promise<void> {
    const { clock } = this.#deps;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    if (this.#isStopped || !this.#isIdle) resolve();
    await withTimeout(clock, untilMs - clock.nowMs(), promise, undefined);
    this.#wakeUp = () => undefined;
  }

  /** Reloads everybody, then replays the recorded matches since a minute before the mark. */
  async #recover(): Promise<void> {
    const { alerts, clock, peopleAgeMs } = this.#deps;
    this.#mustReplay = false;
    this.#peopleDueMs = clock.nowMs() + peopleAgeMs;
    this.#people.clear();
    this.#dirty.clear();
    this.#remembered.clear();
    for (const reader of await alerts.outbox.readers(null)) this.#put(reader);
    const untilMs = clock.nowMs();
    const fromMs = (await alerts.outbox.mark("matches")) - OVERLAP_MS;
    // The counters already include planned articles.
    for (const { userId, subject } of await alerts.outbox.plannedArticles(fromMs, MAX_REMEMBERED))
      this.#remembered.set(`${userId} ${subject}`, true);
    await this.#replay(fromMs, untilMs);
    await this.write({ alerts: [], counters: [], marks: { matches: untilMs } });
    this.#secondReading = { fromMs, untilMs, dueMs: untilMs + SECOND_READING_MS };
  }

  /** Decides about recorded matches, except those already remembered. */
  async #replay(sinceMs: number, untilMs: number): Promise<void> {
    const { listings } = this.#deps;
    let fromMs = sinceMs;
    let pageSize = REPLAY_PAGE;
    for (;;) {
      const { matches, nextMs } = await listings.matchesBetween(fromMs, untilMs, pageSize);
      let position = 0;
      while (position < matches.length) position = await this.#workOffPart(matches, position, "replay");
      if (nextMs === null) break;
      // A millisecond with more matches than a page holds needs a larger page.
      if (nextMs === fromMs) pageSize *= 2;
      fromMs = nextMs;
    }
  }

  #put(reader: AlertReader, countedUntilMs = reader.counters.countedUntilMs ?? 0): PlannedPerson {
    const person = { reader, quiet: new QuietClock(reader.settings.quiet), countedUntilMs };
    this.#people.set(reader.userId, person);
    return person;
  }

  async #reloadChanged(): Promise<void> {
    if (this.#changed.size === 0) return;
    const userIds = [...this.#changed];
    this.#changed.clear();
    try {
      await this.#reload(userIds);
    } catch (error) {
      for (const userId of userIds) this.#changed.add(userId);
      throw error;
    }
  }

  /** @param userIds null: everybody */
  async #reload(userIds: readonly UserId[] | null): Promise<void> {
    const readers = await this.#deps.alerts.outbox.readers(userIds);
    const fresh = new Map(readers.map((reader) => [reader.userId, reader]));
    for (const userId of userIds ?? new Set([...this.#people.keys(), ...fresh.keys()])) {
      const reader = fresh.get(userId);
      const known = this.#people.get(userId);
      if (reader === undefined) this.#people.delete(userId);
      else if (known === undefined) this.#put(reader);
      // Counters in memory are newer than the store's.
      else this.#put({ ...reader, counters: known.reader.counters }, known.countedUntilMs);
    }
  }

  /** Handles matches for one time slice, with one insert. @returns the next index */
  async #workOffPart(
    matches: readonly UserMatch[],
    from: number,
    source: "feed" | "replay",
  ): Promise<number> {
    const planned: PlannedAlert[] = [];
    const counted = new Set<PlannedPerson>();
    const endsAtMs = performance.now() + SLICE_MS;
    let position = from;
    for (; position < matches.length; position += 1) {
      // Reads the clock for every sixteenth match only.
      if (position % 16 === 15 && performance.now() > endsAtMs) break;
      const match = matches[position];
      const person = match === undefined ? undefined : this.#people.get(match.userId);
      if (match === undefined || person === undefined) continue;
      // An hour that has ended by then must be planned, not lost.
      const ended = this.#endFor(person, match.matchedAtMs);
      const alert = this.#decide(person, match, source === "feed" ? source : person);
      planned.push(...ended, ...(alert === null ? [] : [alert]));
      if (ended.length > 0 || alert !== null) counted.add(person);
    }
    const last = matches[position - 1];
    if (planned.length > 0) {
      await this.write({
        alerts: planned,
        counters: countersOf(counted),
        ...(last === undefined ? {} : { marks: { matches: last.matchedAtMs } }),
      });
      for (const { reader } of counted) this.#dirty.delete(reader.userId);
    } else await new Promise((resolve) => setImmediate(resolve));
    return Math.max(position, from + 1);
  }

  #decide(person: PlannedPerson, match: UserMatch, source: MatchSource): PlannedAlert | null {
    const { listing } = match.listing;
    return this.#planListing(person, {
      listing,
      subject: subjectOf(match.listing),
      atMs: match.matchedAtMs,
      decide: (moment) => decideArticle(person.reader, match, moment, source),
      messageOf: (decision) => articleAlert(listing, decision),
    });
  }

  /** Plans the alerts of listings about which automatic buying asks. */
  async #planQuestions(): Promise<void> {
    const questions = [...this.#questions];
    const planned: PlannedAlert[] = [];
    const counted = new Set<PlannedPerson>();
    for (const { userId, filterId, listing, standing, missedAtMs } of questions) {
      const person = this.#people.get(userId);
      if (person === undefined) continue;
      planned.push(...this.#endFor(person, missedAtMs));
      const alert = this.#planListing(person, {
        listing,
        subject: `question:${listing.id}:${listing.totalPriceCents}`,
        atMs: missedAtMs,
        decide: (moment) => decideQuestion(person.reader, filterId, moment),
        messageOf: () => questionAlert({ filterId, listing, standing }),
      });
      if (alert !== null) planned.push(alert);
      counted.add(person);
    }
    if (counted.size > 0) await this.write({ alerts: planned, counters: countersOf(counted) });
    for (const { reader } of counted) this.#dirty.delete(reader.userId);
    this.#questions.splice(0, questions.length);
  }

  /** Decides about a listing once; null: no alert, or only counted. */
  #planListing(
    person: PlannedPerson,
    { listing, subject, atMs, decide, messageOf }: ListingNews,
  ): PlannedAlert | null {
    const { userId } = person.reader;
    const key = `${userId} ${subject}`;
    if (this.#remembered.has(key)) return null;
    const decision = decide(this.moment(person, atMs));
    if (decision.kind === "nothing") return null;
    this.#remembered.set(key, true);
    person.reader = { ...person.reader, counters: decision.counters };
    this.#dirty.add(userId);
    if (decision.kind === "count") return null;
    const hash = tokenHash(this.#deps.links(userId, subject));
    const nowMs = this.#deps.clock.nowMs();
    return {
      userId,
      type: "article",
      subject,
      message: messageOf(decision),
      isLoud: decision.isLoud,
      plannedAtMs: nowMs,
      dueAtMs: nowMs,
      giveUpAtMs: atMs + ARTICLE_MS,
      ...(hash === null
        ? {}
        : {
            link: {
              tokenHash: hash,
              listingId: listing.id,
              totalPriceCents: listing.totalPriceCents,
              expiresAtMs: nowMs + LINK_MS,
            },
          }),
    };
  }

  moment(person: PlannedPerson, atMs: number): Moment {
    return { nowMs: atMs, quiet: person.quiet.at(atMs), hourMs: this.#deps.hourMs };
  }

  async person(userId: UserId): Promise<PlannedPerson | null> {
    const known = this.#people.get(userId);
    if (known !== undefined) return known;
    const [reader] = await this.#deps.alerts.outbox.readers([userId]);
    return reader === undefined ? null : this.#put(reader);
  }

  async write(plan: Parameters<AlertStore["outbox"]["plan"]>[0]): Promise<void> {
    await this.#deps.alerts.outbox.plan(plan);
    if (plan.alerts.length > 0) this.#deps.wake();
  }

  async #tick(): Promise<void> {
    const { clock, readAudit } = this.#deps;
    await readAudit(this);
    await this.#endHours();
    const nowMs = clock.nowMs();
    const again = this.#secondReading;
    if (again !== null && nowMs >= again.dueMs) {
      this.#secondReading = null;
      await this.#replay(again.fromMs, again.untilMs);
    }
    if (nowMs >= this.#peopleDueMs) {
      this.#peopleDueMs = nowMs + this.#deps.peopleAgeMs;
      await this.#saveCounts();
      await this.#reload(null);
    }
    if (nowMs >= this.#countsDueMs) {
      this.#countsDueMs = nowMs + COUNTS_EVERY_MS;
      await this.#saveCounts();
      if (this.#backlog.isEmpty) await this.write({ alerts: [], counters: [], marks: { matches: nowMs } });
    }
  }

  /** Plans what ended hours and absences have counted. */
  async #endHours(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const planned: PlannedAlert[] = [];
    const counters: { userId: UserId; counters: AlertReader["counters"] }[] = [];
    for (const person of this.#people.values()) {
      const before = person.reader.counters;
      planned.push(...this.#endFor(person, nowMs));
      const { userId, counters: after } = person.reader;
      if (after !== before) counters.push({ userId, counters: after });
    }
    if (counters.length > 0) await this.write({ alerts: planned, counters });
    for (const { userId } of counters) this.#dirty.delete(userId);
  }

  #endFor(person: PlannedPerson, atMs: number): readonly PlannedAlert[] {
    const { userId, counters, tags } = person.reader;
    if (counters.hour === null && counters.away === null) return [];
    const ended = decideEnd(person.reader, this.moment(person, atMs));
    if (ended === null) return [];
    person.reader = { ...person.reader, counters: ended.counters };
    this.#dirty.add(userId);
    const nowMs = this.#deps.clock.nowMs();
    const common = { userId, isLoud: false, plannedAtMs: nowMs, dueAtMs: nowMs };
    const planned: PlannedAlert[] = [];
    if (ended.group !== null) {
      const subject = `group:${ended.group.beganAtMs}`;
      const message = groupAlert(countsOf(ended.group.countedBy, tags));
      planned.push({ ...common, type: "group", subject, message, giveUpAtMs: nowMs + HOUR_MS });
    }
    if (ended.digest !== null) {
      const subject = `digest:${ended.digest.key}`;
      const message = digestAlert(ended.digest);
      const { confirmed, cancelled, undecided } = ended.digest;
      const hasPurchases = confirmed + cancelled + undecided > 0;
      planned.push({ ...common, type: "digest", subject, message, hasPurchases, giveUpAtMs: nowMs + DAY_MS });
    }
    return planned;
  }

  async #saveCounts(): Promise<void> {
    const userIds = [...this.#dirty];
    if (userIds.length === 0) return;
    this.#dirty.clear();
    const counters = userIds.flatMap((userId) => {
      const person = this.#people.get(userId);
      return person === undefined ? [] : [{ userId, counters: person.reader.counters }];
    });
    await this.write({ alerts: [], counters });
  }
}

function countersOf(people: ReadonlySet<PlannedPerson>) {
  return Array.from(people, ({ reader: { userId, counters } }) => ({ userId, counters }));
}

/** A listing is announced once, and again at each lower price; a higher price or an edit is no news. */
function subjectOf({ listing, cheaperSinceMs }: SeenListing): string {
  const { id, totalPriceCents } = listing;
  return cheaperSinceMs === undefined ? `article:${id}` : `article:${id}:${totalPriceCents}`;
}

/** By filter, highest count first. */
function countsOf(countedBy: Readonly<Record<string, number>>, tags: AlertReader["tags"]) {
  return Object.entries(countedBy)
    .map(([id, count]) => ({ tag: tags.get(id) ?? "Filtre supprimé", count }))
    .toSorted((one, other) => other.count - one.count);
}

const RELOADING: ReadonlySet<string> = new Set([
  "filters_changed",
  "user_changed",
  "settings_changed",
  "alerts_changed",
  "session_ended",
]);
