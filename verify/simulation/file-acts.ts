import type { FilterId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { drawsFor, type Draws } from "#sandbox/world/draws.ts";
import type { Stage } from "./stage.ts";

/** The share of wishes whose filter is replaced by an import while the purchase is in flight. */
const IMPORTED_SHARE = 0.03;
const LONGEST_WAIT_MS = 3_000;
const SHORTEST_PAUSE_MS = 20_000;
const LONGEST_PAUSE_MS = 120_000;

/** People import a file over a filter that is buying, and re-enable it later. */
export class FileActs {
  readonly #stage: Stage;
  readonly #draws: Draws;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#draws = drawsFor(stage.parts.plan.seed, "files");
  }

  onWishes(wishes: readonly AutobuyWish[]): void {
    for (const { userId, filterId } of wishes) {
      if (!this.#draws.chance(IMPORTED_SHARE)) continue;
      const pauseMs = this.#draws.whole(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS);
      this.#later(this.#draws.whole(0, LONGEST_WAIT_MS), () => this.#import(userId, filterId, pauseMs));
    }
  }

  /** What an import leaves of a filter (http/filter-file.ts): paused, private and not buying. */
  #import(userId: UserId, filterId: FilterId, pauseMs: number): void {
    const { imported, trace } = this.#stage.parts;
    this.#stage.through(this.#draws, async ({ store, events, machine }) => {
      const known = await store.filters.byId(userId, filterId);
      if (known === null) return;
      const priceCapEur = known.priceCapEur + 1;
      const off = { isActive: false, isAutobuy: false, isPrivate: true, activatedAtMs: null };
      await store.filters.replace({ ...known, priceCapEur, ...off }, machine.clock.nowMs());
      imported.add(filterId);
      trace.note("import", `${userId} ${filterId}`);
      trace.count("filter imported over one that buys");
      await events.publish({ kind: "filters_changed", userId, filterIds: [filterId] });
    });
    this.#later(pauseMs, () => this.#switchOn(userId, filterId));
  }

  #switchOn(userId: UserId, filterId: FilterId): void {
    this.#stage.through(this.#draws, async ({ store, events, machine }) => {
      const known = await store.filters.byId(userId, filterId);
      if (known === null) return;
      this.#stage.parts.imported.delete(filterId);
      const activatedAtMs = machine.clock.nowMs();
      await store.filters.replace(
        { ...known, isActive: true, isAutobuy: true, activatedAtMs },
        activatedAtMs,
      );
      await events.publish({ kind: "filters_changed", userId, filterIds: [filterId] });
    });
  }

  #later(delayMs: number, action: () => void): void {
    this.#stage.parts.time.schedule(delayMs, action);
  }
}
