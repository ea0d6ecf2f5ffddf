import type { PurchaseAlerts } from "#alerts/purchase-alerts.ts";
import type { SignIn } from "#auth/sign-in.ts";
import type { Sessions } from "#auth/sessions.ts";
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { Log, LogFields } from "#domain/log.ts";
import type { Random } from "#domain/random.ts";
import type { User } from "#domain/user.ts";
import type { Feed } from "#feed/feed.ts";
import type { RecentMarket } from "#feed/recent-market.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import type { Store } from "#store/store.ts";

/** @param rate so many at once, then one every so often */
export type SharedRate = (
  key: string,
  rate: { readonly everyMs: number; readonly burst: number },
) => Promise<number>;

/** What the HTTP face needs of the rest of the product. */
export interface HttpDeps {
  readonly config: HttpConfig;
  readonly store: Pick<
    Store,
    "alerts" | "audit" | "filters" | "listings" | "ping" | "settings" | "stories" | "users"
  >;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly purchasing: Pick<Purchasing, "cancel" | "click" | "hideCancelled" | "list" | "standing">;
  readonly alerts: Pick<PurchaseAlerts, "test">;
  /** Null on a node that does not read the market. */
  readonly feed: Pick<Feed, "state"> | null;
  readonly recentMarket: RecentMarket;
  /** Ends an account and removes it; while a purchase is open nothing of it changes. */
  readonly eraseAccount: (user: User) => Promise<"erased" | "open_purchases" | "barred">;
  /**
   * Counts a call by a key over all nodes and answers how many milliseconds too early it is; it may throw. Null:
   * there is one node, whose own count is the whole.
   */
  readonly sharedPace: SharedRate | null;
  readonly events: Pick<EventBus, "publish">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What a log may say of an error: never its message. */
  readonly describeError: (error: unknown) => LogFields;
  /** Whether a failure says that the store is away or has no room: the same call may succeed a little later. */
  readonly isStoreAway: (error: unknown) => boolean;
  /** Why the node takes no work, apart from its store; null while it does. */
  readonly fault: () => "starting" | "stopping" | null;
}

export interface HttpConfig {
  /** The address that people use: scheme, host and port. */
  readonly publicUrl: string;
  /** The marketplace as people's browsers reach it: scheme, host and port. */
  readonly marketUrl: string;
  /** Further https hosts on which a payment may be confirmed. */
  readonly confirmationHosts: readonly string[];
  /** CSP sources of pictures beside our own: scheme and host. */
  readonly imageSources: readonly string[];
  /** The folder that the web was built into. */
  readonly webRoot: string;
  readonly supportEmail: string;
  /** Addresses and networks of proxies whose forwarded address is believed. */
  readonly trustedProxies: readonly string[];
  /** The budget of reads of the marketplace, for everybody together. */
  readonly readsPerSecond: number;
  readonly areRateLimitsOn: boolean;
  /** In the sandbox one machine is many people: its own address is not counted. */
  readonly isSandbox: boolean;
}
