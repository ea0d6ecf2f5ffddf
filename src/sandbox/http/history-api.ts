import type { Market } from "../market/market.ts";
import { type Answer, type Incoming, jsonAnswer } from "./messages.ts";
import { presentPastItem } from "./wire.ts";

/** GET /history: listings sold before the market opened. Real marketplaces have no such call. */
export interface HistoryApi {
  owns(path: string): boolean;
  serve(incoming: Incoming): Answer;
}

export function createHistoryApi(market: Pick<Market, "history">): HistoryApi {
  return {
    owns: (path) => path === "/history",
    serve({ method, query }) {
      if (method !== "GET") return jsonAnswer(405, { error: "this call is GET" });
      const after = Number(query.get("after") ?? 0);
      if (!Number.isSafeInteger(after) || after < 0) return jsonAnswer(400, { error: "after is a number" });
      const { history } = market;
      return jsonAnswer(200, {
        listings: history.page(after).map(({ number, listing }) => ({
          number,
          at: listing.publishedAtMs,
          catalog_id: listing.leafId,
          color_ids: listing.colourIds,
          item: presentPastItem(listing),
        })),
        open: history.isOpen,
      });
    },
  };
}
