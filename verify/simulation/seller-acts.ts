import type { Filter } from "#domain/market/filter.ts";
import type { UserId } from "#domain/ids.ts";
import type { Seller } from "#domain/market/listing.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { ANY_SELLER, type SellerCondition } from "#domain/market/seller.ts";
import { drawsFor, type Draws } from "#sandbox/world/draws.ts";
import type { FilterStore } from "#store/market-store.ts";
import type { Person } from "./people.ts";
import type { Stage } from "./stage.ts";

/** The share of wishes whose person blocks the seller while the purchase is in flight. */
const BLOCKED_SHARE = 0.06;
const LONGEST_WAIT_MS = 3_000;
/** Blocks without a seller id, as in old lists of browsers. */
const BY_LOGIN_SHARE = 0.3;
const SHORTEST_BLOCK_MS = 20_000;
const LONGEST_BLOCK_MS = 300_000;
const MAX_BLOCKED = 2_000;
/** The share of filters with seller conditions, and of those that ignore relisted articles. */
const ASKING_SHARE = 0.3;
const IGNORING_SHARE = 0.15;

/** People filter by seller, and block one between match and payment for some minutes. */
export class SellerActs {
  readonly #stage: Stage;
  readonly #draws: Draws;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#draws = drawsFor(stage.parts.plan.seed, "sellers");
  }

  /** Called before the run. */
  async arrange(filters: Pick<FilterStore, "ofUser" | "change">, people: readonly Person[]): Promise<void> {
    for (const { userId } of people)
      for (const filter of await filters.ofUser(userId)) {
        const asking = this.#drawAsking();
        const at = { nowMs: this.#stage.parts.plan.startMs };
        await filters.change(userId, [filter.id], (known) => ({ ...known, ...asking }), at);
      }
  }

  #drawAsking(): Pick<Filter, "seller" | "ignoresRelists"> {
    const draws = this.#draws;
    const asking: SellerCondition = {
      minRating: draws.chance(0.6) ? draws.whole(30, 47) / 10 : null,
      minReviews: draws.chance(0.5) ? draws.whole(1, 30) : null,
      countryCodes: draws.chance(0.3) ? ["FR", "BE"] : [],
      ifUnknown: draws.chance(0.5) ? "hold" : "pass",
    };
    return {
      seller: draws.chance(ASKING_SHARE) ? asking : ANY_SELLER,
      ignoresRelists: draws.chance(IGNORING_SHARE),
    };
  }

  onWishes(wishes: readonly AutobuyWish[]): void {
    for (const { userId, listing } of wishes) {
      if (!this.#draws.chance(BLOCKED_SHARE)) continue;
      const { seller } = listing.listing;
      this.#later(this.#draws.whole(0, LONGEST_WAIT_MS), () => this.#block(userId, seller));
    }
  }

  #block(userId: UserId, { id, login }: Seller): void {
    const name = this.#draws.chance(BY_LOGIN_SHARE)
      ? { sellerId: null, login: login.toUpperCase() }
      : { sellerId: id, login };
    this.#stage.through(this.#draws, async ({ store, events, machine }) => {
      const at = { nowMs: machine.clock.nowMs(), limit: MAX_BLOCKED };
      await store.sellers.block(userId, [name], at);
      this.#stage.parts.trace.note("block", `${userId} ${name.sellerId ?? ""} ${login}`);
      await events.publish({ kind: "sellers_changed", userId });
    });
    this.#later(this.#draws.whole(SHORTEST_BLOCK_MS, LONGEST_BLOCK_MS), () =>
      this.#stage.through(this.#draws, async ({ store, events }) => {
        await store.sellers.unblock(userId, login);
        await events.publish({ kind: "sellers_changed", userId });
      }),
    );
  }

  #later(delayMs: number, action: () => void): void {
    this.#stage.parts.time.schedule(delayMs, action);
  }
}
