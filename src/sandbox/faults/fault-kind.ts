import type { RouteName } from "../http/routes.ts";
import type { Draws } from "../world/draws.ts";
import type { Twists } from "./twists.ts";

/** One way for the marketplace to go wrong, as a family of faults describes it. */
export interface FaultKind {
  readonly kind: string;
  /** The first is meant when none is named; "any" draws one each time. */
  readonly variants: readonly [string, ...string[]];
  /** Where it strikes when no route is named. */
  readonly routes: readonly RouteName[];
  /** Where it may be sent to; absent: anywhere. */
  readonly onlyRoutes?: readonly RouteName[];
  /** Strikes only calls that change something, never a read on the same route. */
  readonly strikesChangesOnly?: true;
  /** Variants whose draws come in runs of this many requests. */
  readonly burstOf?: Readonly<Record<string, number>>;
  /** Meant when no delay is given; below the time that a sandbox's late effects are waited for. */
  readonly defaultDelayMs: number;
  readonly twist: (hit: FaultHit) => Partial<Twists>;
}

/** One request that a fault has struck. */
export interface FaultHit {
  readonly variant: string;
  readonly route: RouteName;
  readonly delayMs: number;
  /** Somebody asked for exactly this delay. */
  readonly isDelayGiven: boolean;
  /** The header's text, where somebody asked for one. */
  readonly retryAfter: string | null;
  readonly armedAtMs: number;
  readonly nowMs: number;
  readonly draws: Draws;
}
