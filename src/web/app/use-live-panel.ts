import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { alertOfListings, alertOfPurchase } from "../api/alerts.ts";
import { createLiveFeed, type LiveFeed } from "../api/live-feed.ts";
import { keepPurchase, queries } from "../api/queries.ts";
import { prepareOfflinePage } from "./offline-page.ts";
import { tellPurchase } from "../ui/purchase-toast.tsx";

/** The connection of the open panel: it lives as long as the panel does, on whatever screen the person is. */
export function useLivePanel(): LiveFeed {
  const client = useQueryClient();
  const [feed] = useState(createLiveFeed);
  useEffect(prepareOfflinePage, []);
  useEffect(
    () =>
      feed.run({
        onPurchase: (payload) => {
          if (payload.purchase !== undefined) keepPurchase(client, payload.purchase);
          void client.invalidateQueries({ queryKey: queries.purchases.queryKey });
          // A purchase may have reached its filter's last one, which switches auto-buy off.
          void client.invalidateQueries({ queryKey: queries.filters.queryKey });
          tellPurchase(payload);
          alertOfPurchase(payload);
        },
        onListings: (items) => alertOfListings(items.length, items[0]?.title),
        onRefused: () => void client.invalidateQueries({ queryKey: queries.user.queryKey }),
      }),
    [client, feed],
  );
  return feed;
}
