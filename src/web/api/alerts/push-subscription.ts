/** This browser's push subscription. The landing page ends it as well, so that nothing of the panel is imported here. */
import { queryOptions, type QueryClient } from "@tanstack/react-query";

/** Of the service worker that receives what is pushed. */
export const PUSH_SCOPE = "/synapse/";

export function isPushSupported(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

async function readSubscription(): Promise<PushSubscription | null> {
  if (!isPushSupported()) return null;
  const registration = await navigator.serviceWorker.getRegistration(PUSH_SCOPE);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

export const browserSubscription = queryOptions({
  queryKey: ["push-subscription"],
  queryFn: readSubscription,
  staleTime: 60_000,
});

/** Nothing is pushed to the browser any more. */
export async function endSubscription(client: QueryClient): Promise<void> {
  // A subscription that the browser fails to end has no use: the server renews only what it knows.
  await readSubscription()
    .then((subscription) => subscription?.unsubscribe())
    .catch(() => undefined);
  client.setQueryData(browserSubscription.queryKey, null);
}
