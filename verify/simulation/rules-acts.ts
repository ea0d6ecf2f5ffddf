import { type BuyingRules, NO_RULES } from "#domain/buying-rules.ts";
import { asGroupId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { drawsFor, type Draws } from "#sandbox/world/draws.ts";
import type { FilterStore, GroupStore } from "#store/market-store.ts";
import type { Person } from "./people.ts";
import type { Stage } from "./stage.ts";

const RULED_SHARE = 0.5;
/** The share of wishes whose group is changed while the purchase is in flight. */
const CHANGED_SHARE = 0.06;
const LONGEST_WAIT_MS = 3_000;
const MAX_GROUPS = 50;
const DAY_MINUTES = 1_440;
const DAYS = [1, 2, 3, 4, 5, 6, 7];

interface Registry {
  readonly filters: Pick<FilterStore, "ofUser" | "change">;
  readonly groups: Pick<GroupStore, "add">;
}

/** Half of the people have a group and rules, change them at bad moments and re-enable what has ended. */
export class RulesActs {
  readonly #stage: Stage;
  readonly #people: readonly Person[];
  readonly #draws: Draws;
  #groupCount = 0;

  constructor(stage: Stage, people: readonly Person[]) {
    this.#stage = stage;
    this.#draws = drawsFor(stage.parts.plan.seed, "rules");
    this.#people = people.filter(() => this.#draws.chance(RULED_SHARE));
  }

  /** Called before the run. */
  async arrange({ filters, groups }: Registry): Promise<void> {
    const nowMs = this.#stage.parts.plan.startMs;
    for (const { userId } of this.#people) {
      const own = await filters.ofUser(userId);
      for (const filter of own) {
        const priceFloorEur = this.#draws.chance(0.15) ? this.#draws.whole(1, filter.priceCapEur) : 0;
        const rules = this.#drawRules(nowMs);
        await filters.change(userId, [filter.id], (known) => ({ ...known, priceFloorEur, rules }), { nowMs });
      }
      const members = own.slice(0, this.#draws.whole(1, own.length)).map(({ id }) => id);
      await groups.add(this.#drawGroup(userId, members), { nowMs, limit: MAX_GROUPS });
    }
  }

  onWishes(wishes: readonly AutobuyWish[]): void {
    for (const { userId } of wishes) {
      if (!this.#people.some((person) => person.userId === userId)) continue;
      if (!this.#draws.chance(CHANGED_SHARE)) continue;
      const delayMs = this.#draws.whole(0, LONGEST_WAIT_MS);
      this.#stage.parts.time.schedule(delayMs, () => this.#changeGroup(userId));
    }
  }

  /** One random action of a person with rules. */
  act(): void {
    if (this.#people.length === 0) return;
    const { userId } = this.#draws.pick(this.#people);
    this.#draws.pick([
      () => this.#changeGroup(userId),
      () => this.#regroup(userId),
      () => this.#switchOnAgain(userId),
      () => this.#switchOnAgain(userId),
      () => this.#changeRules(userId),
    ])();
  }

  #drawRules(nowMs: number): BuyingRules {
    const draws = this.#draws;
    const some = (chance: number, least: number, most: number): number | null =>
      draws.chance(chance) ? draws.whole(least, most) : null;
    const minute = Math.floor(nowMs / 60_000) % DAY_MINUTES;
    const fromMinute = (minute + draws.whole(0, 120)) % DAY_MINUTES;
    const hours = draws.chance(0.15)
      ? { fromMinute, toMinute: (fromMinute + draws.whole(30, 900)) % DAY_MINUTES }
      : null;
    return {
      ...NO_RULES,
      dayBudgetEur: some(0.2, 15, 120),
      totalBudgetEur: some(0.15, 20, 200),
      hours,
      // Hours that pass midnight belong to the day on which they begin.
      days: draws.chance(hours === null ? 0.1 : 0.7) ? DAYS.filter(() => draws.chance(0.6)) : [],
      pauseMinutes: some(0.2, 1, 10),
      perSellerAndDay: some(0.3, 1, 2),
      maxFailures: some(0.4, 1, 2),
    };
  }

  #drawGroup(userId: Person["userId"], filterIds: Parameters<GroupStore["replace"]>[0]["filterIds"]) {
    const draws = this.#draws;
    this.#groupCount += 1;
    return {
      id: asGroupId(`group-${this.#groupCount}`),
      userId,
      name: "Manteau",
      maxPurchases: draws.whole(1, 3),
      budgetEur: draws.chance(0.6) ? draws.whole(15, 120) : null,
      filterIds,
    };
  }

  #changeGroup(userId: Person["userId"]): void {
    const { maxPurchases, budgetEur } = this.#drawGroup(userId, []);
    this.#stage.through(this.#draws, async ({ store, events, machine }) => {
      const [group] = await store.groups.list(userId);
      if (group === undefined) return;
      const outcome = await store.groups.replace(
        { ...group, maxPurchases, budgetEur },
        machine.clock.nowMs(),
      );
      const { trace } = this.#stage.parts;
      if (outcome.kind === "saved" && outcome.group.taken.count > maxPurchases)
        trace.count("n lowered below taken");
      trace.note("group", `${group.id} ${maxPurchases} ${budgetEur}`);
      await events.publish({ kind: "group_changed", userId, filterIds: group.filterIds });
    });
  }

  /** Deletes the group and creates another one immediately. */
  #regroup(userId: Person["userId"]): void {
    const group = this.#drawGroup(userId, []);
    this.#stage.through(this.#draws, async ({ store, events, machine }) => {
      const [known] = await store.groups.list(userId);
      if (known !== undefined) await store.groups.remove(userId, known.id);
      const filterIds = (await store.filters.ofUser(userId)).map(({ id }) => id);
      await store.groups.add({ ...group, filterIds }, { nowMs: machine.clock.nowMs(), limit: MAX_GROUPS });
      await events.publish({ kind: "filters_changed", userId, filterIds });
    });
  }

  #switchOnAgain(userId: Person["userId"]): void {
    this.#stage.through(this.#draws, async ({ store, events, machine }) => {
      const nowMs = machine.clock.nowMs();
      const off = (await store.filters.ofUser(userId)).filter(({ isAutobuy }) => !isAutobuy);
      const on = { isAutobuy: true, activatedAtMs: nowMs, autobuySinceMs: nowMs };
      for (const filter of off)
        await store.filters.change(userId, [filter.id], (known) => ({ ...known, ...on }), { nowMs });
      await events.publish({ kind: "filters_changed", userId, filterIds: off.map(({ id }) => id) });
    });
  }

  #changeRules(userId: Person["userId"]): void {
    const roll = this.#draws.next();
    const nowMs = this.#stage.parts.time.nowMs();
    const rules = this.#drawRules(nowMs);
    this.#stage.through(this.#draws, async ({ store, events }) => {
      const own = await store.filters.ofUser(userId);
      const filter = own[Math.floor(roll * own.length)];
      if (filter === undefined) return;
      await store.filters.change(userId, [filter.id], (known) => ({ ...known, rules }), { nowMs });
      await events.publish({ kind: "filters_changed", userId, filterIds: [filter.id] });
    });
  }
}
