import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { asUserId, type UserId } from "#domain/ids.ts";
import type { PurchaseStore } from "#store/purchase-store.ts";
import type { Breaker } from "./breaker.ts";

/** Automatic stops: evaluated periodically, and lifted automatically only where that is safe. */
export interface Guards {
  /**
   * Stops everyone while the marketplace fails and resumes after a healthy period; an account that fails alone is
   * paused alone.
   */
  minds(): Promise<void>;
  /** Stops everyone permanently if the ledger is inconsistent. */
  audits(): Promise<void>;
  /** The marketplace rejected an account: it is paused, longer each time. */
  blocked(userId: UserId): Promise<void>;
}

export interface GuardsDeps {
  readonly purchases: Pick<PurchaseStore, "switches" | "setSwitch" | "auditBooks" | "pauseAccount">;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long every node must be healthy before the breaker closes. */
const CLEAN_MS = 60_000;
/** While faults continue, the node that sees them reports more often than the others could resume. */
const RENEWED_AFTER_MS = 20_000;

export function createGuards({ purchases, breaker, clock, log }: GuardsDeps): Guards {
  const breakerSince = async (): Promise<number | null> => {
    const found = (await purchases.switches()).find(({ name }) => name === "breaker");
    return found?.isOn === true ? found.changedAtMs : null;
  };
  const restAccount = async (userId: UserId): Promise<void> => {
    const untilMs = await purchases.pauseAccount(userId, "too many of its calls fail", clock.nowMs());
    log.warn({ userId, untilMs }, "too many calls of one account fail: its purchases rest");
  };
  return {
    async minds() {
      for (const account of breaker.takeFaulty()) await restAccount(asUserId(account));
      const sinceMs = await breakerSince();
      const nowMs = clock.nowMs();
      if (breaker.isTripped()) {
        if (sinceMs !== null && nowMs - sinceMs < RENEWED_AFTER_MS) return;
        if (sinceMs === null) log.error({}, "too many calls fail: everybody's purchases are stopped");
        await purchases.setSwitch({
          name: "breaker",
          isOn: true,
          reason: "too many calls to the marketplace fail",
          changedAtMs: nowMs,
        });
        return;
      }
      if (sinceMs === null || !breaker.isClean() || nowMs - sinceMs < CLEAN_MS) return;
      await purchases.setSwitch({ name: "breaker", isOn: false, reason: "", changedAtMs: nowMs });
      log.info({}, "the marketplace is well again: purchases go on");
    },
    async audits() {
      const nowMs = clock.nowMs();
      const findings = await purchases.auditBooks(nowMs);
      if (findings.length === 0) return;
      for (const finding of findings.slice(0, 10)) log.error({ finding }, "the books contradict themselves");
      const reason = findings[0] ?? "";
      await purchases.setSwitch({ name: "auditor", isOn: true, reason, changedAtMs: nowMs });
    },
    async blocked(userId) {
      const untilMs = await purchases.pauseAccount(
        userId,
        "the marketplace turned the account away",
        clock.nowMs(),
      );
      log.warn({ userId, untilMs }, "the marketplace turned an account away: its purchases rest");
    },
  };
}
