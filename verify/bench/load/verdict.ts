// What a load run shows, and what must hold after it whatever the speed: nothing lost, nothing doubled, nothing paid twice.
import type { TrueOrder } from "#verify/testing/sandbox-client.ts";
import type { Audience } from "./audience.ts";
import type { Crowd } from "./crowd.ts";
import type { Publication } from "./traffic.ts";
import { accepts } from "./wares.ts";

export interface Broken {
  readonly what: string;
  readonly count: number;
}

/** Every promise of the run that was broken, with how often; none is the only good answer. */
export function brokenPromises(
  crowd: Crowd,
  audience: Audience,
  published: readonly Publication[],
  orders: readonly TrueOrder[],
): readonly Broken[] {
  const bought = published.filter(({ buyingIndex }) => buyingIndex !== null);
  const paidOf = Map.groupBy(
    orders.filter(({ payments }) => payments > 0),
    ({ item_id: itemId }) => itemId,
  );
  const checks: Broken[] = [
    { what: "matches that never reached their page", count: lostDeliveries(crowd, audience, published) },
    { what: "listings that came twice to a page", count: audience.doubled },
    { what: "listings paid more than once", count: overpaid([...paidOf.values()]) },
    { what: "wished listings that nobody paid", count: bought.filter(({ id }) => !paidOf.has(id)).length },
    {
      what: "purchases whose end no page heard",
      count: bought.filter(({ id }) => paidOf.has(id) && !audience.settled.has(id)).length,
    },
    { what: "payments for somebody else's wish", count: foreign(crowd, bought, paidOf) },
  ];
  return checks.filter(({ count }) => count > 0);
}

function lostDeliveries(crowd: Crowd, audience: Audience, published: readonly Publication[]): number {
  let lost = 0;
  for (const { id, wares, totalEur, buyingIndex } of published) {
    const wanting =
      buyingIndex === null
        ? crowd.members.filter(({ wishes }) => wishes.some((wish) => accepts(wish, wares, totalEur)))
        : [crowd.ownerOf(buyingIndex)];
    lost += wanting.filter((member) => !audience.isTold(member, id)).length;
  }
  return lost;
}

function overpaid(groups: readonly (readonly TrueOrder[])[]): number {
  return groups.filter((orders) => orders.reduce((sum, { payments }) => sum + payments, 0) > 1).length;
}

function foreign(
  crowd: Crowd,
  bought: readonly Publication[],
  paidOf: ReadonlyMap<number, readonly TrueOrder[]>,
): number {
  return bought.filter(({ id, buyingIndex }) => {
    const owner = buyingIndex === null ? null : crowd.ownerOf(buyingIndex).person.name;
    return (paidOf.get(id) ?? []).some(({ account }) => account !== owner);
  }).length;
}
