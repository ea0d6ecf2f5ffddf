import type { Clock } from "#domain/clock.ts";
import type { MarketHistory } from "#domain/market/history.ts";
import { z } from "zod";
import { createExchange } from "./exchange.ts";
import { readAnswer } from "./read-answer.ts";
import { toListing } from "./read-listing.ts";

const DEADLINE_MS = 10_000;

const historyPage = z.object({
  listings: z
    .array(
      z.object({
        number: z.number().int().positive(),
        at: z.number().int().positive(),
        catalog_id: z.number().int(),
        color_ids: z.array(z.number().int()),
        item: z.unknown(),
      }),
    )
    .max(1_000),
  open: z.boolean(),
});

/** The generated history of the sandbox; a real marketplace has none. @param origin the sandbox's */
export function createSandboxHistory(
  origin: string,
  { clock, userAgent }: { readonly clock: Clock; readonly userAgent: string },
): MarketHistory & AsyncDisposable {
  const exchange = createExchange(origin);
  return {
    async page(after) {
      const answer = await exchange.send({
        method: "GET",
        path: `/history?after=${after}`,
        body: undefined,
        headers: { accept: "application/json", "user-agent": userAgent },
        deadlineMs: DEADLINE_MS,
        freshConnection: null,
      });
      const { listings, open } = readAnswer(answer, historyPage, clock.nowMs());
      return {
        listings: listings.flatMap(({ number, at, catalog_id, color_ids, item }) => {
          const listing = toListing(item);
          return listing === null
            ? []
            : [{ number, listing, leafId: catalog_id, marketplaceColourIds: color_ids, atMs: at }];
        }),
        isOpen: open,
      };
    },
    [Symbol.asyncDispose]: () => exchange[Symbol.asyncDispose](),
  };
}
