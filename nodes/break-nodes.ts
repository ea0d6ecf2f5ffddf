/** `npm run cluster -- --break`: one part after the other is taken away under a light load, and it is measured. */
import { BREAKS } from "../src/testing/breaks.ts";
import { startFailoverWorld } from "../src/testing/failover-world.ts";

const LOAD_MS = 25_000;

/** The answer counts what must not be. */
export async function breakNodes(say: (line: string) => void): Promise<number> {
  say("Starting PostgreSQL, Redis, the sandbox, five nodes and a proxy…");
  await using world = await startFailoverWorld();
  let found = 0;
  for (const { name, happen } of BREAKS) {
    const undergone = await world.undergo(() => happen(world), LOAD_MS);
    const { listings, purchases, slowestListingMs, slowestPurchaseMs, violations } = undergone;
    say(
      `${name}: ${listings} listings, the slowest on its page after ${seconds(slowestListingMs)}; ` +
        `${purchases} purchases, the slowest paid after ${seconds(slowestPurchaseMs)}; ${violations.length} wrong`,
    );
    for (const violation of violations) say(`  ${violation}`);
    found += violations.length;
  }
  return found;
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
