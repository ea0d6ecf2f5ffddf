import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import { REFRESH_INTERVAL_MS } from "#contract/bounds.ts";
import { alertOfListings, alertOfPurchase, alertOfQuestion } from "../api/alerts.ts";
import { sendOldList } from "../api/blocked-sellers.ts";
import { forgetOldList } from "../api/old-seller-list.ts";
import { call } from "../api/client.ts";
import { createLiveFeed, type LiveFeed } from "../api/live/live-feed.ts";
import { keepPurchase, OLDER_PURCHASES, queries, readPurchasesAgain } from "../api/queries.ts";
import type { PurchaseToast } from "../ui/toasts/purchase-toast.ts";
import { createToConfirmToast, type ToConfirmToast } from "../ui/toasts/to-confirm-toast.tsx";
import { showError, showToast } from "../ui/toasts/show-toast.ts";

/** The longest wait for the list of recent listings before the stream opens. */
const MAX_LIST_WAIT_MS = 2_000;
/** Long enough to draw that list with its first photos, for which a phone would share its line with the socket's code. */
const FIRST_DRAWING_MS = 400;

/** The panel's connection, which stays open across its screens. */
export function useLivePanel(purchaseToast: PurchaseToast): LiveFeed {
  const client = useQueryClient();
  const { data: recent, isError: isUnread } = useQuery(queries.recentArticles);
  const isRead = recent !== undefined || isUnread;
  const [feed] = useState(() => createLiveFeed(recent));
  useEffect(prepareOfflinePage, []);
  useEffect(() => purchaseToast.open(), [purchaseToast]);
  const { data: purchases } = useQuery({ ...queries.purchases, enabled: false });
  useEffect(() => {
    // Events are not sent again: those of the time without a connection are only in the list.
    if (purchases !== undefined) purchaseToast.catchUp(purchases.purch);
  }, [purchaseToast, purchases]);
  const toConfirmToast = useToConfirmToast();
  useEffect(() => {
    if (recent !== undefined) feed.addEarlier(recent);
  }, [feed, recent]);
  useEffect(() => {
    if (isRead) void sendOldList(client);
  }, [client, isRead]);
  useEffect(
    () =>
      afterFirstDrawing(client, () =>
        feed.run({
          onPurchase: (payload) => {
            if (payload.purchase !== undefined) keepPurchase(client, payload.purchase);
            readBoughtAgain(client);
            void reportWithFilter(client, purchaseToast, payload);
            alertOfPurchase(payload);
          },
          onAutobuyStopped: (message) => {
            readFiltersAgain(client);
            // Stays: from now on nothing more is bought.
            showToast({ tone: "neutral", message, stays: true });
          },
          onToConfirm: (manque) => {
            void client.invalidateQueries({ queryKey: queries.missedPurchases.queryKey });
            toConfirmToast.announce(manque);
            alertOfQuestion(manque);
          },
          onPrice: ({ id, total_item_price: price }) => feed.setPrice(id, price),
          onConnected: (isAgain) => {
            readBoughtAgain(client);
            // Prices that rose meanwhile.
            if (isAgain) void client.invalidateQueries({ queryKey: queries.recentArticles.queryKey });
          },
          onListings: (items) => alertOfListings(items.length, items[0]?.title),
          onRefused: () => void client.invalidateQueries({ queryKey: queries.user.queryKey }),
        }),
      ),
    [client, feed, purchaseToast, toConfirmToast],
  );
  return feed;
}

/** The next user of the page must not see it. */
function useToConfirmToast(): ToConfirmToast {
  const navigate = useNavigate();
  const [toast] = useState(() =>
    createToConfirmToast(() => void navigate({ to: "/synapse/achats", search: { manques: true } })),
  );
  useEffect(() => () => toast.close(), [toast]);
  return toast;
}

/** Reports a purchase with its filter, which is read first if it is not cached: another page may have created it. */
async function reportWithFilter(
  client: QueryClient,
  purchaseToast: PurchaseToast,
  payload: PurchasePayload,
): Promise<void> {
  const filterId = payload.purchase?.filtre ?? null;
  const isBuyer = ({ _id }: Filtre): boolean => _id === filterId;
  let filter = client.getQueryData(queries.filters.queryKey)?.find(isBuyer);
  if (filter === undefined && filterId !== null)
    filter = (await client.fetchQuery(queries.filters).catch(() => [])).find(isBuyer);
  purchaseToast.report(payload, filter?.tag);
}

function readBoughtAgain(client: QueryClient): void {
  void readPurchasesAgain(client);
  void client.invalidateQueries({ queryKey: queries.purchaseSummary.queryKey });
  // What was bought, here or in another tab, was not missed.
  void client.invalidateQueries({ queryKey: queries.missedPurchases.queryKey });
  // A purchase may have reached its filter's last one, which switches auto-buy off.
  readFiltersAgain(client);
}

function readFiltersAgain(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: queries.filters.queryKey });
  void client.invalidateQueries({ queryKey: queries.groups.queryKey });
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

/** Lets the browser say in words that there is no network, once the panel has been open (public/service-worker.js). */
function prepareOfflinePage(): void {
  if (!("serviceWorker" in navigator)) return;
  // Where it is refused, the browser's own page stands there: nothing to tell the person.
  navigator.serviceWorker.register("/service-worker.js", { scope: "/synapse/" }).catch(() => undefined);
}

/** While the level is above 0: filters, purchases and settings every 60 seconds, each time with the keep-alive. */
export function useRefresh(isSubscriber: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isSubscriber) return undefined;
    const refresh = (): void => {
      // Who the person is decides whether there is a panel at all, so a lost session is noticed here at the latest.
      call("keepAlive").catch(() => client.invalidateQueries({ queryKey: queries.user.queryKey }));
      // Also refetched while no screen uses them: both decide what the next screen shows first.
      void client.invalidateQueries({ queryKey: queries.filters.queryKey, refetchType: "all" });
      void client.invalidateQueries({
        queryKey: queries.purchases.queryKey,
        exact: true,
        refetchType: "all",
      });
      // Older ones only while a screen shows them.
      void client.invalidateQueries({ queryKey: OLDER_PURCHASES });
      void client.invalidateQueries({ queryKey: queries.groups.queryKey });
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

/** Asks, ends the session, and empties everything that the page remembers of the person. */
export function useSignOut(feed: LiveFeed): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    if (!window.confirm(QUESTION)) return;
    try {
      const { message } = await call("signOut");
      // Black first, and all that was read is forgotten with the person.
      client.setQueryData(queries.user.queryKey, null);
      feed.forget();
      forgetOldList();
      showToast({ message, tone: "neutral" });
      await navigate({ to: "/" });
    } catch (error) {
      showError(error);
    }
  };
}
