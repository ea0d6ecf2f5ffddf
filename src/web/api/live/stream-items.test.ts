import { expect, test } from "vitest";
import {
  atPrice,
  fallenAmong,
  inFrontOf,
  risenAmong,
  othersOfSellers,
  MAX_HELD_ITEMS,
  MAX_STREAM_ITEMS,
  withArrivals,
  withEarlier,
  withFacts,
  withHeld,
  withRoomFor,
  withoutFilters,
  type StreamItem,
} from "./stream-items.ts";
import { anItem } from "#verify/testing/on-the-wire.ts";

const idsOf = (items: readonly StreamItem[]): readonly number[] => items.map(({ id }) => id);

test("withArrivals() puts the newest in front and keeps the order of a batch", () => {
  expect(idsOf(withArrivals([anItem(2), anItem(1)], [anItem(4), anItem(3)]))).toEqual([4, 3, 2, 1]);
});

test("withArrivals() never shows a listing twice, even when a batch holds it twice", () => {
  expect(idsOf(withArrivals([anItem(1)], [anItem(2), anItem(1), anItem(2)]))).toEqual([2, 1]);
});

test("withArrivals() remembers the amount that a listing had before its price fell", () => {
  const [fallen] = withArrivals([anItem(1, "25.00")], [anItem(1, "9.50")]);
  expect(fallen?.previousAmount).toBe("25.00");
});

test("withArrivals() keeps showing a fallen price while it stays the same", () => {
  const fallen = withArrivals([anItem(1, "25.00")], [anItem(1, "9.50")]);
  expect(withArrivals(fallen, [anItem(1, "9.50")])[0]?.previousAmount).toBe("25.00");
});

test("withArrivals() calls no price fallen that stayed or rose", () => {
  expect(withArrivals([anItem(1, "9.50")], [anItem(1, "9.50")])[0]?.previousAmount).toBeUndefined();
  expect(withArrivals([anItem(1, "9.50")], [anItem(1, "10.00")])[0]?.previousAmount).toBeUndefined();
});

test("withArrivals() no longer calls a fallen price fallen once it rose again", () => {
  const fallen = { ...anItem(1, "15.00"), previousAmount: "20.00" };
  const [risen] = withArrivals([fallen], [{ ...anItem(1, "30.00"), vu_a: 5 }]);
  expect([risen?.total_item_price.amount, risen?.previousAmount]).toEqual(["30.00", undefined]);
});

test("withArrivals() keeps a fall when an older version comes late", () => {
  const fallen = { ...anItem(1, "15.00"), previousAmount: "20.00", vu_a: 5 };
  const [kept] = withArrivals([fallen], [{ ...anItem(1, "20.00"), filtres: ["late"], vu_a: 1 }]);
  expect(kept).toEqual({ ...fallen, filtres: [...fallen.filtres, "late"] });
});

test("withArrivals() answers the very same list when nothing came", () => {
  const known = [anItem(1)];
  expect(withArrivals(known, [])).toBe(known);
});

test("withArrivals() forgets the oldest beyond its bound", () => {
  const known = Array.from({ length: MAX_STREAM_ITEMS }, (_, index) => anItem(index));
  const grown = withArrivals(known, [anItem(MAX_STREAM_ITEMS)]);
  expect(grown).toHaveLength(MAX_STREAM_ITEMS);
  expect(grown[0]?.id).toBe(MAX_STREAM_ITEMS);
  expect(grown.at(-1)?.id).toBe(MAX_STREAM_ITEMS - 2);
});

const aListOf = (length: number) => Array.from({ length }, (_, index) => anItem(index));

test("withHeld() keeps the newest up to its bound", () => {
  const held = withHeld(aListOf(MAX_HELD_ITEMS), [anItem(MAX_HELD_ITEMS)]);
  expect(held).toHaveLength(MAX_HELD_ITEMS);
  expect(held[0]?.id).toBe(MAX_HELD_ITEMS);
});

test("withRoomFor() lets shown and held together not outgrow a full list by more than a step", () => {
  const full = aListOf(MAX_STREAM_ITEMS);
  expect(withRoomFor(full, 1)).toBe(full);
  expect(withRoomFor(full, MAX_HELD_ITEMS)).toHaveLength(MAX_STREAM_ITEMS - MAX_HELD_ITEMS);
  const few = aListOf(10);
  expect(withRoomFor(few, MAX_HELD_ITEMS)).toBe(few);
});

