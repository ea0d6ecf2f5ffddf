import { FileActs } from "./file-acts.ts";
import { RulesActs } from "./rules-acts.ts";
import { SellerActs } from "./seller-acts.ts";
import { type Draws, drawsFor } from "#sandbox/world/draws.ts";
import { Acts } from "./acts.ts";
import { memoryStateOf, type StoredState, judgeEnd } from "./verdict.ts";
import { openEmbeddedRunStore } from "./embedded-store.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import type { MemoryTables } from "./memory/memory-tables.ts";
import type { NodeStore } from "./node.ts";
import { enterPeople, type Registry } from "./people.ts";
import { drawPlan, type MachineFailure } from "./plan.ts";
import { randomOf, Stage } from "./stage.ts";
import { arrangeBargains } from "./usual-prices.ts";
import { createTrace } from "./trace.ts";
import { createViolations, type Violation } from "./violations.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

interface RunOptions {
  readonly seed: number;
  readonly hours: number;
  /** Arms every fault of the sandbox in turn. */
  readonly isEveryFaultArmed: boolean;
  /** Called with every line of the trace. */
  readonly onLine: ((line: string) => void) | null;
}

export interface RunReport {
  readonly seed: number;
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly counts: ReadonlyMap<string, number>;
  /** A readable summary of purchases and payments. */
  readonly summary: string;
}

/** Simulates one market and compares all books at the end. Deterministic for given options. */
export async function runSeed(options: RunOptions): Promise<RunReport> {
  const store = createMemoryStore();
  const { tables } = store;
  return await runOn({ store, tables, truth: async () => memoryStateOf(tables) }, options);
}

/** The same on the real embedded store, without checks that read the tables in memory. */
export async function runSeedEmbedded(options: RunOptions): Promise<RunReport> {
  const draws = drawsFor(options.seed, "embedded store");
  await using opened = await openEmbeddedRunStore(randomOf(draws, 0));
  return await runOn({ ...opened, tables: null }, options);
}

interface RunStore {
  readonly store: NodeStore & Registry;
  readonly tables: MemoryTables | null;
  readonly settled?: () => Promise<void>;
  readonly truth: () => Promise<StoredState>;
}

async function runOn(run: RunStore, options: RunOptions): Promise<RunReport> {
  const { store, tables } = run;
  const { seed, hours, isEveryFaultArmed, onLine } = options;
  const plan = drawPlan(seed, hours, isEveryFaultArmed);
  const time = createVirtualTime(plan.startMs, drawsFor(seed, "time"), run.settled);
  const trace = createTrace(time, onLine);
  const violations = createViolations(({ invariant, text }) =>
    trace.note("VIOLATED", `${invariant} ${text}`),
  );
  const people = await enterPeople(store, plan);
  using stage = new Stage({ plan, time, trace, violations, store, tables, imported: new Map() });
  const acts = new Acts(stage, people);
  const sellerActs = new SellerActs(stage);
  const rulesActs = new RulesActs(stage, people);
  await rulesActs.arrange(store);
  await sellerActs.arrange(store.filters, people);
  await arrangeBargains(store.filters, people, plan);
  const fileActs = new FileActs(stage);
  stage.onWishes = (wishes) => {
    if (time.nowMs() >= plan.calmFromMs) return;
    sellerActs.onWishes(wishes);
    rulesActs.onWishes(wishes);
    fileActs.onWishes(wishes);
  };
  const isOver = (): boolean => violations.found.length > 0;
  stage.startAll();
  scheduleAll(stage, acts, rulesActs);
  let summary = "ended early";
  if (await time.runUntil(plan.endMs, isOver)) {
    const truth = await run.truth();
    summary = await judgeEnd({
      plan,
      stage,
      people,
      truth,
      list: (userId, limit) => store.purchases.list(userId, limit),
      violations,
    });
  }
  return {
    seed,
    hash: trace.hash(),
    violations: violations.found,
    counts: trace.counts,
    summary,
  };
}

const MARKET_TICK_MS = 5_000;
const RECONNECT_TICK_MS = 60_000;
const RULE_ACT_GAP_MS = 90_000;
const COME_BACK_MS = 20 * 60_000;

function scheduleAll(stage: Stage, acts: Acts, rulesActs: RulesActs): void {
  const { plan, time, trace } = stage.parts;
  const { world } = stage;
  const draws = drawsFor(plan.seed, "schedule");
  const isCalm = (): boolean => time.nowMs() >= plan.calmFromMs;
  const at = (atMs: number, action: () => void): void => void time.schedule(atMs - plan.startMs, action);
  repeat(
    time,
    () => MARKET_TICK_MS,
    () => acts.turnMarket(isCalm()),
  );
  repeat(
    time,
    () => RECONNECT_TICK_MS,
    () => acts.reconnect(),
  );
  if (plan.isLong)
    repeat(
      time,
      () => COME_BACK_MS,
      () => isCalm() || acts.comeBack(),
    );
  repeat(time, gapOf(draws, plan.meanListingGapMs), () => isCalm() || acts.publish());
  repeat(time, gapOf(draws, plan.meanActGapMs), () => isCalm() || acts.user());
  repeat(time, gapOf(drawsFor(plan.seed, "rule acts"), RULE_ACT_GAP_MS), () => isCalm() || rulesActs.act());
  for (const { atMs, orders } of plan.faults)
    at(atMs, () => {
      world.faults.clear();
      for (const order of orders) world.faults.arm(order);
      trace.note("faults", JSON.stringify(orders));
    });
  for (const failure of plan.machineFailures) at(failure.atMs, () => failMachine(stage, failure));
  at(plan.calmFromMs, () => {
    trace.note("calm", "");
    stage.endFaults();
    acts.resumeAll();
  });
}

function gapOf(draws: Draws, meanMs: number): () => number {
  return () => Math.max(100, Math.round(draws.exponential() * meanMs));
}

function repeat(time: VirtualTime, gapMs: () => number, action: () => unknown): void {
  time.schedule(gapMs(), () => {
    action();
    repeat(time, gapMs, action);
  });
}

function failMachine(stage: Stage, failure: MachineFailure): void {
  const node = stage.node(failure.node);
  if (node === null) return;
  const { machine } = node;
  const { trace, time } = stage.parts;
  trace.note("mishap", `${machine.name} ${JSON.stringify(failure)}`);
  if (failure.kind === "crash") stage.crash(machine, "by kill", failure.backAfterMs);
  else if (failure.kind === "clock") machine.setClock(failure.skewMs);
  else {
    machine.sleep();
    time.schedule(failure.forMs, () => machine.wake());
  }
}

/** I17: a repeated run must produce the same trace, or failing seeds could not be replayed. */
export async function runRepeated(options: RunOptions, isRepeated: boolean): Promise<RunReport> {
  const report = await runSeed(options);
  if (!isRepeated || report.violations.length > 0) return report;
  const again = await runSeed(options);
  if (again.hash === report.hash) return report;
  const text = `two runs of seed ${options.seed} differ: ${report.hash} and ${again.hash}`;
  return { ...report, violations: [{ invariant: "I17", text }] };
}
