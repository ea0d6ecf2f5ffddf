/** Two nodes plan and send alerts, and each of them dies once; the sandbox says what arrived. */
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { startCluster } from "#verify/testing/cluster.ts";

export interface FailedOver {
  readonly alerts: number;
  readonly lost: number;
  readonly doubled: number;
  /** The most that were doubled for one destination, over both deaths. */
  readonly mostDoubled: number;
}

/** A person's further listings are only counted in the summary at the end of the hour. */
const MAX_LISTINGS = 120;
const FILTER_BOUND = 60;
const PAUSE_MS = 100;
const PATIENCE_MS = 600_000;
const POLL_MS = 500;

const subscribed = z.object({
  abonnement: z.object({ endpoint: z.string(), keys: z.object({ p256dh: z.string(), auth: z.string() }) }),
});
const received = z.object({
  receptions: z.array(
    z.object({ n: z.number(), pour: z.string(), contenu: z.object({ type: z.string(), titre: z.string() }) }),
  ),
});

/** @param devices per person, at most 10  @param listings at most 120 */
export async function endNodes({
  people,
  devices,
  listings,
}: {
  readonly people: number;
  readonly devices: number;
  readonly listings: number;
}): Promise<FailedOver> {
  if (listings > MAX_LISTINGS) throw new Error(`at most ${MAX_LISTINGS} listings`);
  await using cluster = await startCluster({
    nodes: { "web-1": "web", "web-2": "web", others: "feed,match,buy" },
    env: { RATE_LIMITS: "off" },
  });
  for (let n = 0; n < people; n += 1) {
    const person = await cluster.signIn(`thunder-releve${n}`);
    await person.call("editAlertCentre", { reglages: { max_heure: MAX_LISTINGS } });
    for (const tag of ["Relève", "Relève encore"])
      await person.call("addFilter", { tag, mots: ["releve"], limit: 100, alerte_max: FILTER_BOUND });
    for (let device = 0; device < devices; device += 1) {
      const asked = { nom: `Appareil ${n} ${device}` };
      const answer = subscribed.parse(await cluster.sandbox.control("POST", "/push/devices", asked));
      await person.call("addAlertDevice", answer);
    }
  }
  const publish = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1) {
      await cluster.sandbox.publish({ title: `Robe releve ${n} fin`, price: 5 });
      await pause(PAUSE_MS);
    }
  };
  const third = Math.floor(listings / 3);
  await publish(0, third);
  await Promise.all([cluster.kill("web-1"), publish(third, 2 * third)]);
  await cluster.revive("web-1");
  await Promise.all([cluster.kill("web-2"), publish(2 * third, listings)]);

  const counts = new Map<string, number>();
  let last = 0;
  const alerts = people * devices * listings;
  const giveUpAtMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const path = `/receptions?canal=push&apres=${last}`;
    const { receptions } = received.parse(await cluster.sandbox.control("GET", path));
    for (const { n, pour, contenu } of receptions) {
      last = n;
      const key = `${pour}: ${contenu.titre}`;
      if (contenu.type === "article") counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    if (receptions.length > 0) continue;
    if (counts.size >= alerts || Date.now() > giveUpAtMs) break;
    await pause(POLL_MS);
  }
  const byDevice = Map.groupBy(counts.keys(), (key) => key.split(":", 1)[0]);
  const doubledOf = (keys: readonly string[]): number =>
    keys.reduce((sum, key) => sum + (counts.get(key) ?? 1) - 1, 0);
  const doubles = Array.from(byDevice.values(), doubledOf);
  const doubled = doubles.reduce((sum, count) => sum + count, 0);
  return { alerts, lost: alerts - counts.size, doubled, mostDoubled: Math.max(0, ...doubles) };
}
