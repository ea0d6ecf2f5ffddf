import type { Clock } from "#domain/clock.ts";
import type { PurchaseId } from "#domain/ids.ts";
import type { PurchaseRecord } from "#store/purchase-store.ts";
import type { Attempts } from "./attempts.ts";
import type { Background } from "./background.ts";
import type { BuyingStore } from "./buying-store.ts";
import type { Looks } from "./looks.ts";
import type { Moves } from "./moves.ts";

/**
 * Takes up what is due: purchases whose lease has ended with the process that held it, and looks at those whose
 * outcome lies with the marketplace. Nothing is ever sent again here but for an INTENT, which has sent nothing.
 */
export interface FollowUps {
  /** One round; settles once what is due has been begun. */
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

/** At once: the marketplace's budget bears no more, and everybody else's turn comes soon. */
const MAX_AT_ONCE = 16;
/** Longer than any look: its calls end within 10 s each. */
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
  // Another process was faster, or it moved on meanwhile.
  if (taken === null || !taken.hasMoved) return;
  const { record } = taken;
  if (record.state === "intent")
    await deps.attempts.run(record, await deps.store.settings.get(record.userId));
  else if (record.leaseOwner === owner) await deps.looks.look(record);
}
