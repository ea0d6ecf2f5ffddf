import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { PurchasePayload } from "#contract/socket.ts";
import { REFRESH_INTERVAL_MS } from "#contract/bounds.ts";
import { call } from "../api/client.ts";
import { createLiveFeed, type LiveFeed } from "../api/live/live-feed.ts";
import { hasOldList } from "../api/old-seller-list.ts";
import { forgetPerson } from "../api/session.ts";
import { keepPurchase, OLDER_PURCHASES, queries, readPurchasesAgain } from "../api/queries.ts";
import type { PurchaseToast } from "../ui/toasts/purchase-toast.ts";
import { loadToasts, showError, showToast, withToasts } from "../ui/toasts/show-toast.ts";

/** Delay of preloading the toast chunk: until the first screen is loaded, even on a slow phone. */
const PRELOAD_TOASTS_AFTER_MS = 15_000;
/** Upper bound of the wait for the recent listings before the stream opens. */
const MAX_LIST_WAIT_MS = 2_000;
/** Time to draw them with their first photos, before the socket's chunk competes for a phone's bandwidth. */
const FIRST_DRAWING_MS = 400;
/** Purchases come in bursts, with several events each: what depends on them is read once for all of this time. */
const READ_BOUGHT_AFTER_MS = 300;

/** The panel's connection, which stays open across its screens. */
export function useLivePanel(purchaseToast: PurchaseToast): LiveFeed {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: recent, isError: isUnread } = useQuery(queries.recentArticles);
  const isRead = recent !== undefined || isUnread;
  const [feed] = useState(() => createLiveFeed(recent));
  useEffect(prepareOfflinePage, []);
  useEffect(() => {
    const preload = setTimeout(loadToasts, PRELOAD_TOASTS_AFTER_MS);
    return () => {
      clearTimeout(preload);
      // The next user of the page must not see what stays until closed.
      withToasts(({ hideStaying }) => hideStaying());
    };
  }, []);
  useEffect(() => purchaseToast.open(), [purchaseToast]);
  const { data: purchases } = useQuery({ ...queries.purchases, enabled: false });
  useEffect(() => {
    // The server does not replay purchase events: those missed while disconnected are only in the list.
    if (purchases !== undefined) purchaseToast.catchUp(purchases.purch, (id) => tagOf(client, id));
  }, [client, purchaseToast, purchases]);
  useEffect(() => {
    if (recent !== undefined) feed.addRecent(recent);
  }, [feed, recent]);
  useEffect(() => {
    if (!isRead || !hasOldList()) return;
    void import("../api/send-old-list.ts").then(
      ({ sendOldList }) => sendOldList(client),
      () => undefined,
    );
  }, [client, isRead]);
  useEffect(() => {
    let reading: ReturnType<typeof setTimeout> | undefined;
    const readBoughtSoon = (): void => {
      reading ??= setTimeout(() => {
        reading = undefined;
        readBoughtAgain(client);
      }, READ_BOUGHT_AFTER_MS);
    };
    const end = afterFirstDrawing(client, () =>
      feed.run({
        onPurchase: (payload) => {
          if (payload.purchase !== undefined) keepPurchase(client, payload.purchase);
          readBoughtSoon();
          void reportWithFilter(client, purchaseToast, payload);
        },
        onAutobuyStopped: (message) => {
          readFiltersAgain(client);
          // Stays until closed: these filters buy nothing more from now on.
          showToast({ tone: "neutral", message, stays: true });
        },
        onAccountChanged: () => readAccountAgain(client),
        onToConfirm: (manque) => {
          void client.invalidateQueries({ queryKey: queries.missedPurchases.queryKey });
          const decide = () => void navigate({ to: "/synapse/achats", search: { manques: true } });
          withToasts(({ showToConfirm }) => showToConfirm(manque, decide));
        },
        onPrice: ({ id, total_item_price: price }) => feed.setPrice(id, price),
        onConnected: (isAgain) => {
          readBoughtAgain(client);
          // Fetches prices that rose while disconnected.
          if (isAgain) void client.invalidateQueries({ queryKey: queries.recentArticles.queryKey });
        },
        onRefused: () => void client.invalidateQueries({ queryKey: queries.user.queryKey }),
      }),
    );
    return () => {
      clearTimeout(reading);
      end();
    };
  }, [client, feed, navigate, purchaseToast]);
  return feed;
}

