import type { BuyingStop } from "#domain/buying-rules.ts";
import type { GroupId } from "#domain/ids.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import { holdingStops, stopOfEntry } from "#store/purchases/operations.ts";
import { reachedEndOf } from "./memory/memory-rules.ts";
import type { TrueOrder } from "./market-world.ts";
import type { Stage } from "./stage.ts";

interface Bought {
  readonly purchases: readonly PurchaseRecord[];
}

/** At the end of a run: groups and rules must fit the marketplace's orders, and ends be published. */
export function judgeRules(stage: Stage, truth: Bought, orders: readonly TrueOrder[]): void {
  judgePlaces(stage, truth, orders);
  judgeEnds(stage);
}

/** I18 on the marketplace's orders, and I20: no payment after the end. */
function judgePlaces({ commitWatch, parts }: Stage, truth: Bought, orders: readonly TrueOrder[]): void {
  const { violations } = parts;
  const paid = new Map<GroupId, { count: number; cents: number }>();
  for (const { order, checkoutId } of orders) {
    const commit = commitWatch.payingByCheckout.get(checkoutId);
    const record = truth.purchases.find(({ id }) => id === commit?.purchaseId);
    const isEffective = order.state === "paid" || order.state === "awaiting";
    if (commit === undefined || record === undefined || !isEffective) continue;
    if (record.state === "failed" || record.state === "cancelled")
      violations.report("I20", `${record.id} is ${record.state}, and its order ${order.state}`);
    if (record.groupId === null) continue;
    const { count, cents } = paid.get(record.groupId) ?? { count: 0, cents: 0 };
    paid.set(record.groupId, { count: count + 1, cents: cents + commit.holdCents });
  }
  for (const [id, { count, cents }] of paid) {
    const highest = commitWatch.rules.highest.get(id);
    if (highest === undefined) continue;
    if (count > highest.maxPurchases)
      violations.report(
        "I18",
        `${count} paid in ${id}, which never allowed more than ${highest.maxPurchases}`,
      );
    if (cents > highest.budgetCents)
      violations.report(
        "I18",
        `${cents} paid in ${id}, which never allowed more than ${highest.budgetCents}`,
      );
  }
}

/** I22: a filter that ended is off until re-enabled, and its person was notified of each end that still holds. */
function judgeEnds({ commitWatch, parts }: Stage): void {
  const { tables, violations } = parts;
  if (tables === null) return;
  for (const filter of tables.filters.rows())
    if (filter.isAutobuy && (filter.autobuyEnd !== null || reachedEndOf(tables, filter) !== null))
      violations.report("I22", `${filter.id} buys on after its end`);
  const holds = (stop: BuyingStop): boolean =>
    holdingStops([stop], (id) => tables.filters.get(id)?.autobuyEnd?.reason).length > 0;
  for (const { kind, userId, details } of tables.audited) {
    if (kind !== "autobuy.stopped" || userId === null) continue;
    const purchaseId = details["purchaseId"];
    const purchase = [...tables.purchases.rows()].find(({ id }) => id === purchaseId);
    const stop = stopOfEntry(details, userId);
    if (stop === null) violations.report("I22", `the end by ${String(purchaseId)} cannot be read`);
    else if (purchase !== undefined && holds(stop) && !commitWatch.rules.deliveries.has(purchase.id))
      violations.report("I22", `the end by ${purchase.id} was delivered to nobody`);
  }
}
