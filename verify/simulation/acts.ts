import { leafIds } from "#catalogue/categories.ts";
import { asListingId } from "#domain/ids.ts";
import { formatCents } from "#domain/money.ts";
import { Secret } from "#domain/secret.ts";
import { drawsFor, type Draws } from "#sandbox/world/draws.ts";
import { drawListing } from "#sandbox/world/draw-listing.ts";
import type { MarketSeller } from "#sandbox/market/listing.ts";
import { itemTotalCents } from "#sandbox/market/checkout.ts";
import type { SimulatedNode } from "./node.ts";
import type { Person } from "./people.ts";
import { hasLowLimit, type PlannedPerson } from "./plan.ts";
import type { Stage } from "./stage.ts";

/** The share of listings by the same seller as the one before. */
const SAME_SELLER_SHARE = 0.3;
const SHELF_LIFE_MS = 8 * 60_000;
const MANY_ORDERS = 2_000;
/** After each such period a person's daily limits rise by their initial value. */
const MORE_EACH_MS = 3 * 3_600_000;

/** The actions of people: sellers and banks act in the market, users through a running node. */
export class Acts {
  readonly #stage: Stage;
  readonly #people: readonly Person[];
  readonly #draws: Draws;
  #serial = 0;
  #lastSeller: MarketSeller | null = null;

  constructor(stage: Stage, people: readonly Person[]) {
    this.#stage = stage;
    this.#people = people;
    this.#draws = drawsFor(stage.parts.plan.seed, "acts");
  }

  /** Publishes a listing that a filter may want. */
  publish(): void {
    const { world, parts } = this.#stage;
    const draws = this.#draws;
    this.#serial += 1;
    const nowMs = parts.time.nowMs();
    const facts = drawListing({
      seed: parts.plan.seed,
      serial: this.#serial,
      publishedAtMs: nowMs,
      leafId: draws.pick(leafIds),
    });
    const seller = draws.chance(SAME_SELLER_SHARE) ? (this.#lastSeller ?? facts.seller) : facts.seller;
    this.#lastSeller = seller;
    const [listing] = world.market.stock.publish([
      {
        serial: null,
        facts: {
          ...facts,
          seller,
          priceCents: draws.whole(200, 6_000),
          needsConfirmation: draws.chance(0.15),
          fate: null,
        },
      },
    ]);
    parts.trace.note("publish", `${listing?.id ?? ""} ${listing?.priceCents ?? ""}`);
  }

  /** Lets banks answer, sellers withdraw or cancel, and competitors buy. */
  turnMarket(isCalm: boolean): void {
    const { world, parts } = this.#stage;
    const { market } = world;
    market.settleDue();
    for (const order of market.database.orders.undecided()) {
      if (order.state !== "awaiting") continue;
      const bank = drawsFor(parts.plan.seed, "bank", order.id);
      const roll = bank.next();
      if (parts.time.nowMs() < order.createdAtMs + bank.whole(5_000, 240_000)) continue;
      if (roll < 0.6) market.payments.confirm(order.id);
      else if (roll < 0.8) market.payments.refuse(order.id);
    }
    this.#clearShelf();
    if (isCalm) return;
    if (this.#draws.chance(0.006)) this.#sellerCancels();
    if (this.#draws.chance(0.05)) this.#rivalBuys();
  }

  /** Reconnects every account whose session was lost. */
  reconnect(): void {
    for (const { name, userId } of this.#people)
      this.#through(async ({ store, events, machine }) => {
        if ((await store.accounts.tokens(userId))?.state !== "reconnect") return;
        this.#stage.parts.trace.count("account connected anew");
        const refreshToken = new Secret(`sandbox-${name}`);
        await store.settings.change(userId, { refreshToken }, machine.clock.nowMs());
        await events.publish({ kind: "settings_changed", userId });
      });
  }

  /** One random action of a random user. */
  user(): void {
    const person = this.#draws.pick(this.#people);
    const click = (): void => this.#click(person);
    const cancel = (): void => this.#cancel(person);
    const act = this.#draws.pick([
      click,
      click,
      click,
      cancel,
      cancel,
      () => this.#toggleStop(person),
      () => this.#changeLimits(person),
      () => this.#editFilter(person),
      () => this.#toggleFilter(person),
      () => this.#operatorStops(person),
    ]);
    act();
  }

