import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { UserId } from "#domain/ids.ts";
import type { AuditStore } from "#store/store.ts";
import type { PurchaseStore, StopSwitchName } from "#store/purchase-store.ts";
import type { Moves } from "./moves.ts";
import type { PurchasingOperator } from "./purchasing.ts";

export interface OperatorDeps {
  readonly purchases: PurchaseStore;
  readonly audit: Pick<AuditStore, "append">;
  readonly moves: Moves;
  readonly events: EventBus;
  readonly clock: Clock;
}

const ALL_SWITCHES: readonly StopSwitchName[] = ["operator", "breaker", "auditor"];

export function createOperator(deps: OperatorDeps): PurchasingOperator {
  const { purchases, moves, clock } = deps;
  return {
    async stop(scope, reason) {
      const changedAtMs = clock.nowMs();
      if (scope === "everyone")
        await purchases.setSwitch({ name: "operator", isOn: true, reason, changedAtMs });
      else await purchases.stopAccount(scope, reason, changedAtMs);
      await tell(deps, "stop", scope);
    },
    async resume(scope) {
      const changedAtMs = clock.nowMs();
      if (scope === "everyone")
        for (const name of ALL_SWITCHES)
          await purchases.setSwitch({ name, isOn: false, reason: "", changedAtMs });
      else await purchases.resumeAccount(scope, changedAtMs);
      await tell(deps, "resume", scope);
    },
    async resolve(id, as) {
      const found = await purchases.find(id);
      if (found === null) return { kind: "not_found" };
      const moved = await moves.move(found, { kind: "resolved", as });
      if (moved === null) return { kind: "not_found" };
      return moved.hasMoved ? { kind: "resolved", purchase: moved.record } : { kind: "not_undecided" };
    },
    async stops() {
      const switches = await purchases.switches();
      return switches
        .filter(({ isOn }) => isOn)
        .map(({ name, reason, changedAtMs }) => ({ by: name, reason, sinceMs: changedAtMs }));
    },
  };
}

async function tell(
  { audit, events, clock }: OperatorDeps,
  act: "stop" | "resume",
  scope: "everyone" | UserId,
): Promise<void> {
  const userId = scope === "everyone" ? null : scope;
  await audit.append({ atMs: clock.nowMs(), kind: `purchases.${act}`, userId, details: {} });
  if (userId === null) return;
  await events.publish({ kind: "user_changed", userId });
  await events.publish({ kind: "settings_changed", userId });
}
