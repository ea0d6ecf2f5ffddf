/**
 * `npm run cluster -- --measure`: how soon all three nodes match by a filter changed on one of them, as
 * measured by the nodes. Only prints; never fails for lack of speed.
 */
import { type Cluster, startCluster } from "#verify/testing/cluster.ts";

const NODES = ["node-1", "node-2", "node-3"];
/** The proxy keeps each person on one node; this many reach every node. */
const PEOPLE = 9;
const CHANGES_EACH = 30;
const SETTLE_MS = 1_000;
/** The promised delay in seconds. */
const TERM_S = "0.1";

export async function measureNodes(say: (line: string) => void): Promise<void> {
  say("Starting PostgreSQL, Redis, the sandbox, three nodes and a proxy…");
  await using cluster = await startCluster({
    nodes: Object.fromEntries(NODES.map((name) => [name, "web,feed,match,buy"])),
    env: { RATE_LIMITS: "off" },
  });
  const people = await Promise.all(
    Array.from({ length: PEOPLE }, (_, index) => cluster.signIn(`seeker-mesure-${index}`)),
  );
  const filters = await Promise.all(
    people.map(async (person) => {
      const { filtre } = await person.call("addFilter", { tag: "Mesure", mots: ["mesure"], limit: 50 });
      return { person, filtre };
    }),
  );
  const before = await Promise.all(NODES.map((name) => changesOn(cluster, name)));
  for (let change = 1; change <= CHANGES_EACH; change += 1)
    for (const { person, filtre } of filters)
      await person.call("editFilter", {
        _id: filtre._id,
        tag: "Mesure",
        mots: ["mesure"],
        active: true,
        limit: 50 + change,
      });
  await new Promise((resolve) => void setTimeout(resolve, SETTLE_MS));
  for (const [index, name] of NODES.entries()) {
    const counts = (await changesOn(cluster, name)).map(({ upToS, count }, at) => ({
      upToS,
      count: count - (before[index]?.[at]?.count ?? 0),
    }));
    const all = counts.at(-1)?.count ?? 0;
    const inTime = counts.find(({ upToS }) => upToS === TERM_S)?.count ?? 0;
    const most = (share: number): string => counts.find(({ count }) => count >= share * all)?.upToS ?? "?";
    say(
      `${name}: ${all} changes, ${inTime} matched by within ${TERM_S} s; ` +
        `half within ${most(0.5)} s, 99 of 100 within ${most(0.99)} s, all within ${most(1)} s`,
    );
  }
}

interface Counted {
  readonly upToS: string;
  readonly count: number;
}

/** Cumulative counts of filter changes processed by this node, by delay. */
async function changesOn(cluster: Cluster, name: string): Promise<readonly Counted[]> {
  const text = await (await fetch(cluster.metricsUrl(name))).text();
  const lines = text.matchAll(
    /^synapse_event_seconds_bucket\{le="([^"]+)",event="filters_changed"\} (\d+)$/gm,
  );
  return Array.from(lines, ([, upToS = "", count]) => ({ upToS, count: Number(count) }));
}
