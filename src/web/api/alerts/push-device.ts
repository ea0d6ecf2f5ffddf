/** State and activation of Web Push in this browser. */
import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Canal } from "#contract/alerte.ts";
import { alertCentre, type AlertCentre } from "./alert-centre.ts";
import { browserSubscription, endSubscription, isPushSupported, PUSH_SCOPE } from "./push-subscription.ts";
import { call, CallError } from "../client.ts";

/**
 * needs_install: on an iPhone or iPad, and not on the home screen. failed: the browser's push service did not
 * answer, or the server refused the device. lost: the push service no longer knows this browser.
 */
type DeviceState =
  | "reading"
  | "unsupported"
  | "needs_install"
  | "denied"
  | "off"
  | "activating"
  | "failed"
  | "lost"
  | "on";

export interface PushDevice {
  readonly state: DeviceState;
  /** Why the server refused the last activation; null if it did not. */
  readonly refusal: string | null;
  /** Asks for the browser's permission; must be called from a user gesture. */
  readonly activate: () => void;
}

export function useThisDevice(centre: AlertCentre | undefined): PushDevice {
  const client = useQueryClient();
  const subscription = useQuery(browserSubscription);
  const activation = useMutation({
    mutationFn: async (key: string) => {
      if ((await Notification.requestPermission()) !== "granted") return;
      await register(await subscribe(key), {});
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: browserSubscription.queryKey });
      await client.invalidateQueries({ queryKey: alertCentre.queryKey });
    },
  });
  const state = stateOf(centre, subscription.data, activation);
  useRenewal(centre, subscription.data ?? null);
  return {
    state,
    refusal: activation.error instanceof CallError ? activation.error.message : null,
    activate: () => {
      if (centre !== undefined) activation.mutate(centre.offerts.push.cle);
    },
  };
}

function stateOf(
  centre: AlertCentre | undefined,
  subscription: PushSubscription | null | undefined,
  activation: { readonly isPending: boolean; readonly isError: boolean },
): DeviceState {
  if (!isPushSupported()) return isUninstalledApple() ? "needs_install" : "unsupported";
  if (activation.isPending) return "activating";
  if (Notification.permission === "denied") return "denied";
  const here = centre?.canaux.filter(isOfHere);
  // Even after a failure: the server may have taken the device although its answer was lost.
  if (subscription && here?.some(({ etat }) => etat === "actif")) return "on";
  if (activation.isError) return "failed";
  if (here === undefined || subscription === undefined) return "reading";
  return here.length === 0 ? "off" : "lost";
}

/** A push channel of this session's browser. */
function isOfHere({ canal, ici }: Canal): boolean {
  return canal === "push" && ici;
}

/**
 * After a new sign-in, moves the browser's push subscription from the old session to this one. The server
 * refuses it if the person has removed this device, or if it is another person's.
 */
function useRenewal(centre: AlertCentre | undefined, subscription: PushSubscription | null): void {
  const client = useQueryClient();
  const isHere = centre?.canaux.some(isOfHere) ?? true;
  const hasOthers = centre?.canaux.some(({ canal }) => canal === "push") ?? false;
  useEffect(() => {
    if (isHere || !hasOthers || subscription === null || Notification.permission !== "granted") return;
    register(subscription, { renouvelle: true }).then(
      () => client.invalidateQueries({ queryKey: alertCentre.queryKey }),
      () => undefined,
    );
  }, [client, isHere, hasOthers, subscription]);
}

/** iOS and iPadOS support push only for pages on the home screen. iPadOS reports itself as a Macintosh. */
function isUninstalledApple(): boolean {
  const isApple =
    /iPhone|iPad|iPod/u.test(navigator.userAgent) ||
    (navigator.userAgent.includes("Macintosh") && navigator.maxTouchPoints > 1);
  return isApple && !window.matchMedia("(display-mode: standalone)").matches;
}

/** Once the server has removed this device: nothing is pushed to the browser any more. */
export async function unsubscribe(client: QueryClient): Promise<void> {
  await endSubscription(client);
  // Until the channels are read again, this one without a subscription would count as lost.
  client.setQueryData(
    alertCentre.queryKey,
    (centre) => centre && { ...centre, canaux: centre.canaux.filter((one) => !isOfHere(one)) },
  );
}

async function subscribe(key: string): Promise<PushSubscription> {
  const registration = await navigator.serviceWorker.register("/service-worker.js", { scope: PUSH_SCOPE });
  const known = await registration.pushManager.getSubscription();
  // It may have been created with another key, which would make `subscribe` fail.
  if (known !== null) await known.unsubscribe();
  return await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytesOf(key),
  });
}

async function register(subscription: PushSubscription, more: { readonly renouvelle?: true }): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined)
    throw new Error("the subscription has no keys");
  await call("addAlertDevice", { body: { abonnement: { endpoint, keys: { p256dh, auth } }, ...more } });
}

/** Decodes base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (sign) => sign.codePointAt(0) ?? 0);
}
