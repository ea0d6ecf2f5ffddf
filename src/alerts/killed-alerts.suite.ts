/** Many alerts are due while the sending process is killed repeatedly; the sandbox records what arrives. */
import { setTimeout as after } from "node:timers/promises";
import { z } from "zod";
import { openStore } from "#store/open-store.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { spawnProduct } from "#verify/testing/product-process.ts";
import { type SandboxClient, sandboxClient } from "#verify/testing/sandbox-client.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { preparedFolder, testStoreOptions } from "#verify/testing/test-store.ts";
import { anAlertedPerson } from "./plan/planner-world.suite.ts";

const DESTINATIONS = 20;
const LIFE_MS = 700;
const PLANNED_AT_ONCE = 1_000;
const LAST_LIFE_MS = 600_000;

export interface KilledAlerts {
  readonly alerts: number;
  readonly kills: number;
  /** Kills after which some alerts, but not all, had arrived. */
  readonly killsAtWork: number;
  /** Alerts that never arrived. */
  readonly lost: number;
  /** Alerts that arrived more than once. */
  readonly doubled: number;
  /** Maximum number of duplicates at one destination after one kill. */
  readonly mostDoubled: number;
}

/**
 * @param random decides when in its life each process is killed
 * @param onKill receives the number of kills and of arrived alerts
 */
export async function killSender(
  { alerts, kills }: { readonly alerts: number; readonly kills: number },
  random: () => number,
  onKill: (killed: number, arrived: number) => void = () => undefined,
): Promise<KilledAlerts> {
  await using stack = new AsyncDisposableStack();
  const { path: dataDir } = stack.use(await preparedFolder());
  await planAll(dataDir, alerts);
  const folder = stack.use(await temporaryFolder());
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const market = stack.use(
    spawnProduct({ SERVICES: "sandbox", SANDBOX_PORT: String(sandboxPort), DATA_DIR: folder.path }),
  );
  await market.ready;
  const arrivals = new Arrivals(sandboxClient(`http://127.0.0.1:${sandboxPort}`));
  const settings = {
    PORT: String(port),
    SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
    DATA_DIR: dataDir,
  };
  let killsAtWork = 0;
  for (let life = 0; life < kills; life += 1) {
    await using product = spawnProduct(settings);
    await Promise.race([product.ready, product.ended]);
    await after(random() * LIFE_MS);
    product.kill("SIGKILL");
    await product.ended;
    const before = arrivals.count;
    await arrivals.read(life);
    if (arrivals.count > before && arrivals.count < alerts) killsAtWork += 1;
    onKill(life + 1, arrivals.count);
  }
  await using product = spawnProduct(settings);
  await product.ready;
  const giveUpAtMs = Date.now() + LAST_LIFE_MS;
  while (arrivals.count < alerts && Date.now() < giveUpAtMs) {
    await after(200);
    await arrivals.read(kills);
  }
  return { alerts, kills, killsAtWork, lost: alerts - arrivals.count, ...arrivals.doubles() };
}

async function planAll(dataDir: string, count: number): Promise<void> {
  await using store = await openStore(testStoreOptions(dataDir));
  const people = await Promise.all(
    Array.from({ length: DESTINATIONS }, (_, n) =>
      anAlertedPerson(store, { channel: "discord", address: `sandbox:salon-${n}/cle` }),
    ),
  );
  const nowMs = Date.now();
  const times = { plannedAtMs: nowMs, dueAtMs: nowMs, giveUpAtMs: nowMs + 86_400_000 };
  const all = Array.from({ length: count }, (_, n) => {
    const userId = people[n % DESTINATIONS]?.userId;
    if (userId === undefined) throw new Error("there are no people");
    const message = { title: `Achat ${n}`, body: "", path: "/synapse/achats" };
    return { userId, type: "purchase" as const, subject: `purchase:${n}`, message, isLoud: true, ...times };
  });
  for (let from = 0; from < count; from += PLANNED_AT_ONCE)
    await store.alerts.outbox.plan({ alerts: all.slice(from, from + PLANNED_AT_ONCE), counters: [] });
}

const received = z.object({
  receptions: z.array(
    z.object({
      n: z.number(),
      pour: z.string(),
      contenu: z.object({ embeds: z.array(z.object({ title: z.string() })).min(1) }),
    }),
  ),
});

class Arrivals {
  readonly #sandbox: SandboxClient;
  readonly #seen = new Set<string>();
  /** Duplicates by destination and life of the sender. */
  readonly #doubled = new Map<string, number>();
  #last = 0;

  constructor(sandbox: SandboxClient) {
    this.#sandbox = sandbox;
  }

  get count(): number {
    return this.#seen.size;
  }

  /** Reads what arrived since the last call, during this life of the sender. */
  async read(life: number): Promise<void> {
    for (;;) {
      const path = `/receptions?canal=discord&apres=${this.#last}`;
      const { receptions } = received.parse(await this.#sandbox.control("GET", path));
      if (receptions.length === 0) return;
      for (const { n, pour, contenu } of receptions) {
        this.#last = n;
        const key = `${pour} ${contenu.embeds[0]?.title ?? ""}`;
        if (this.#seen.has(key))
          this.#doubled.set(`${pour} ${life}`, (this.#doubled.get(`${pour} ${life}`) ?? 0) + 1);
        this.#seen.add(key);
      }
    }
  }

  doubles(): Pick<KilledAlerts, "doubled" | "mostDoubled"> {
    const counts = [...this.#doubled.values()];
    return { doubled: counts.reduce((sum, count) => sum + count, 0), mostDoubled: Math.max(0, ...counts) };
  }
}
