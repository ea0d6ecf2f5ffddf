import type { AutobuyWish } from "#domain/market/match.ts";
import type { ProductEvent } from "#domain/events.ts";
import { asListingId, asUserId, type FilterId } from "#domain/ids.ts";
import type { Log, LogFields } from "#domain/log.ts";
import type { Random } from "#domain/clock.ts";
import { drawsFor, type Draws } from "#sandbox/world/draws.ts";
import type { NodeStore as NodeRegistry } from "#store/store.ts";
import { createDecisions } from "#store/purchases/decisions.ts";
import type { Decisions } from "#store/purchase-store.ts";
import { createCommitWatch, isTaken, type CommitWatch } from "./commit-watch.ts";
import { blocksSeller } from "./memory/memory-facts.ts";
import { Machine } from "./machine.ts";
import { createMarketWorld, type MarketWorld } from "./market-world.ts";
import type { MemoryTables } from "./memory/memory-tables.ts";
import { createSimulatedExchange } from "./network.ts";
import { createSellerWatch, type SellerWatch } from "./seller-watch.ts";
import { createNetworkWatch, type NetworkWatch } from "./network-watch.ts";
import { startNode, type NodeStore, type SimulatedNode } from "./node.ts";
import type { Plan } from "./plan.ts";
import { NO_STORE_FAULTS, overLine, type StoreLineParts, type StoreFaultRates } from "./store-line.ts";
import type { Trace } from "./trace.ts";
import { createPricedMemory } from "./usual-prices.ts";
import { createTurnWatch, type TurnWatch } from "./turn-watch.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Violations } from "./violations.ts";

/** The market, the store, and the nodes that start and stop. */
export class Stage implements Disposable {
  readonly world: MarketWorld;
  readonly commitWatch: CommitWatch;
  readonly networkWatch: NetworkWatch;
  readonly sellerWatch: SellerWatch;
  readonly parts: StageParts;
  /** Called with the wishes of every node. */
  onWishes: (wishes: readonly AutobuyWish[]) => void = () => undefined;
  readonly #draws: Draws;
  readonly #nodes: (SimulatedNode | null)[];
  /** The place of each process, which may die before its node exists. */
  readonly #places = new Map<Machine, number>();
  readonly #watchedStore: NodeStore;
  readonly #turns: TurnWatch;
  /** The filter of the latest refusal of each wish. */
  readonly #refusedFilters = new Map<string, FilterId | null>();
  #incarnations = 0;
  #isCalm = false;