test("withEarlier() adds only what is missing, each in its place", () => {
  expect(idsOf(withEarlier([anItem(5), anItem(4)], [anItem(4), anItem(3)]))).toEqual([5, 4, 3]);
  expect(idsOf(withEarlier([anItem(2), anItem(1)], [anItem(5), anItem(4)]))).toEqual([5, 4, 2, 1]);
  expect(idsOf(withEarlier([anItem(9), anItem(5), anItem(1)], [anItem(7), anItem(3)]))).toEqual([
    9, 7, 5, 3, 1,
  ]);
  expect(idsOf(withEarlier([], [anItem(1), anItem(2), anItem(2)]))).toEqual([2, 1]);
});

test("a backlog of several events, its oldest first, ends in the order of the first paint", () => {
  const firstPaint = [anItem(60), anItem(59), anItem(58)];
  const events = [[anItem(52), anItem(51)], [anItem(59), anItem(58), anItem(53)], [anItem(60)]];
  expect(idsOf(events.reduce(withEarlier, firstPaint))).toEqual([60, 59, 58, 53, 52, 51]);
  expect(idsOf(withEarlier(events.reduce(withEarlier, []), firstPaint))).toEqual([60, 59, 58, 53, 52, 51]);
});

test("withEarlier() leaves what is known where it is: a fallen price in front, a late listing of a deep page", () => {
  expect(
    idsOf(withEarlier([anItem(5), anItem(90), anItem(100), anItem(99)], [anItem(95), anItem(50)])),
  ).toEqual([5, 90, 100, 99, 95, 50]);
  const known = [anItem(1, "9.00")];
  expect(withEarlier(known, [anItem(1, "25.00")])).toBe(known);
});

test("withEarlier() forgets the oldest beyond its bound", () => {
  const known = Array.from({ length: MAX_STREAM_ITEMS }, (_, index) => anItem(MAX_STREAM_ITEMS - index));
  const grown = withEarlier(known, [anItem(MAX_STREAM_ITEMS + 1), anItem(0)]);
  expect([grown.length, grown[0]?.id, grown.at(-1)?.id]).toEqual([MAX_STREAM_ITEMS, MAX_STREAM_ITEMS + 1, 2]);
});

test("inFrontOf() returns the items newer than all shown ones, newest first, whatever the order shown", () => {
  const shown = [anItem(5), anItem(9), anItem(8)];
  expect(idsOf(inFrontOf(shown, [anItem(7), anItem(10), anItem(12), anItem(9)]))).toEqual([12, 10]);
  expect(inFrontOf([], [anItem(1)])).toEqual([]);
});

test("fallenAmong() returns the known items that became cheaper", () => {
  const known = [anItem(1, "25.00"), anItem(2, "25.00"), anItem(3, "25.00")];
  const again = [anItem(1, "9.50"), anItem(2, "25.00"), anItem(3, "26.00"), anItem(4, "1.00")];
  expect(idsOf(fallenAmong(known, again))).toEqual([1]);
});

test("risenAmong() returns the known items that became more expensive", () => {
  const known = [1, 2, 3].map((id) => ({ ...anItem(id, "25.00"), vu_a: 200 }));
  const again = (id: number, amount: string, vu_a: number) => ({ ...anItem(id, amount), vu_a });
  const later = [
    again(1, "26.00", 300),
    again(2, "9.50", 300),
    again(3, "26.00", 100),
    again(4, "26.00", 300),
  ];
  expect(idsOf(risenAmong(known, later))).toEqual([1]);
});

test("withoutFilters() takes away only what no other filter holds", () => {
  const mine = { ...anItem(1), filtres: ["f1"] };
  const shared = { ...anItem(2), filtres: ["f1", "f2"] };
  const ownerless = { ...anItem(3), filtres: [] };
  expect(idsOf(withoutFilters([mine, shared, ownerless], ["f1"]))).toEqual([2, 3]);
});

test("atPrice() corrects one listing, and takes back that its price fell", () => {
  const price = { amount: "26.95", currency_code: "EUR" };
  const known = withArrivals([anItem(2), anItem(1, "30.00")], [anItem(1, "24.60")]);
  const [risen, other] = atPrice(known, 1, price);
  expect([risen?.total_item_price, risen?.previousAmount]).toEqual([price, undefined]);
  expect(other).toBe(known[1]);
  expect(atPrice(known, 9, price)).toBe(known);
});