  /** Lifts all stops by the operator. */
  resumeAll(): void {
    this.#through(async ({ purchasing }) => {
      await purchasing.operator.resume("everyone");
      for (const { userId } of this.#people) await purchasing.operator.resume(userId);
    });
  }

  /** Re-enables stopped purchases and switched-off filters, within the person's limits. */
  comeBack(): void {
    for (const { userId, planned } of this.#people)
      this.#through(async ({ store, events, machine, purchasing }) => {
        const nowMs = machine.clock.nowMs();
        const limits = { ...this.#limitsOf(planned, nowMs), isStopped: false };
        await store.settings.change(userId, { limits }, nowMs);
        const off = (await store.filters.ofUser(userId)).filter(({ isAutobuy }) => !isAutobuy);
        const on = { isAutobuy: true, activatedAtMs: nowMs, autobuySinceMs: nowMs };
        for (const filter of off)
          await store.filters.change(
            userId,
            [filter.id],
            (known) => ({ ...known, ...on, maxPurchases: null }),
            {
              nowMs,
            },
          );
        await events.publish({ kind: "settings_changed", userId });
        await events.publish({ kind: "filters_changed", userId, filterIds: off.map(({ id }) => id) });
        await purchasing.operator.resume(userId);
      });
  }

  /** Wealthy people raise their daily limits with time, or they would be reached within hours. */
  #limitsOf(
    planned: PlannedPerson,
    nowMs: number,
  ): Pick<PlannedPerson, "dayEur" | "monthEur" | "purchasesPerDay"> {
    const { dayEur, monthEur, purchasesPerDay } = planned;
    if (hasLowLimit(planned)) return { dayEur, monthEur, purchasesPerDay };
    const share = 1 + Math.max(0, nowMs - this.#stage.parts.plan.startMs) / MORE_EACH_MS;
    return {
      monthEur,
      dayEur: Math.round(dayEur * share),
      purchasesPerDay: Math.round(purchasesPerDay * share),
    };
  }

  #click(person: Person): void {
    const listings = [...this.#stage.world.market.searchIndex.all()].slice(-12);
    if (listings.length === 0) return;
    const listing = this.#draws.pick(listings);
    const seenCents = itemTotalCents(listing.priceCents);
    const seenPrice = this.#draws.chance(0.7)
      ? { amount: formatCents(seenCents), currency_code: "EUR" }
      : null;
    this.#through(async ({ purchasing, store }) => {
      const { trace, violations } = this.#stage.parts;
      const listingId = asListingId(listing.id);
      const outcome = await purchasing.click({ userId: person.userId, listingId, seenPrice });
      trace.note("clicked", `${person.name} ${listing.id} ${outcome.kind}`);
      trace.count(`click: ${outcome.kind}`);
      if (outcome.kind !== "accepted") return;
      if ((await store.purchases.record(outcome.purchase)) === null)
        violations.report("I13", `the accepted click ${outcome.purchase.id} is not in the books`);
    });
  }

  #cancel(person: Person): void {
    this.#through(async ({ purchasing, store }) => {
      const list = await store.purchases.list(person.userId, 20);
      const confirmed = list.filter(({ state }) => state === "confirmed");
      if (confirmed.length === 0) return;
      const { transactionId } = this.#draws.pick(confirmed);
      const outcome = await purchasing.cancel(person.userId, transactionId ?? 0);
      this.#stage.parts.trace.note("cancel", `${person.name} ${transactionId} ${outcome.kind}`);
    });
  }

  #toggleStop(person: Person): void {
    this.#through(async ({ store, events, machine }) => {
      const { limits } = await store.settings.get(person.userId);
      const isStopped = !limits.isStopped;
      await store.settings.change(person.userId, { limits: { isStopped } }, machine.clock.nowMs());
      this.#stage.parts.trace.note("stop", `${person.name} ${isStopped}`);
      await events.publish({ kind: "user_changed", userId: person.userId });
    });
  }

  #changeLimits(person: Person): void {
    const limits = { dayEur: this.#draws.whole(0, 400), purchasesPerDay: this.#draws.whole(0, 30) };
    this.#through(async ({ store, events, machine }) => {
      await store.settings.change(person.userId, { limits }, machine.clock.nowMs());
      this.#stage.parts.trace.note("limits", `${person.name} ${limits.dayEur} ${limits.purchasesPerDay}`);
      await events.publish({ kind: "settings_changed", userId: person.userId });
    });
  }

  #editFilter(person: Person): void {
    const priceCapEur = this.#draws.whole(5, 70);
    this.#changeFilter(person, () => ({ priceCapEur }));
  }

  #toggleFilter(person: Person): void {
    this.#changeFilter(person, ({ isAutobuy }) => ({ isAutobuy: !isAutobuy }));
  }

  #changeFilter({ userId }: Person, change: (filter: { readonly isAutobuy: boolean }) => object): void {
    const roll = this.#draws.next();
    this.#through(async ({ store, events, machine }) => {
      const own = await store.filters.ofUser(userId);
      const filter = own[Math.floor(roll * own.length)];
      if (filter === undefined) return;
      const nowMs = machine.clock.nowMs();
      const changed = { ...filter, ...change(filter), activatedAtMs: nowMs };
      const isOnAgain = changed.isAutobuy && !filter.isAutobuy;
      const next = isOnAgain ? { ...changed, autobuySinceMs: nowMs } : changed;
      await store.filters.change(userId, [filter.id], () => next, { nowMs });
      await events.publish({ kind: "filters_changed", userId, filterIds: [filter.id] });
    });
  }

  #operatorStops(person: Person): void {
    const scope = this.#draws.chance(0.4) ? "everyone" : person.userId;
    this.#through(async ({ purchasing }) => {
      await purchasing.operator.stop(scope, "a drill");
    });
    this.#stage.parts.time.schedule(this.#draws.whole(10_000, 200_000), () =>
      this.#through(async ({ purchasing }) => {
        await purchasing.operator.resume(scope);
      }),
    );
  }

  #sellerCancels(): void {
    const { market } = this.#stage.world;
    const orders = market.database.orders.all();
    const standing = orders.filter(({ state }) => state === "paid" || state === "awaiting");
    // Over a whole day, most purchases must not be cancelled.
    if (this.#stage.parts.plan.isLong && !this.#draws.chance(standing.length / MANY_ORDERS)) return;
    if (standing.length > 0) market.cancellations.bySeller(this.#draws.pick(standing).id);
  }

  /** Removes old listings, or ever larger catalogue pages would dominate the duration of a run. */
  #clearShelf(): void {
    const { market } = this.#stage.world;
    const oldMs = this.#stage.parts.time.nowMs() - SHELF_LIFE_MS;
    for (const { id, publishedAtMs, state } of market.searchIndex.all())
      if (state === "available" && publishedAtMs < oldMs) market.stock.setState(id, "sold");
  }

  #rivalBuys(): void {
    const { stock, searchIndex } = this.#stage.world.market;
    const free = [...searchIndex.all()].filter(({ state }) => state === "available");
    if (free.length > 0) stock.setState(this.#draws.pick(free).id, "sold");
  }

  /** Acts through any running node; an error is the user's failed call and is not retried. */
  #through(act: (node: SimulatedNode) => Promise<void>): void {
    const { trace } = this.#stage.parts;
    this.#stage.through(this.#draws, async (node) => {
      try {
        await act(node);
      } catch (error) {
        trace.note("act", `failed: ${error instanceof Error ? `${error.name} ${error.message}` : "?"}`);
      }
    });
  }
}
