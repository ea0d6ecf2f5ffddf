import { createLeadership } from "#cluster/leadership.ts";
import { createRedisFeedQueue } from "#cluster/redis-feed-queue.ts";
import type { FeedNode } from "#feed/feed-service.ts";
import { createFeed } from "#feed/feed-service.ts";
import type { Feed } from "#feed/feed.ts";
import { PAUSES_OUTSIDE, PAUSES_SANDBOX } from "#feed/read/market-pauses.ts";
import { isStoreAway } from "#store/store-away.ts";
import type { Foundation } from "./foundation.ts";

/** The feed: complete, or this node's parts of it. */
export function buildFeed(foundation: Foundation): Feed {
  const { config, store, marketplace, events, budget, clock, random, log } = foundation;
  const { isSandbox, requestsPerSecond } = config.marketplace;
  const node = buildFeedNode(foundation);
  return createFeed({
    catalogue: marketplace,
    store,
    events,
    budget,
    clock,
    random,
    log,
    options: { readsPerSecond: requestsPerSecond, pauses: isSandbox ? PAUSES_SANDBOX : PAUSES_OUTSIDE },
    ...(node === undefined ? {} : { node }),
  });
}

/** The feed's parts on this node; undefined: all of them. */
function buildFeedNode({ config, store, cluster, owner, clock, log }: Foundation): FeedNode | undefined {
  if (cluster === null) return undefined;
  const { services } = config;
  const [reads, matches] = [services.has("feed"), services.has("match")];
  const parts = { reads, matches, serves: services.has("web"), buys: services.has("buy") };
  const role = "reading the market";
  return {
    queue: createRedisFeedQueue({ ...cluster, clock, log, isStoreAway, parts }),
    hasFilters: reads || matches,
    leadership: reads
      ? (lead) => createLeadership({ nodes: store.nodes, role, id: owner, clock, log, lead })
      : null,
  };
}
