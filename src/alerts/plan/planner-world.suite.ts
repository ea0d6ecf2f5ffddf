/** People with alerts, and the real planner on the real store; tests supply the matches. */
import { randomUUID } from "node:crypto";
import { createLinkTokens } from "../links.ts";
import { type PlannerDeps, startPlanner } from "./planner.ts";
import { ALERT_CHANNELS, type AlertChannelName } from "#catalogue/alert-channels.ts";
import type { Clock } from "#domain/clock.ts";
import type { ProductEvent } from "#domain/events.ts";
import type { Filter } from "#domain/market/filter.ts";
import { asFilterId, type FilterId, type UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { MissedWish } from "#domain/story.ts";
import { Secret } from "#domain/secret.ts";
import type { OpenStore } from "#store/open-store.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";

export interface AlertedPerson {
  readonly userId: UserId;
  readonly filterId: FilterId;
  readonly match: (listing: SeenListing, matchedAtMs: number) => UserMatch;
  /** Types, titles and results of the person's alerts, oldest first. */
  readonly journal: () => Promise<
    readonly { readonly type: string; readonly title: string; readonly result: string }[]
  >;
}

/** A person with one filter, active since time 0, and one destination. */
export async function anAlertedPerson(
  store: OpenStore,
  traits: {
    readonly channel?: AlertChannelName;
    readonly address?: string;
    readonly filter?: Partial<Filter>;
  } = {},
): Promise<AlertedPerson> {
  const { channel = "push", address = "anywhere", filter = {} } = traits;
  const name = randomUUID();
  const identity = { provider: "sandbox" as const, providerId: name, login: name, displayName: name };
  const { user } = await store.users.signIn({ ...identity, email: "", pictureUrl: null }, Date.now());
  const { id: userId } = user;
  const filterId = asFilterId(randomUUID());
  await store.filters.add(aFilter({ id: filterId, userId, tag: "Vestes", activatedAtMs: 0, ...filter }), 10);
  const destination = { id: randomUUID(), userId, channel, name: "Essai", identity: name, sessionId: null };
  const { events } = ALERT_CHANNELS[channel];
  await store.alerts.destinations.connect(
    {
      ...destination,
      address: new Secret(address),
      events: { ...events, articles: true },
      nowMs: Date.now(),
    },
    10,
  );
  return {
    userId,
    filterId,
    match: (listing, matchedAtMs) => aMatch({ userId, filterIds: [filterId], listing, matchedAtMs }),
    async journal() {
      const rows = await store.alerts.outbox.journal(userId, 1_000);
      return rows.map(({ type, title, result }) => ({ type, title, result })).toReversed();
    },
  };
}

export interface TestPlanner extends AsyncDisposable {
  publish(matches: readonly UserMatch[]): void;
  /** Publishes a change of the person's alerts, or of their settings. */
  changed(userId: UserId, kind?: "alerts_changed" | "settings_changed"): void;
  /** Publishes a question of automatic buying. */
  ask(miss: MissedWish): void;
}

export async function startTestPlanner(
  store: OpenStore,
  clock: Clock,
  {
    hourMs = 3_600_000,
    peopleAgeMs = Infinity,
    wake = () => undefined,
    readAudit = async () => undefined,
  }: Partial<Pick<PlannerDeps, "hourMs" | "peopleAgeMs" | "wake" | "readAudit">> = {},
): Promise<TestPlanner> {
  let listener: (batch: { readonly matches: readonly UserMatch[] }) => void = () => undefined;
  let publish: (event: ProductEvent) => void = () => undefined;
  const stop = await startPlanner({
    alerts: store.alerts,
    listings: store.listings,
    onBatch(given) {
      listener = given;
      return () => undefined;
    },
    events: {
      subscribe(given) {
        publish = (event) => void given(event);
        return () => undefined;
      },
    },
    links: createLinkTokens(store.alerts.linkKey),
    readAudit,
    wake,
    hourMs,
    peopleAgeMs,
    clock,
    log: createQuietLog(),
  });
  return {
    publish: (matches) => listener({ matches }),
    changed: (userId, kind = "alerts_changed") => publish({ kind, userId }),
    ask: (miss) => publish({ kind: "purchase_to_confirm", userId: miss.userId, miss }),
    [Symbol.asyncDispose]: stop,
  };
}
