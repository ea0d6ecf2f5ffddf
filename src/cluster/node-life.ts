/**
 * Several nodes as one product: messages over Redis, shared limits, and the detection of dead nodes. This room knows
 * neither HTTP nor purchases, and its Redis keeps nothing that must last: the database is the source of truth, and
 * messages that Redis loses are published or read again.
 */
import type { Clock } from "#domain/clock.ts";
import { repeat } from "#domain/concurrency.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Service } from "#domain/service.ts";
import type { NodeStore } from "#store/store.ts";

/** This process among those that share its database. `run` throws ClockWrong. */
export interface NodeLife extends Service {
  /**
   * Whether the other nodes certainly consider this process alive. Checked immediately before a request that must not
   * be sent twice: once this is false, another node may have taken over.
   */
  isAlive(): boolean;
}

/** The embedded store admits no second process. */
export const ONLY_NODE: Pick<NodeLife, "isAlive"> = { isAlive: () => true };

export interface NodeLifeDeps {
  readonly nodes: NodeStore;
  /** Identifies this process; never reused. */
  readonly id: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * This process must end: the other nodes declared it dead and took over its work (CountedOut), or its clock and the
   * database's differ (ClockWrong).
   */
  readonly onFatal: (error: Error) => void;
}

export const LIFE_MS = 5_000;
const BEAT_MS = 1_000;
/**
 * From the end of a node's life until others take over: longer than a connection may take to open (5 s), so that a
 * request whose sender was alive at its last check has been sent by then, or never will be. Both together stay below 15 s.
 */
const GRACE_MS = 7_000;

/** The most that this process's clock may differ from the database's; beyond, nodes disagree about what is over. */
const MAX_CLOCK_ERROR_MS = 2_000;

class CountedOut extends Error {
  override readonly name = "CountedOut";
}

/** Moments that one node wrote and another compares with its own clock would mean something else. */
export class ClockWrong extends Error {
  override readonly name = "ClockWrong";
}

export function createNodeLife({ nodes, id, clock, log, onFatal }: NodeLifeDeps): NodeLife {
  let aliveUntilMs = -Infinity;
  /** Since when every renewal has succeeded in time, so that the other nodes could renew as well. */
  let unbrokenSinceMs = Infinity;
  let isStopped = false;
  let beats: AsyncDisposable | null = null;

  async function beat(): Promise<void> {
    // Read before the query is sent, so that this node's expiry is never later than the database's.
    const askedAtMs = clock.nowMs();
    const storeNowMs = await nodes.renew(id, LIFE_MS);
    const wrong =
      storeNowMs === null
        ? new CountedOut("the other nodes have declared this one dead")
        : clockWrong(clock, askedAtMs, storeNowMs);
    if (wrong !== null) {
      aliveUntilMs = -Infinity;
      if (!isStopped) onFatal(wrong);
      return;
    }
    if (clock.nowMs() >= aliveUntilMs) unbrokenSinceMs = clock.nowMs();
    aliveUntilMs = askedAtMs + LIFE_MS;
    // After an outage of the database every node has expired there, healthy ones included.
    if (clock.nowMs() - unbrokenSinceMs < LIFE_MS) return;
    for (const gone of await nodes.countOut(GRACE_MS)) log.warn({ node: gone }, "a node is gone");
  }

  return {
    isAlive: () => clock.nowMs() < aliveUntilMs,
    async run() {
      const askedAtMs = clock.nowMs();
      const wrong = clockWrong(clock, askedAtMs, await nodes.join(id, LIFE_MS));
      if (wrong !== null) {
        await nodes.leave(id);
        throw wrong;
      }
      aliveUntilMs = askedAtMs + LIFE_MS;
      unbrokenSinceMs = clock.nowMs();
      if (isStopped) return;
      beats = repeat(clock, BEAT_MS, beat, (error) => {
        log.warn(describeError(error), "this node could not renew its life");
      });
    },
    async stop() {
      isStopped = true;
      await beats?.[Symbol.asyncDispose]();
      if (aliveUntilMs === -Infinity) return;
      aliveUntilMs = -Infinity;
      await nodes.leave(id).catch((error: unknown) => {
        log.warn(describeError(error), "this node could not deregister");
      });
    },
  };
}

/** Null while the database's clock agrees, however long its answer took. */
function clockWrong(clock: Clock, askedAtMs: number, storeNowMs: number): ClockWrong | null {
  const errorMs = Math.max(askedAtMs - storeNowMs, storeNowMs - clock.nowMs());
  if (errorMs <= MAX_CLOCK_ERROR_MS) return null;
  const side = storeNowMs < askedAtMs ? "ahead of" : "behind";
  return new ClockWrong(
    `this machine's clock is ${(errorMs / 1_000).toFixed(1)} s ${side} the database's: synchronise both (NTP)`,
  );
}
