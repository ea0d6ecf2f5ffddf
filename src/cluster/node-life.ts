/**
 * Several nodes as one product. This room is what they tell one another over Redis, what they share, and how they
 * learn that one of them is gone. It knows neither HTTP nor purchases, and its Redis keeps nothing that must last:
 * what counts is in the database, and what Redis loses is told again or read again.
 */
import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Service } from "#domain/service.ts";
import type { NodeStore } from "#store/node-store.ts";

/** This process among those that share its database. */
export interface NodeLife extends Service {
  /**
   * Whether the others certainly count this process as alive. Whoever sends what must not leave twice asks at the
   * last moment: once this is false, another node may have taken over.
   */
  isAlive(): boolean;
}

/** The embedded store lets no second process in. */
export const ONLY_NODE: Pick<NodeLife, "isAlive"> = { isAlive: () => true };

export interface NodeLifeDeps {
  readonly nodes: NodeStore;
  /** Names this process among several; never used twice. */
  readonly id: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Counted out by the others: what it held is theirs, and it must end. */
  readonly onFatal: (error: Error) => void;
}

export const LIFE_MS = 5_000;
const BEAT_MS = 1_000;
/**
 * From the end of a node's life until others take what it held: longer than a connection may take to stand (5 s), so
 * that a request whose sender was alive when it asked has left, or never will. Both together stay below 15 s.
 */
const GRACE_MS = 7_000;

export class CountedOut extends Error {
  override readonly name = "CountedOut";
}

export function createNodeLife({ nodes, id, clock, log, onFatal }: NodeLifeDeps): NodeLife {
  let aliveUntilMs = -Infinity;
  /** Since when every sign of life was taken in time: from then on the others could give theirs as well. */
  let unbrokenSinceMs = Infinity;
  let isStopped = false;
  let forget: () => void = () => undefined;
  let underWay: Promise<void> = Promise.resolve();

  async function beat(): Promise<void> {
    // Taken before the question leaves, so that our own end is never later than the one in the books.
    const askedAtMs = clock.nowMs();
    if (await nodes.renew(id, LIFE_MS)) {
      if (clock.nowMs() >= aliveUntilMs) unbrokenSinceMs = clock.nowMs();
      aliveUntilMs = askedAtMs + LIFE_MS;
    } else {
      aliveUntilMs = -Infinity;
      if (!isStopped) onFatal(new CountedOut("the other nodes have counted this one out"));
      return;
    }
    // After a time without the database everybody's life is over in the books, also that of nodes that are well.
    if (clock.nowMs() - unbrokenSinceMs < LIFE_MS) return;
    for (const gone of await nodes.countOut(GRACE_MS)) log.warn({ node: gone }, "a node is gone");
  }

  function beatLater(): void {
    if (isStopped) return;
    forget = clock.schedule(BEAT_MS, () => {
      underWay = beat()
        .catch((error: unknown) => {
          log.warn(
            { errorName: error instanceof Error ? error.name : "unknown" },
            "no sign of life was taken",
          );
        })
        .finally(beatLater);
    });
  }

  return {
    isAlive: () => clock.nowMs() < aliveUntilMs,
    async run() {
      const askedAtMs = clock.nowMs();
      await nodes.join(id, LIFE_MS);
      aliveUntilMs = askedAtMs + LIFE_MS;
      unbrokenSinceMs = clock.nowMs();
      beatLater();
    },
    async stop() {
      isStopped = true;
      forget();
      await underWay;
      if (aliveUntilMs === -Infinity) return;
      aliveUntilMs = -Infinity;
      await nodes.leave(id).catch((error: unknown) => {
        log.warn(
          { errorName: error instanceof Error ? error.name : "unknown" },
          "this node could not say that it ends",
        );
      });
    },
  };
}