/** Reports a purchase with its filter's name; the filter may not be cached yet if another tab created it. */
async function reportWithFilter(
  client: QueryClient,
  purchaseToast: PurchaseToast,
  payload: PurchasePayload,
): Promise<void> {
  const { purchase } = payload;
  const filterId = purchase?.filtre ?? null;
  const tag = tagOf(client, filterId);
  purchaseToast.report(payload, tag);
  if (purchase === undefined || filterId === null || tag !== undefined) return;
  await client.prefetchQuery(queries.filters);
  const readTag = tagOf(client, filterId);
  // Not reported again: the purchase may have gone on meanwhile.
  if (readTag !== undefined) purchaseToast.nameFilter(purchase, readTag);
}

function tagOf(client: QueryClient, filterId: string | null): string | undefined {
  return client.getQueryData(queries.filters.queryKey)?.find(({ _id }) => _id === filterId)?.tag;
}

function readBoughtAgain(client: QueryClient): void {
  void readPurchasesAgain(client);
  void client.invalidateQueries({ queryKey: queries.purchaseSummary.queryKey });
  // A limit may be reached.
  void client.invalidateQueries({ queryKey: queries.state.queryKey });
  // A missed listing that was bought after all, here or in another tab, leaves the list.
  void client.invalidateQueries({ queryKey: queries.missedPurchases.queryKey });
  // The last purchase that a filter allows switches its automatic buying off.
  readFiltersAgain(client);
}

function readAccountAgain(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: queries.user.queryKey });
  void client.invalidateQueries({ queryKey: queries.state.queryKey });
  void client.invalidateQueries({ queryKey: queries.settings.queryKey, refetchType: "all" });
}

function readFiltersAgain(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: queries.filters.queryKey });
  void client.invalidateQueries({ queryKey: queries.groups.queryKey });
}

/** Calls `begin` once the recent listings are drawn, or after `MAX_LIST_WAIT_MS`; returns the cleanup. */
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

/** Registers the service worker, which serves the offline page (public/service-worker.js). */
function prepareOfflinePage(): void {
  if (!("serviceWorker" in navigator)) return;
  // If the registration fails, the browser shows its own offline page: nothing to report.
  navigator.serviceWorker.register("/service-worker.js", { scope: "/synapse/" }).catch(() => undefined);
}

/** While the level is above 0: every 60 s a keep-alive, and a refetch of filters, purchases and settings. */
export function useRefresh(isSubscriber: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isSubscriber) return undefined;
    const refresh = (): void => {
      // A lost session, which closes the panel, is noticed here at the latest.
      call("keepAlive").catch(() => client.invalidateQueries({ queryKey: queries.user.queryKey }));
      // Refetched even while no screen uses them: both decide what the next screen shows first.
      void client.invalidateQueries({ queryKey: queries.filters.queryKey, refetchType: "all" });
      void client.invalidateQueries({
        queryKey: queries.purchases.queryKey,
        exact: true,
        refetchType: "all",
      });
      // Older ones, and the sums of a month that may have ended, only while a screen shows them.
      void client.invalidateQueries({ queryKey: OLDER_PURCHASES });
      void client.invalidateQueries({ queryKey: queries.purchaseSummary.queryKey });
      void client.invalidateQueries({ queryKey: queries.groups.queryKey });
      void client.invalidateQueries({ queryKey: queries.state.queryKey });
      // A seller may have been blocked on another device.
      void client.invalidateQueries({ queryKey: queries.blockedSellers.queryKey });
      // A stop, a limit or the session may have changed elsewhere.
      void client.invalidateQueries({ queryKey: queries.settings.queryKey, refetchType: "all" });
    };
    const timer = setInterval(refresh, REFRESH_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [client, isSubscriber]);
}

const QUESTION = "Voulez-vous vraiment vous déconnecter ?";

/** Asks for confirmation, ends the session and clears all personal data from the page. */
export function useSignOut(feed: LiveFeed): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    if (!window.confirm(QUESTION)) return;
    try {
      const { message } = await call("signOut");
      void forgetPerson(client);
      feed.forget();
      showToast({ message, tone: "neutral" });
      await navigate({ to: "/" });
    } catch (error) {
      showError(error);
    }
  };
}