  constructor(parts: StageParts) {
    const { plan, time, trace, violations, store, tables } = parts;
    this.parts = parts;
    this.#draws = drawsFor(plan.seed, "stage");
    this.world = createMarketWorld({ time, seed: plan.seed, log: this.#log("sandbox") });
    this.#turns = createTurnWatch({
      time,
      violations,
      tables,
      isStoreReliable: isReliable(plan.storeFaults),
    });
    this.commitWatch = createCommitWatch({ ...parts, turns: this.#turns, seed: plan.seed });
    this.sellerWatch = createSellerWatch({ trace, violations, time });
    const { commitWatch, sellerWatch } = this;
    this.networkWatch = createNetworkWatch({ trace, violations, time, commitWatch, sellerWatch });
    this.#watchedStore = this.commitWatch.watched(store);
    this.#nodes = Array.from({ length: plan.nodeCount }, () => null);
  }

  startAll(): void {
    for (const place of this.#nodes.keys()) this.start(place);
  }

  /** Starts a new process in a place whose last one is dead; does nothing while one runs there. */
  start(place: number): void {
    const { plan, time, trace } = this.parts;
    if (this.#nodes[place] !== null) return;
    this.#incarnations += 1;
    const machine = new Machine(`node-${place}.${this.#incarnations}`, time);
    const draws = drawsFor(plan.seed, "machine", machine.name);
    trace.note("start", machine.name);
    this.#places.set(machine, place);
    const node = startNode({
      machine,
      store: this.#reached({ machine, draws }),
      exchange: createSimulatedExchange({
        machine,
        time,
        draws,
        api: this.world.api,
        watcher: this.networkWatch,
        refusedRate: () => (this.#isCalm ? 0 : plan.refusedRate),
      }),
      random: randomOf(draws, this.#incarnations),
      log: this.#log(machine.name),
      registry: plan.nodeCount === 1 ? null : registryOn(time),
      reconcileMs: plan.reconcileMs,
      memory: createPricedMemory(plan.seed),
      buyingPerSecond: plan.buyingPerSecond,
      toOthers: (event) => this.#tellOthers(machine, event),
      onMatches: (matches) => this.sellerWatch.published(machine, matches),
      onWishes: (wishes) => {
        this.#turns.offered(machine.name, wishes);
        this.onWishes(wishes);
        for (const { userId, listingId, lane, filterId } of wishes)
          trace.note("wish", `${machine.name} ${lane} ${userId} ${listingId} ${filterId}`);
      },
      onStartFailed: () => this.crash(machine, "while it started"),
      onFatal: (error) => this.crash(machine, `by itself: ${error.name}`),
    });
    node.events.subscribe((event) => {
      if (event.kind === "autobuy_stopped") this.commitWatch.rules.delivered(event.purchaseId);
      if (event.kind === "sellers_changed") this.sellerWatch.learnsOfBlocks(machine, event.userId);
    });
    if (!machine.isDead) this.#nodes[place] = node;
  }

  /** Kills a process and schedules its replacement. */
  crash(machine: Machine, where: string, backAfterMs = this.#draws.whole(0, 15_000)): void {
    if (machine.isDead) return;
    const { time, trace } = this.parts;
    const place = this.#places.get(machine);
    trace.note("crash", `${machine.name} ${where}`);
    trace.count("crash");
    if (this.networkWatch.isPaying(machine)) trace.count("crash while paying");
    this.networkWatch.died(machine);
    machine.kill();
    this.#places.delete(machine);
    if (place === undefined) return;
    this.#nodes[place] = null;
    time.schedule(backAfterMs, () => this.start(place));
  }

  node(place: number): SimulatedNode | null {
    return this.#nodes[place] ?? null;
  }

  /** Acts through a random running node; does nothing when all are down. Errors are the caller's. */
  through(draws: Draws, act: (node: SimulatedNode) => Promise<void>): void {
    const alive = this.alive();
    if (alive.length === 0) return;
    const node = draws.pick(alive);
    node.machine.run(() => void act(node).catch(() => undefined));
  }

  alive(): readonly SimulatedNode[] {
    return this.#nodes.filter((node) => node !== null);
  }

  /** Ends all injected faults. */
  endFaults(): void {
    this.#isCalm = true;
    this.world.faults.clear();
    for (const { machine } of this.alive()) {
      machine.setClock(0);
      machine.wake();
    }
  }

  [Symbol.dispose](): void {
    for (const { machine } of this.alive()) machine.kill();
    this.world[Symbol.dispose]();
  }

  #reached({ machine, draws }: Pick<StoreLineParts, "machine" | "draws">): NodeStore {
    const { plan, time, trace } = this.parts;
    const line: StoreLineParts = {
      machine,
      draws,
      time,
      faultRates: () => (this.#isCalm ? NO_STORE_FAULTS : plan.storeFaults),
      onCrash: (crashed, where) => this.crash(crashed, where),
      onLostAnswer: (caller, where) => {
        if (where === "takeDue") this.sellerWatch.missesTaken(caller);
        trace.note("lost", `the answer to ${where}`);
        trace.count("lost commit answer");
      },
    };
    const store = this.sellerWatch.watched(this.#watchedStore, machine);
    const { purchases, accounts, settings, sellers, filters, groups, listings, audit, users } = store;
    const { held, sellerFacts, relists } = store;
    // Decisions run on the machine: other writes can occur between reading the facts and writing.
    const books = overLine(purchases, line);
    return {
      purchases: { ...books, ...this.#watchedDecisions(createDecisions(books), machine.name) },
      accounts: overLine(accounts, line),
      settings: overLine(settings, line),
      sellers: overLine(sellers, line),
      filters: overLine(filters, line),
      groups: overLine(groups, line),
      listings: overLine(listings, line),
      audit: overLine(audit, line),
      users: overLine(users, line),
      held: overLine(held, line),
      sellerFacts: overLine(sellerFacts, line),
      relists: overLine(relists, line),
    };
  }

  #watchedDecisions(decisions: Decisions, owner: string): Decisions {
    const { trace, tables } = this.parts;
    return {
      ...decisions,
      propose: async (proposal, decide) => {
        const { id, userId, listing } = proposal;
        const endDecision = this.#turns.decides(id, { owner, userId, listingId: listing.id });
        const outcome = await decisions.propose(proposal, decide).finally(endDecision);
        const { rules } = this.commitWatch;
        const wish = `${userId} ${listing.id}`;
        const refusal = outcome.kind === "refused" ? kindOf(outcome.refusal) : null;
        if (refusal !== null) {
          this.#refusedFilters.set(wish, proposal.filterId);
          trace.count(`refused: ${refusal}`);
        }
        const refusedFilter = this.#refusedFilters.get(wish) ?? proposal.filterId;
        if (outcome.kind === "opened" && proposal.source === "auto" && refusedFilter !== proposal.filterId)
          trace.count("bought for the next filter");
        if (refusal === "waits") rules.waited(wish);
        if (outcome.kind === "opened" && rules.won(wish)) trace.count("a place waited for and won");
        if (outcome.kind !== "opened" && tables !== null && isTaken(tables, proposal))
          trace.count("two of ours met at one listing");
        const isAutomatic = proposal.source === "auto";
        if (outcome.kind !== "opened" && isAutomatic && tables !== null && blocksSeller(tables, proposal))
          trace.count("seller blocked between match and intent");
        return outcome;
      },
    };
  }

  #tellOthers(sender: Machine, event: ProductEvent): void {
    for (const other of this.alive())
      if (other.machine !== sender)
        this.parts.time.schedule(this.#draws.whole(1, 30), () =>
          other.machine.run(() => other.deliver(event)),
        );
  }

  #log(who: string): Log {
    const { trace } = this.parts;
    const at =
      (level: string) =>
      (fields: LogFields, message: string): void =>
        trace.note(level, `${who} ${message} ${JSON.stringify(fields, withoutStack)}`);
    const info = at("info");
    return {
      info: (fields, message) => {
        this.#hearRefusal(who, fields);
        info(fields, message);
      },
      warn: at("warn"),
      error: at("error"),
    };
  }

  /** Wishes of paused payers are refused without a call of the store: only the log shows their turn. */
  #hearRefusal(owner: string, { refusal, userId, listingId }: LogFields): void {
    if (refusal === undefined) return;
    const refused = { userId: asUserId(String(userId)), listingId: asListingId(Number(listingId)) };
    this.#turns.hadTurn({ owner, ...refused });
  }
}

/** A refusal of the engine, unknown to the store. */
function kindOf(refusal: unknown): string {
  return typeof refusal === "object" && refusal !== null && "kind" in refusal ? String(refusal.kind) : "";
}

/** Stack positions depend on the machine and version, so they must not be part of the trace. */
function withoutStack(key: string, value: unknown): unknown {
  if (key === "errorAt") return undefined;
  return key === "error" && typeof value === "string" ? value.split("\n")[0] : value;
}

interface StageParts {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly violations: Violations;
  readonly store: NodeStore;
  readonly tables: MemoryTables | null;
  /** When each filter that an import replaced was active from, as the import left it. */
  readonly imported: Map<FilterId, number | null>;
}

function isReliable({ failureRate, lostAnswerRate }: StoreFaultRates): boolean {
  return failureRate + lostAnswerRate === 0;
}

/** Ids derived from the seed and the incarnation. */
export function randomOf(draws: Draws, incarnation: number): Random {
  let count = 0;
  return {
    next: () => draws.next(),
    uuid(nowMs) {
      count += 1;
      const time = Math.trunc(nowMs).toString(16).padStart(12, "0");
      const node = incarnation.toString(16).padStart(4, "0");
      const tail = count.toString(16).padStart(12, "0");
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-${node}-${tail}`;
    },
  };
}

/**
 * The database's clock. No node is declared dead and no lease is released early: leases end by their time alone, and
 * the purchases of a node that sleeps too long are safe without the others' knowing.
 */
function registryOn(time: VirtualTime): NodeRegistry {
  return {
    join: async () => time.nowMs(),
    renew: async () => time.nowMs(),
    leave: async () => undefined,
    countOut: async () => [],
    others: async () => new Map(),
    claimRole: async () => true,
    releaseRole: async () => undefined,
  };
}
