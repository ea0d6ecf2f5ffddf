// What the product and the machine say of themselves between two moments of a load run.
import { cpus } from "node:os";

export interface OwnFigures {
  /** From the match, or the click, to the commit of the intent. */
  readonly wishToIntent: string;
}

const BUCKET = /^synapse_wish_to_intent_seconds_bucket\{(?<labels>[^}]*)\} (?<count>\d+)/gm;

/** Counts by upper bound in seconds, everything up to that bound. */
type Buckets = ReadonlyMap<number, number>;

/** @param metricsUrls of all processes under load; none: nothing is known */
export async function watchOwnFigures(
  metricsUrls: readonly string[],
): Promise<{ end(): Promise<OwnFigures | null> }> {
  const before = await bucketsOf(metricsUrls);
  return {
    async end() {
      if (metricsUrls.length === 0) return null;
      const after = await bucketsOf(metricsUrls);
      const between = new Map(
        Array.from(after, ([bound, count]) => [bound, count - (before.get(bound) ?? 0)]),
      );
      return { wishToIntent: boundLine(between) };
    },
  };
}

/** How busy all processors of this machine are between two moments, 0–1: what else ran on it is in it. */
export function watchMachine(): { end(): number } {
  const before = processorTimes();
  return {
    end() {
      const after = processorTimes();
      return 1 - (after.idle - before.idle) / (after.all - before.all);
    },
  };
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((each) => each.times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}

async function bucketsOf(metricsUrls: readonly string[]): Promise<Buckets> {
  const texts = await Promise.all(metricsUrls.map(async (url) => (await fetch(url)).text()));
  const buckets = new Map<number, number>();
  for (const { groups } of texts.flatMap((text) => [...text.matchAll(BUCKET)])) {
    const bound = /le="(?<bound>[^"]+)"/.exec(groups?.["labels"] ?? "")?.groups?.["bound"] ?? "";
    const seconds = bound === "+Inf" ? Infinity : Number(bound);
    buckets.set(seconds, (buckets.get(seconds) ?? 0) + Number(groups?.["count"] ?? 0));
  }
  return buckets;
}

/** "p50 within 25 ms, p99 within 50 ms, 99.4 % within 50 ms (n = 2400)": a histogram knows its bounds only. */
function boundLine(buckets: Buckets): string {
  const all = buckets.get(Infinity) ?? 0;
  const byBound = [...buckets].toSorted(([one], [other]) => one - other);
  const within = (share: number): string => {
    const [bound = Infinity] = byBound.find(([, upTo]) => upTo >= all * share) ?? [];
    return `${bound * 1_000} ms`;
  };
  const promised = (((buckets.get(PROMISED_S) ?? 0) / all) * 100).toFixed(1);
  return `p50 within ${within(0.5)}, p99 within ${within(0.99)}, ${promised} % within ${PROMISED_S * 1_000} ms (n = ${all})`;
}

/** What at most one in a hundred intents may take longer than. */
const PROMISED_S = 0.05;
