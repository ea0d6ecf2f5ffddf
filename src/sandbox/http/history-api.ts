import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Market } from "../market/market.ts";
import { type Answer, type Incoming, jsonAnswer } from "./messages.ts";
import { presentPastItem } from "./wire.ts";

/** GET /history: listings sold before the market opened. Real marketplaces have no such call. */
export interface HistoryApi {
  owns(path: string): boolean;
  serve(incoming: Incoming): Promise<Answer>;
}

/** Past listings generated per event-loop turn, which the product may share: about a millisecond. */
const DRAWN_AT_ONCE = 50;

export function createHistoryApi({ history }: Pick<Market, "history">): HistoryApi {
  return {
    owns: (path) => path === "/history",
    async serve({ method, query }) {
      if (method !== "GET") return jsonAnswer(405, { error: "this call is GET" });
      const after = Number(query.get("after") ?? 0);
      if (!Number.isSafeInteger(after) || after < 0) return jsonAnswer(400, { error: "after is a number" });
      const listings: object[] = [];
      for (const { number, listing } of history.page(after)) {
        const { publishedAtMs: at, leafId: catalog_id, colourIds: color_ids } = listing;
        listings.push({ number, at, catalog_id, color_ids, item: presentPastItem(listing) });
        if (listings.length % DRAWN_AT_ONCE === 0) await yieldToEventLoop();
      }
      return jsonAnswer(200, { listings, open: history.isOpen });
    },
  };
}
