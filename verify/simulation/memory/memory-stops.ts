import type { UserId } from "#domain/ids.ts";
import { LONGEST_PAUSE_MS, pauseLengthMs, type Stops } from "#store/purchases-stops.ts";
import type { MemoryTables } from "./memory-tables.ts";
import { changeAccount } from "./memory-transitions.ts";

/** Who may not buy, in the words of purchases-stops.ts. */
export function createMemoryStops(tables: MemoryTables): Stops {
  return {
    async switches() {
      return [...tables.switches.rows()];
    },
    async setSwitch(change) {
      tables.transaction(() => tables.switches.put(change.name, change));
    },
    async accountStop(userId) {
      const row = tables.buyingAccounts.get(userId);
      if (row === undefined) return null;
      if (row.isStopped) return { untilMs: null, reason: row.stopReason };
      return row.pausedUntilMs > 0 ? { untilMs: row.pausedUntilMs, reason: row.stopReason } : null;
    },
    async stopAccount(userId, reason) {
      tables.transaction(() => changeAccount(tables, userId, { isStopped: true, stopReason: reason }));
    },
    async stopUnlessStopped(userId, reason) {
      tables.transaction(() => {
        if (tables.buyingAccounts.get(userId)?.isStopped !== true)
          changeAccount(tables, userId, { isStopped: true, stopReason: reason });
      });
    },
    async endAccountStop(userId, reason) {
      tables.transaction(() => {
        if (tables.buyingAccounts.get(userId)?.stopReason === reason)
          changeAccount(tables, userId, { isStopped: false, stopReason: "" });
      });
    },
    async pauseAccount(userId, reason, nowMs) {
      return tables.transaction(() => pauseAccount(tables, userId, { reason, nowMs }));
    },
    async resumeAccount(userId, nowMs) {
      return tables.transaction(() => resumeAccount(tables, userId, nowMs));
    },
    async claimSweep(userId, nowMs, sweptBeforeMs) {
      return tables.transaction(() => {
        const row = tables.buyingAccounts.get(userId);
        if (row !== undefined && row.sweptAtMs >= sweptBeforeMs) return false;
        changeAccount(tables, userId, { sweptAtMs: nowMs });
        return true;
      });
    },
  };
}

function pauseAccount(
  tables: MemoryTables,
  userId: UserId,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): number {
  const row = tables.buyingAccounts.get(userId);
  if (row !== undefined && row.pausedUntilMs > nowMs) return row.pausedUntilMs;
  const isRepeated = row !== undefined && nowMs - row.pausedUntilMs < LONGEST_PAUSE_MS;
  const pauseCount = isRepeated ? row.pauseCount + 1 : 1;
  const pausedUntilMs = nowMs + pauseLengthMs(pauseCount);
  const stopReason = row?.isStopped === true ? row.stopReason : reason;
  changeAccount(tables, userId, { pausedUntilMs, pauseCount, stopReason });
  return pausedUntilMs;
}

function resumeAccount(tables: MemoryTables, userId: UserId, nowMs: number): boolean {
  const settings = tables.settings.get(userId);
  const account = tables.buyingAccounts.get(userId);
  const isLifted =
    settings !== undefined &&
    settings.limits.isStopped &&
    account !== undefined &&
    account.stopThrownAtMs > settings.resumedAtMs;
  if (isLifted)
    tables.settings.put(userId, {
      ...settings,
      limits: { ...settings.limits, isStopped: false },
      resumedAtMs: nowMs,
    });
  if (account !== undefined)
    changeAccount(tables, userId, { isStopped: false, pausedUntilMs: 0, pauseCount: 0, stopReason: "" });
  return isLifted;
}
