import type { FilterId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { editedFilter } from "#http/filter-changes.ts";
import { fileOf, readFile } from "#http/filter-file.ts";
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

  /** The filter's own export, changed to claim that it buys, imported over it as http/routes/filtres-fichier.ts does. */
  #import(userId: UserId, filterId: FilterId, pauseMs: number): void {
    const { imported, trace } = this.#stage.parts;
    this.#stage.through(this.#draws, async ({ store, events, machine }) => {
      const known = await store.filters.byId(userId, filterId);
      if (known === null) return;
      const file = fileOf([known], []);
      const claims = { limit: known.priceCapEur + 1, active: true, autobuy: true, private: false };
      const filtres = file.filtres.map((one) => ({ ...one, ...claims }));
      const [entry] = await readFile({ ...file, filtres }, [known]);
      if (entry === undefined || entry.replaces === null) return;
      const nowMs = machine.clock.nowMs();
      const filter = editedFilter(known, entry.replaces.choices, nowMs);
      await store.filters.change(userId, [known.id], () => filter, { nowMs });
      imported.set(filterId, filter.activatedAtMs);
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
      const nowMs = machine.clock.nowMs();
      const on = { isActive: true, isAutobuy: true, activatedAtMs: nowMs, autobuySinceMs: nowMs };
      await store.filters.change(userId, [known.id], (now) => ({ ...now, ...on }), { nowMs });
      await events.publish({ kind: "filters_changed", userId, filterIds: [filterId] });
    });
  }

  #later(delayMs: number, action: () => void): void {
    this.#stage.parts.time.schedule(delayMs, action);
  }
}
