import { type Person, signInAt } from "#verify/testing/person.ts";
import type { LoadScale } from "./scale.ts";
import { type Draw, type WatchedCriteria, buyingWord, drawCriteria } from "./draw-listing.ts";

export interface LoadPerson {
  readonly person: Person;
  readonly wishes: readonly WatchedCriteria[];
}

export interface Population {
  readonly people: readonly LoadPerson[];
  ownerOf(buyingIndex: number): LoadPerson;
}

/** The number of concurrent sign-ins and new filters. */
const CONCURRENCY = 12;
/** Buying filters per person. */
const BUYING_EACH = 2;

/** Signs everyone in and saves their filters, through the product's API. */
export async function signInPeople(
  urls: readonly string[],
  scale: LoadScale,
  draw: Draw,
): Promise<Population> {
  const buyers = Math.min(scale.sockets, Math.ceil(scale.autoFilters / BUYING_EACH));
  const watching = scale.filters - scale.autoFilters;
  const plans = Array.from({ length: scale.sockets }, (_, index) => ({
    index,
    name: nameOf(index, buyers),
    buying: buyingOf(index, buyers, scale.autoFilters),
    wishes: shareOf(watching, scale.sockets, index, () => drawCriteria(draw)),
  }));
  const people = await inParallel(plans, (plan) => signIn(urls[plan.index % urls.length] ?? "", plan));
  return {
    people,
    ownerOf(buyingIndex) {
      const owner = people[buyingIndex % buyers];
      if (owner === undefined) throw new Error(`nobody owns the buying filter ${buyingIndex}`);
      return owner;
    },
  };
}

interface PersonPlan {
  readonly name: string;
  readonly buying: readonly number[];
  readonly wishes: readonly WatchedCriteria[];
}

async function signIn(url: string, { name, buying, wishes }: PersonPlan): Promise<LoadPerson> {
  const person = await signInAt(url, name);
  for (const index of buying)
    await person.call("addFilter", {
      tag: `Acheter ${index}`,
      mots: [buyingWord(index)],
      limit: 50,
      autobuy: true,
    });
  for (const { leafId, brandIds, limitEur } of wishes)
    await person.call("addFilter", {
      tag: `Regarder ${leafId}`,
      types: { ids: [leafId] },
      brands: { ids: [...brandIds] },
      limit: limitEur,
    });
  return { person, wishes };
}

/** Three in ten buyers have Thunder, the others Acquire; those who do not buy are Seekers. */
function nameOf(index: number, buyers: number): string {
  if (index >= buyers) return `seeker-charge-${index}`;
  return index % 10 < 3 ? `thunder-charge-${index}` : `acquire-charge-${index}`;
}

function buyingOf(index: number, buyers: number, autoFilters: number): readonly number[] {
  if (index >= buyers) return [];
  const mine: number[] = [];
  for (let filter = index; filter < autoFilters; filter += buyers) mine.push(filter);
  return mine;
}

function shareOf<T>(total: number, among: number, index: number, make: () => T): readonly T[] {
  const count = Math.floor(total / among) + (index < total % among ? 1 : 0);
  return Array.from({ length: count }, make);
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
