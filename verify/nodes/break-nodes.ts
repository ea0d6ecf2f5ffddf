/** `npm run cluster -- --break`: stops one part after another under a light load and measures the effect. */
import { FAILURES } from "#verify/testing/breaks.ts";
import { startFailoverWorld } from "#verify/testing/failover-world.ts";

const LOAD_MS = 25_000;
/** The promised recovery time; only printed, because a busy machine may exceed it. */
const TARGET_MS = 15_000;

/**
 * @param only runs only failures whose name contains this
 * @returns the number of lost or duplicated items
 */
export async function breakNodes(say: (line: string) => void, only?: string): Promise<number> {
  say("Starting PostgreSQL, Redis, the sandbox, five nodes and a proxy…");
  await using world = await startFailoverWorld();
  let found = 0;
  const chosen = FAILURES.filter(({ name }) => only === undefined || name.includes(only));
  for (const { name, inject, outageMs = 0 } of chosen) {
    const result = await world.run(() => inject(world), LOAD_MS);
    const { listings, wishes, paid, slowestListingMs, slowestPurchaseMs, reportedReasons } = result;
    // A cluster that reports every wish as missed would lose nothing either.
    const violations = [...result.violations, ...(paid > 0 ? [] : ["no wish was paid"])];
    const recoveryMs = Math.max(0, result.recoveryMs - outageMs);
    say(
      `${name}: well again ${seconds(recoveryMs)} ${outageMs > 0 ? "after it was back" : "after it"}` +
        `${recoveryMs > TARGET_MS ? ` (later than ${seconds(TARGET_MS)})` : ""}; ` +
        `${listings} listings, the slowest on its page after ${seconds(slowestListingMs)}; ` +
        `${wishes} wishes, ${paid} paid, the slowest after ${seconds(slowestPurchaseMs)}, ` +
        `${reportedReasons.length} reported as missed; ${violations.length} wrong`,
    );
    for (const [reason, those] of Object.entries(Object.groupBy(reportedReasons, (each) => each)))
      say(`  reported ${those?.length ?? 0} times: ${reason}`);
    for (const violation of violations) say(`  ${violation}`);
    found += violations.length;
  }
  return found;
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
