import type { Clock } from "#domain/clock.ts";
import type { PurchaseId } from "#domain/ids.ts";
import type { PurchaseRecord } from "#store/purchase-store.ts";
import type { Attempts } from "./attempts.ts";
import type { Background } from "./background.ts";
import type { BuyingStore } from "./buying-store.ts";
import type { Looks } from "./looks.ts";
import type { Moves } from "./moves.ts";

/**
 * Resumes due work: purchases whose lease ended with their process, and order checks of purchases whose outcome depends
 * on the marketplace. It never sends a payment again; only an INTENT, which has sent nothing, is resumed.
 */
export interface FollowUps {
  /** One round; settles once all due work has been started. */
  takeUp(): Promise<void>;
}

export interface FollowUpsDeps {
  readonly store: Pick<BuyingStore, "purchases" | "settings">;
  readonly moves: Moves;
  readonly attempts: Attempts;
  readonly looks: Looks;
  readonly background: Background;
  readonly clock: Clock;
  readonly owner: string;
  /** Purchases that this process is working on now. */
  readonly busy: Set<PurchaseId>;
}

/** Concurrent checks: more would exceed the marketplace's budget, and the others follow soon. */
const MAX_AT_ONCE = 16;
/** Longer than any order check: each of its calls ends within 10 s. */
const LEASE_MS = 60_000;

export function createFollowUps(deps: FollowUpsDeps): FollowUps {
  const { store, background, clock, busy } = deps;
  let underWay = 0;
  return {
    async takeUp() {
      const free = MAX_AT_ONCE - underWay;
      if (free <= 0) return;
      const due = await store.purchases.due(clock.nowMs(), MAX_AT_ONCE * 2);
      for (const record of due.filter(({ id }) => !busy.has(id)).slice(0, free)) {
        busy.add(record.id);
        underWay += 1;
        background.start("follow up", async () => {
          try {
            await followUp(deps, record);
          } finally {
            underWay -= 1;
            busy.delete(record.id);
          }
        });
      }
    },
  };
}

async function followUp(deps: FollowUpsDeps, due: PurchaseRecord): Promise<void> {
  const { moves, owner, clock } = deps;
  const leaseUntilMs = clock.nowMs() + LEASE_MS;
  const taken = await moves.move(due, { kind: "lease_ended", owner, leaseUntilMs });
  // Another process was faster, or the purchase moved on meanwhile.
  if (taken === null || !taken.hasMoved) return;
  const { record } = taken;
  if (record.state === "intent")
    await deps.attempts.run(record, await deps.store.settings.get(record.userId));
  else if (record.leaseOwner === owner) await deps.looks.look(record);
}