test("a price that rose since an answer was sent did not fall", () => {
  const read = anItem(1, "20.00");
  const risen = atPrice([read], 1, { amount: "30.00", currency_code: "EUR" });
  expect(fallenAmong(risen, [read])).toEqual([]);
  expect(withArrivals(risen, [read])[0]?.total_item_price.amount).toBe("30.00");
  const later = { ...read, vu_a: read.vu_a + 1_000 };
  expect(fallenAmong(risen, [later])).toEqual([later]);
});

const euros = (amount: string) => ({ amount, currency_code: "EUR" });
const judged = (rang: number): NonNullable<StreamItem["prix"]> => ({
  bas: euros("20.00"),
  median: euros("30.00"),
  haut: euros("40.00"),
  rang,
  n: 40,
  jours: 10,
  base: "type_marque_etat",
  suspect: false,
});

test("no price is shown with the usual price that another one was compared with", () => {
  const known = [{ ...anItem(1, "24.60"), vu_a: 200, prix: judged(92) }];
  expect(atPrice(known, 1, euros("26.95"))[0]?.prix).toBeNull();
  expect(atPrice(known, 1, euros("24.60"))).toBe(known);
  const earlier = { ...anItem(1, "31.00"), vu_a: 100, prix: judged(40) };
  expect(withArrivals(known, [earlier])[0]).toMatchObject({
    total_item_price: euros("24.60"),
    prix: judged(92),
  });
  const later = { ...earlier, vu_a: 300 };
  expect(withArrivals(known, [later])[0]).toMatchObject({
    total_item_price: euros("31.00"),
    prix: judged(40),
  });
});

test("a version that was seen earlier proves no fall", () => {
  const known = [{ ...anItem(1, "26.95"), vu_a: 200 }];
  const earlier = { ...anItem(1, "24.60"), vu_a: 100 };
  const later = { ...anItem(1, "24.60"), vu_a: 300 };
  expect(fallenAmong(known, [earlier])).toEqual([]);
  expect(fallenAmong(known, [later])).toEqual([later]);
  expect(withArrivals(known, [later])[0]?.previousAmount).toBe("26.95");
});

test("withFacts() adds what became known of a listing, and changes no other", () => {
  const known = [anItem(2), anItem(1)];
  const republication = { fois: 3, premier_prix: { amount: "45.00", currency_code: "EUR" }, depuis: 12 };
  const seen = withFacts(known, { id: 1, republication });
  expect(seen[0]).toBe(known[0]);
  expect(seen[1]).toEqual({ ...known[1], republication });
  const rated = withFacts(seen, { id: 1, user: { note: 4.8, pays: "FR" } });
  expect(rated[1]).toMatchObject({ republication, user: { id: 7, login: "lea", note: 4.8, pays: "FR" } });
  expect(withFacts(known, { id: 9, republication })).toBe(known);
  const gone = withFacts(rated, { id: 1, vendu: true });
  expect(gone[1]).toEqual({ ...rated[1], vendu: true });
  expect(withFacts(gone, { id: 1, vendu: true })).toBe(gone);
  expect(withFacts(gone, { id: 1, vendu: false })[1]).toEqual({ ...rated[1], vendu: false });
});

test("a listing keeps the filters that found it when further ones do, or when it comes at a lower price", () => {
  const known = [{ ...anItem(1, "20.00"), filtres: ["all"] }];
  const both = withFacts(known, { id: 1, filtres: ["size", "all"] });
  expect(both[0]?.filtres).toEqual(["all", "size"]);
  expect(withFacts(both, { id: 1, filtres: ["size"] })).toBe(both);
  const cheaper = withArrivals(both, [{ ...anItem(1, "15.00"), filtres: ["red"] }]);
  expect(cheaper[0]).toMatchObject({ filtres: ["all", "size", "red"], previousAmount: "20.00" });
  const replayed = withEarlier(known, [{ ...anItem(1, "15.00"), filtres: ["red"] }, anItem(2)]);
  expect(replayed.map(({ id, filtres }) => [id, filtres])).toEqual([
    [2, anItem(2).filtres],
    [1, ["all", "red"]],
  ]);
  expect(replayed[1]?.total_item_price).toEqual(known[0]?.total_item_price);
});

test("othersOfSellers() counts the further listings of each seller whose number is known", () => {
  const of = (id: number, sellerId: number | null): StreamItem => ({
    ...anItem(id),
    user: { id: sellerId, login: "lea", photo: null },
  });
  const items = [of(1, 7), of(2, 8), of(3, 7), of(4, null), of(5, 7), of(6, null)];
  expect([...othersOfSellers(items)]).toEqual([[7, 2]]);
});
