/**
 * Two processes buy on the same database, each offered every wish of a group of filters; one is killed with
 * SIGKILL meanwhile and replaced. Payments are checked in the marketplace's orders.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { asGroupId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { type BuyingWorld, centsOf, startBuyingWorld } from "#purchasing/buying-world.suite.ts";
import { systemClock } from "#server/clock.ts";
import { openPostgresServer } from "#verify/testing/postgres-server.ts";
import { aMasterKey, openPostgresTestStore } from "#verify/testing/test-store.ts";
import type { BuyingNodeSettings } from "./buying-node.ts";

interface NodeKills {
  /** One kill per group. */
  readonly kills: number;
  /** Wishes per group, each offered to both nodes. */
  readonly wishes: number;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Called after each group, counted from 1. */
  readonly onGroup?: (group: JudgedGroup) => void;
}

interface JudgedGroup {
  readonly number: number;
  readonly paid: number;
  readonly violations: readonly string[];
}

interface KilledGroups {
  readonly violations: readonly string[];
  /** The number of paid orders per group. */
  readonly paid: readonly number[];
}

export const GROUP_PURCHASES = 3;
const FILTERS = 3;
const PRICE_EUR = 10;
/** Enough for three articles with their protection fees, not for four. */
const BUDGET_EUR = 40;
/** A group completes within about a second. */
const MAX_RUN_MS = 1_200;
const SETTLE_TIMEOUT_MS = 300_000;
/** A wish expires after 30 s. */
const WISHES_LAST_MS = 35_000;
const PLENTY = { dayEur: 10_000, monthEur: 10_000, purchasesPerDay: 1_000 };

export async function killNodes({ kills, wishes, random, onGroup }: NodeKills): Promise<KilledGroups> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await openPostgresServer());
  const databaseUrl = await postgres.freshDatabase();
  const masterKeys = aMasterKey();
  const openStore = async () => await openPostgresTestStore(databaseUrl, { masterKeys });
  const world = stack.use(await startBuyingWorld({ openStore }));
  // The nodes run in their own processes.
  await world.purchasing().stop();
  const start = nodesOver(stack, { databaseUrl, masterKeys, sandboxUrl: world.sandbox.url });
  const nodes = [await start(), await start()];
  const violations: string[] = [];
  const paid: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    const group = await openGroup(world, kill, wishes);
    for (const node of nodes) node.send(group.wishes);
    await wait(random() * MAX_RUN_MS);
    const dying = random() < 0.5 ? 0 : 1;
    nodes[dying]?.kill("SIGKILL");
    const reborn = await start();
    nodes[dying] = reborn;
    reborn.send(group.wishes);
    const outcome = await judged(world, group);
    violations.push(...outcome.violations);
    paid.push(outcome.paid);
    onGroup?.({ number: kill, ...outcome });
  }
  return { violations: [...violations, ...(await world.store.purchases.auditLedger(Date.now()))], paid };
}

function nodesOver(
  stack: AsyncDisposableStack,
  settings: Omit<BuyingNodeSettings, "owner">,
): () => Promise<ChildProcess> {
  let count = 0;
  return async () => {
    count += 1;
    const own: BuyingNodeSettings = { ...settings, owner: `process-${count}` };
    const child = fork(join(import.meta.dirname, "buying-node.ts"), [JSON.stringify(own)]);
    stack.defer(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit").then(() => {
      throw new Error("a buying node ended before it was ready");
    });
    await Promise.race([once(child, "message"), ended]);
    ended.catch(() => undefined);
    return child;
  };
}

interface OfferedGroup {
  readonly person: Awaited<ReturnType<BuyingWorld["person"]>>;
  readonly name: string;
  readonly wishes: readonly AutobuyWish[];
}

/** Opens a group for a new person, so that their orders contain only this group's purchases. */
async function openGroup(world: BuyingWorld, n: number, count: number): Promise<OfferedGroup> {
  const name = `thunder-group-${n}`;
  const person = await world.person(name);
  await world.limit(person, PLENTY);
  const filters = await Promise.all(Array.from({ length: FILTERS }, () => world.autobuyFilter(person)));
  const group = { id: asGroupId(name), userId: person.id, name, maxPurchases: GROUP_PURCHASES };
  await world.store.groups.add(
    { ...group, budgetEur: BUDGET_EUR, filterIds: filters.map(({ id }) => id) },
    { nowMs: systemClock.nowMs(), limit: 50 },
  );
  const listings = await world.listings(Math.ceil(count / FILTERS), { price: PRICE_EUR });
  // Some listings are sold already: their places become free again for either node.
  for (const listing of listings.filter((_unused, index) => index % 8 === 0))
    await world.sandbox.sellToSomebodyElse(listing.id);
  return {
    person,
    name,
    wishes: listings.flatMap((listing) => filters.map((filter) => world.wish(person, filter, listing))),
  };
}

/** Waits until the group is complete or its wishes have expired, and no purchase is undecided. */
async function judged(
  { store, sandbox }: BuyingWorld,
  { person, name }: OfferedGroup,
): Promise<{ readonly paid: number; readonly violations: readonly string[] }> {
  const offeredAtMs = Date.now();
  const isOver = async (): Promise<boolean> => {
    const filters = await store.filters.ofUser(person.id);
    const journal = await store.purchases.journal(person.id, 1_000);
    const isOpen = journal.some(({ purchase }) => UNDECIDED.has(purchase.state));
    const isDone = filters.every(({ isAutobuy }) => !isAutobuy) || Date.now() > offeredAtMs + WISHES_LAST_MS;
    return isDone && !isOpen;
  };
  while (!(await isOver())) {
    if (Date.now() > offeredAtMs + SETTLE_TIMEOUT_MS)
      return { paid: 0, violations: [`${name} did not come to its end`] };
    await wait(100);
  }
  const orders = (await sandbox.orders()).filter(({ account, payments }) => account === name && payments > 0);
  const paid = orders.reduce((sum, { payments }) => sum + payments, 0);
  const cents = orders.reduce((sum, order) => sum + centsOf(order), 0);
  return {
    paid,
    violations: [
      ...(paid > GROUP_PURCHASES ? [`${name} paid ${paid} of ${GROUP_PURCHASES}`] : []),
      ...(cents > BUDGET_EUR * 100 ? [`${name} paid ${cents} cents of ${BUDGET_EUR} EUR`] : []),
    ],
  };
}

const UNDECIDED: ReadonlySet<string> = new Set(["intent", "submitting", "unknown", "awaiting"]);
