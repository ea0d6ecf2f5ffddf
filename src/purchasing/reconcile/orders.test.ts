import { expect, test } from "vitest";
import { asListingId, asUserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { DAY_MS } from "#domain/clock.ts";
import type { Order, OrdersPage } from "#marketplace/marketplace.ts";
import { createOrdersReader, type OrdersRead } from "./orders.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);

function order(transactionId: number, ageMs = 0): Order {
  return {
    transactionId,
    listingId: asListingId(transactionId),
    title: "Robe",
    totalCents: 1_000,
    state: "paid",
    createdAtMs: NOW_MS - ageMs,
    photoUrl: null,
  };
}

/** Reads these pages; a full one has two orders. */
async function read(pages: readonly OrdersPage[]): Promise<OrdersRead> {
  const reader = createOrdersReader(
    { call: (_userId, action) => action(new Secret("access")), pause: () => undefined },
    {
      orders: (_access, number) => Promise.resolve(pages[number - 1] ?? page([], pages.length, 0)),
      transaction: () => Promise.reject(new Error("nobody asks")),
      payment: () => Promise.reject(new Error("nobody asks")),
    },
  );
  return await reader.since(asUserId("lea"), NOW_MS - DAY_MS);
}

function page(orders: readonly Order[], totalPages: number, totalEntries: number): OrdersPage {
  return { orders, totalPages, totalEntries, perPage: 2 };
}

const numbersOf = ({ orders }: OrdersRead): readonly number[] => orders.map((each) => each.transactionId);

test("all pages together are complete when they hold as many orders as the list says", async () => {
  const all = await read([
    page([order(5), order(4)], 3, 5),
    page([order(3), order(2)], 3, 5),
    page([order(1)], 3, 5),
  ]);
  expect(numbersOf(all)).toEqual([5, 4, 3, 2, 1]);
  expect(all.isComplete).toBe(true);
  expect((await read([page([], 0, 0)])).isComplete).toBe(true);
});

test("older orders need not be read, as long as the pages before them are full", async () => {
  const [young, old, older] = [order(9), order(8, 3 * DAY_MS), order(7, 4 * DAY_MS)];
  expect(await read([page([old, older], 40, 80)])).toEqual({ orders: [old, older], isComplete: true });
  expect((await read([page([young], 40, 80), page([old, older], 40, 80)])).isComplete).toBe(false);
});

test("an old order among the newest ones, listed there for its latest message, hides none of them", async () => {
  const pages = [
    page([order(1, 90 * DAY_MS), order(9)], 40, 80),
    page([order(8), order(7)], 40, 80),
    page([order(6, 3 * DAY_MS), order(5, 4 * DAY_MS)], 40, 80),
  ];
  const all = await read(pages);
  expect(numbersOf(all)).toEqual([1, 9, 8, 7, 6, 5]);
  expect(all.isComplete).toBe(true);
});

test.each<[string, readonly OrdersPage[]]>([
  ["an empty page of a list that has entries", [page([], 1, 1)]],
  ["a page without its first", [page([order(1)], 1, 2)]],
  [
    "an order that stands on two pages, since a newer one came",
    [page([order(3), order(2)], 2, 3), page([order(2)], 2, 3)],
  ],
  ["a count that changed between two pages", [page([order(4), order(3)], 2, 4), page([order(2)], 2, 3)]],
  ["fewer pages than the entries need", [page([order(4), order(3)], 1, 4)]],
])("%s is not a complete list, but its orders are kept", async (_what, pages) => {
  const part = await read(pages);
  expect(part.isComplete).toBe(false);
  expect(new Set(numbersOf(part))).toEqual(
    new Set(pages.flatMap(({ orders }) => orders.map((each) => each.transactionId))),
  );
});
