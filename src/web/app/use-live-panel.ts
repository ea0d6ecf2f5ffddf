import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Filtre } from "#contract/filtre.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import { alertOfListings, alertOfPurchase } from "../api/alerts.ts";
import { createLiveFeed, type LiveFeed } from "../api/live-feed.ts";
import { keepPurchase, queries } from "../api/queries.ts";
import { prepareOfflinePage } from "./offline-page.ts";
import { forgetPurchaseNews, tellPurchase } from "../ui/purchase-toast.tsx";

/** The stream waits no longer for the list of what was there before. */
const MAX_LIST_WAIT_MS = 2_000;
/** Long enough to draw that list with its first photos, for which a phone would share its line with the socket's code. */
const FIRST_DRAWING_MS = 400;

/** The connection of the open panel: it lives as long as the panel does, on whatever screen the person is. */
export function useLivePanel(): LiveFeed {
  const client = useQueryClient();
  const { data: recent } = useQuery(queries.recentArticles);
  const [feed] = useState(() => createLiveFeed(recent));
  useEffect(prepareOfflinePage, []);
  // The panel is one person's: whoever comes after them is told nothing of their purchases.
  useEffect(() => forgetPurchaseNews, []);
  useEffect(() => {
    if (recent !== undefined) feed.addEarlier(recent);
  }, [feed, recent]);
  useEffect(
    () =>
      afterFirstDrawing(client, () =>
        feed.run({
          onPurchase: (payload) => {
            if (payload.purchase !== undefined) keepPurchase(client, payload.purchase);
            readPurchasesAgain(client);
            void tellWithFilter(client, payload);
            alertOfPurchase(payload);
          },
          onPrice: ({ id, total_item_price: price }) => feed.setPrice(id, price),
          onConnected: () => readPurchasesAgain(client),
          onListings: (items) => alertOfListings(items.length, items[0]?.title),
          onRefused: () => void client.invalidateQueries({ queryKey: queries.user.queryKey }),
        }),
      ),
    [client, feed],
  );
  return feed;
}

/** At once when the filter that bought is known here; it may be new, made on another page. */
async function tellWithFilter(client: QueryClient, payload: PurchasePayload): Promise<void> {
  const filterId = payload.purchase?.filtre ?? null;
  const isBuyer = ({ _id }: Filtre): boolean => _id === filterId;
  let filter = client.getQueryData(queries.filters.queryKey)?.find(isBuyer);
  if (filter === undefined && filterId !== null)
    filter = (await client.fetchQuery(queries.filters).catch(() => [])).find(isBuyer);
  tellPurchase(payload, filter?.tag);
}

function readPurchasesAgain(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: queries.purchases.queryKey });
  void client.invalidateQueries({ queryKey: queries.purchaseSummary.queryKey });
  // A purchase may have reached its filter's last one, which switches auto-buy off.
  void client.invalidateQueries({ queryKey: queries.filters.queryKey });
}

/** Begins once the latest listings are there and drawn, which the first screen needs more; the answer ends what began. */
function afterFirstDrawing(client: QueryClient, begin: () => () => void): () => void {
  let end: (() => void) | undefined;
  const beginIn = (waitMs: number) =>
    setTimeout(() => {
      end = begin();
    }, waitMs);
  let timer = beginIn(MAX_LIST_WAIT_MS);
  let isOver = false;
  const beginSoon = (): void => {
    if (isOver || end !== undefined) return;
    clearTimeout(timer);
    timer = beginIn(FIRST_DRAWING_MS);
  };
  client.ensureQueryData(queries.recentArticles).then(beginSoon, beginSoon);
  return () => {
    isOver = true;
    clearTimeout(timer);
    end?.();
  };
}
