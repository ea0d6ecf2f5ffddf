// The results of a load run and its guarantees at any speed: nothing lost, duplicated or paid twice.
import type { TrueOrder } from "#verify/testing/sandbox-client.ts";
import type { OpenPages } from "./open-pages.ts";
import type { Population } from "./population.ts";
import type { Publication } from "./traffic.ts";
import { accepts } from "./draw-listing.ts";
import type { ProcessCost } from "./target.ts";

interface Broken {
  readonly what: string;
  readonly count: number;
}

/** The broken guarantees of the run, with counts. */
export function brokenGuarantees(
  population: Population,
  pages: OpenPages,
  published: readonly Publication[],
  orders: readonly TrueOrder[],
): readonly Broken[] {
  const bought = published.filter(({ buyingIndex }) => buyingIndex !== null);
  const paidOf = Map.groupBy(
    orders.filter(({ payments }) => payments > 0),
    ({ item_id: itemId }) => itemId,
  );
  const checks: Broken[] = [
    { what: "matches that never reached their page", count: lostDeliveries(population, pages, published) },
    { what: "listings that came twice to a page", count: pages.duplicateCount },
    { what: "listings paid more than once", count: overpaid([...paidOf.values()]) },
    { what: "wished listings that nobody paid", count: bought.filter(({ id }) => !paidOf.has(id)).length },
    {
      what: "purchases whose end no page heard",
      count: bought.filter(({ id }) => paidOf.has(id) && !pages.settled.has(id)).length,
    },
    { what: "payments for somebody else's wish", count: paidByOthers(population, bought, paidOf) },
  ];
  return checks.filter(({ count }) => count > 0);
}

function lostDeliveries(population: Population, pages: OpenPages, published: readonly Publication[]): number {
  let lost = 0;
  for (const { id, listing, totalEur, buyingIndex } of published) {
    const recipients =
      buyingIndex === null
        ? population.people.filter(({ wishes }) => wishes.some((wish) => accepts(wish, listing, totalEur)))
        : [population.ownerOf(buyingIndex)];
    lost += recipients.filter((member) => !pages.hasReceived(member, id)).length;
  }
  return lost;
}

function overpaid(groups: readonly (readonly TrueOrder[])[]): number {
  return groups.filter((orders) => orders.reduce((sum, { payments }) => sum + payments, 0) > 1).length;
}

function paidByOthers(
  population: Population,
  bought: readonly Publication[],
  paidOf: ReadonlyMap<number, readonly TrueOrder[]>,
): number {
  return bought.filter(({ id, buyingIndex }) => {
    const owner = buyingIndex === null ? null : population.ownerOf(buyingIndex).person.name;
    return (paidOf.get(id) ?? []).some(({ account }) => account !== owner);
  }).length;
}

// Estimates for other sizes: the cost per listing and delivery, and the capacity of one process.

interface Work {
  readonly durationS: number;
  readonly sockets: number;
  readonly listings: number;
  /** Listings delivered, counted once per page. */
  readonly deliveries: number;
  readonly purchases: number;
  readonly reads: number;
}

/** A busier process delays people during bursts. */
const BUSY_SHARE = 0.7;

/**
 * One line per figure. All CPU time is attributed to listings, then to deliveries: an upper bound for each.
 * @param costs of the product's processes during the run; null where unavailable
 * @param pagesMb memory that the open pages added to all processes; null when unknown
 */
export function sizingOf(
  work: Work,
  costs: readonly (ProcessCost | null)[],
  pagesMb: number | null,
): readonly (readonly [label: string, value: string])[] {
  const known = costs.filter((cost) => cost !== null);
  if (known.length === 0 || known.length < costs.length) return [];
  const cores = known.reduce((sum, { coreShare }) => sum + coreShare, 0);
  const busiest = Math.max(...known.map(({ coreShare }) => coreShare));
  const processorS = cores * work.durationS;
  const lines: (readonly [string, string])[] = [
    ["processor time per listing, all else included", perUnit(processorS, work.listings)],
    ["processor time per delivery, all else included", perUnit(processorS, work.deliveries)],
    ["processors busy in all, and in the busiest process", `${cores.toFixed(2)}, ${busiest.toFixed(2)}`],
  ];
  if (pagesMb !== null && work.sockets > 0)
    lines.push(["memory per open page", `${((pagesMb * 1_024) / work.sockets).toFixed(0)} kB`]);
  const listingsPerSecond = work.listings / work.durationS;
  const headroom = BUSY_SHARE / busiest;
  lines.push([
    `of this mix these processes bear, each at most ${BUSY_SHARE * 100} % busy`,
    `${(listingsPerSecond * headroom).toFixed(0)} listings/s, ${(work.sockets * headroom).toFixed(0)} pages, ` +
      `${((work.purchases / work.durationS) * headroom).toFixed(1)} purchases/s, ` +
      `${((work.reads / work.durationS) * headroom).toFixed(0)} reads/s`,
  ]);
  if (known.length > 1)
    lines.push([
      "one more such process would add, of all that",
      `${(100 / known.length).toFixed(0)} % at most: reading and the store are shared`,
    ]);
  return lines;
}

function perUnit(seconds: number, count: number): string {
  return count === 0 ? "none" : `${((seconds * 1e6) / count).toFixed(0)} µs`;
}
