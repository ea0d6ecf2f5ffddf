import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Service } from "#domain/service.ts";
import type { NodeStore } from "#store/node-store.ts";

/** What one node at a time does for all: begun where the role is, ended before another can have it. */
export interface Leadership extends Service {
  /** Whether this node certainly has the role now. */
  isLeading(): boolean;
}

export interface LeadershipDeps {
  readonly nodes: Pick<NodeStore, "claimRole" | "releaseRole">;
  readonly role: string;
  readonly id: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Begins the work; the answer ends it. A failure gives the role back. */
  readonly lead: () => Promise<() => Promise<void>>;
}

const ROLE_MS = 5_000;
const RENEW_MS = 1_000;

export function createLeadership({ nodes, role, id, clock, log, lead }: LeadershipDeps): Leadership {
  let leadsUntilMs = -Infinity;
  let resign: (() => Promise<void>) | null = null;
  let isStopped = false;
  let forget: () => void = () => undefined;
  let underWay: Promise<void> = Promise.resolve();

  const isLeading = (): boolean => clock.nowMs() < leadsUntilMs;

  async function claim(): Promise<boolean> {
    const askedAtMs = clock.nowMs();
    try {
      if (await nodes.claimRole(role, id, ROLE_MS)) {
        leadsUntilMs = askedAtMs + ROLE_MS;
        return true;
      }
      leadsUntilMs = -Infinity;
    } catch (error) {
      // What was granted holds until its end.
      log.warn(
        { task: role, errorName: error instanceof Error ? error.name : "unknown" },
        "a role was not renewed",
      );
    }
    return isLeading();
  }

  async function turn(): Promise<void> {
    const mayLead = await claim();
    if (!mayLead) {
      await end();
      return;
    }
    if (resign !== null || isStopped) return;
    log.info({ task: role }, "this node leads now");
    try {
      resign = await lead();
    } catch (error) {
      log.error(
        { task: role, errorName: error instanceof Error ? error.name : "unknown" },
        "the lead failed",
      );
      await nodes.releaseRole(role, id);
    }
  }

  async function end(): Promise<void> {
    const ending = resign;
    resign = null;
    if (ending === null) return;
    log.info({ task: role }, "this node does not lead any more");
    await ending();
  }

  function turnLater(afterMs: number): void {
    if (isStopped) return;
    forget = clock.schedule(afterMs, () => {
      underWay = turn()
        .catch((error: unknown) => {
          log.error(
            { task: role, errorName: error instanceof Error ? error.name : "unknown" },
            "a role's turn failed",
          );
        })
        .finally(() => turnLater(RENEW_MS));
    });
  }

  return {
    isLeading,
    async run() {
      turnLater(0);
    },
    async stop() {
      isStopped = true;
      forget();
      await underWay;
      await end();
      leadsUntilMs = -Infinity;
      await nodes.releaseRole(role, id);
    },
  };
}
