import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { REFRESH_INTERVAL_MS } from "#contract/timings.ts";
import { call } from "../api/client.ts";
import { queries } from "../api/queries.ts";

/** While the level is above 0: filters, purchases and settings every 60 seconds, each time with the keep-alive. */
export function useRefresh(isSubscriber: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isSubscriber) return undefined;
    const refresh = (): void => {
      // Who the person is decides whether there is a panel at all, so a lost session is noticed here at the latest.
      call("keepAlive").catch(() => client.invalidateQueries({ queryKey: queries.user.queryKey }));
      // On whatever screen the person is: both decide what the next one shows first.
      void client.invalidateQueries({ queryKey: queries.filters.queryKey, refetchType: "all" });
      void client.invalidateQueries({ queryKey: queries.purchases.queryKey, refetchType: "all" });
      // A stop, a limit or the session may have changed elsewhere.
      void client.invalidateQueries({ queryKey: queries.settings.queryKey, refetchType: "all" });
    };
    const timer = setInterval(refresh, REFRESH_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [client, isSubscriber]);
}
