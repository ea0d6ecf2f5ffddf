// What a load run says about other sizes: what each thing cost, and how much of it one more process would bear.
import type { ProcessCost } from "./process-cost.ts";

export interface Work {
  readonly durationS: number;
  readonly sockets: number;
  readonly listings: number;
  /** Listings that reached a page, one for each page. */
  readonly deliveries: number;
  readonly purchases: number;
  readonly reads: number;
}

/** A process that is busier than this makes people wait in a burst. */
const BUSY_SHARE = 0.7;

/**
 * One line per figure. All processor time is put on listings, then on deliveries: a bound for each, not a sum of parts.
 * @param costs of the product's processes during the run; null: the system does not tell
 * @param seatedMb what the open pages added to the memory of all processes; null: not known
 */
export function sizingOf(
  work: Work,
  costs: readonly (ProcessCost | null)[],
  seatedMb: number | null,
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
  if (seatedMb !== null && work.sockets > 0)
    lines.push(["memory per open page", `${((seatedMb * 1_024) / work.sockets).toFixed(0)} kB`]);
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
