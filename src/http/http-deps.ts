import type { Alerts } from "#alerts/alerts.ts";
import type { Sessions } from "#auth/sessions.ts";
import type { SignIn } from "#auth/sign-in.ts";
import type { Clock, Random } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import type { User } from "#domain/user.ts";
import type { Feed } from "#feed/feed.ts";
import type { MarketMemory } from "#market/market-memory.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import type { Store } from "#store/store.ts";

/** @param rate a burst, then one call per interval */
type SharedRate = (
  key: string,
  rate: { readonly everyMs: number; readonly burst: number },
) => Promise<number>;

export interface HttpDeps {
  readonly config: HttpConfig;
  readonly store: Pick<
    Store,
    | "alerts"
    | "audit"
    | "filters"
    | "groups"
    | "listings"
    | "ping"
    | "relists"
    | "sellers"
    | "settings"
    | "stories"
    | "users"
  >;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly purchasing: Pick<Purchasing, "cancel" | "click" | "hideCancelled" | "list" | "status">;
  readonly alerts: Omit<Alerts, "refusedServices" | "run" | "statistics" | "stop">;
  /** Null on a node that does not read the market. */
  readonly feed: Pick<Feed, "state"> | null;
  readonly memory: Pick<
    MarketMemory,
    "count" | "popular" | "prices" | "replay" | "surveyLastHour" | "windowStart"
  >;
  /** Erases an account; changes nothing while a purchase is open. */
  readonly eraseAccount: (user: User) => Promise<"erased" | "open_purchases" | "barred">;
  /**
   * Counts a call by key over all nodes and returns the milliseconds by which it is too early; may throw.
   * Null with a single node, whose own count is complete.
   */
  readonly sharedPace: SharedRate | null;
  readonly events: Pick<EventBus, "publish">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Whether a failure is temporary (store unreachable, disk full), so that the call may succeed later. */
  readonly isStoreAway: (error: unknown) => boolean;
  /** Why the node serves no requests, apart from a failure of its store; null while it does. */
  readonly fault: () => "starting" | "stopping" | null;
}

export interface HttpConfig {
  /** The public address: scheme, host and port. */
  readonly publicUrl: string;
  /** The marketplace's address for browsers: scheme, host and port. */
  readonly marketUrl: string;
  /** Further CSP sources of pictures: scheme and host. */
  readonly imageSources: readonly string[];
  /** The folder of the built web. */
  readonly webRoot: string;
  readonly supportEmail: string;
  /** Addresses and networks of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** The read budget of the marketplace, for all people together. */
  readonly readsPerSecond: number;
  readonly areRateLimitsOn: boolean;
  /** Days on which similar listings must have been seen before a usual price is trusted. */
  readonly minPriceDays: number;
  /** How many days of the market's facts are kept. */
  readonly archiveDays: number;
  /** In the sandbox one machine acts as many people: its address is not counted. */
  readonly isSandbox: boolean;
}
