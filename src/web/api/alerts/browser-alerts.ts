/** Notifications and sounds while the page is hidden; opt-in, and stored in this browser only. */
import type { Manque } from "#contract/achat.ts";
import { ACHAT_EN_ATTENTE } from "#contract/bounds.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { ProduitDuFlux } from "#contract/produit.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import { isAwaitingBank } from "../live/awaiting-bank.ts";
import { readPreference, writePreference } from "../../ui/preference.ts";
import { isPushed } from "./push-subscription.ts";

const KEY = "synapse.alertes";
/** Minimum interval between two alerts of new listings, so that a burst causes one. */
const MIN_INTERVAL_MS = 10_000;

export interface AlertChoices {
  /** System notifications. */
  readonly notifications: boolean;
  readonly sound: boolean;
}

export const NO_ALERTS: AlertChoices = { notifications: false, sound: false };

export function readAlertChoices(): AlertChoices {
  return readPreference(KEY, parseAlertChoices, NO_ALERTS);
}

export function keepAlertChoices(choices: AlertChoices): void {
  writePreference(KEY, choices.notifications || choices.sound ? choices : undefined);
}

/** Undefined if the stored value is invalid. */
export function parseAlertChoices(stored: unknown): AlertChoices | undefined {
  if (typeof stored !== "object" || stored === null) return undefined;
  return {
    notifications: "notifications" in stored && stored.notifications === true,
    sound: "sound" in stored && stored.sound === true,
  };
}

/** By the monotonic clock: the clock of the device may be set back. */
let lastRungAtMs = -Infinity;

/** What the person has set for the alerts of all devices. */
export interface AlertRules {
  readonly modeOf: (filterId: string) => Filtre["alerte"] | undefined;
  readonly silence: () => Promise<Silence>;
}

export interface Silence {
  /** Quiet hours: only the bank may make a sound. */
  readonly isQuiet: boolean;
  /** Alerts of listings are paused. */
  readonly isPaused: boolean;
}

/**
 * Notifies of a purchase that awaits the bank or has ended, immediately: without the delay between notifications
 * of listings.
 */
export async function alertOfPurchase(
  { success, message, error, purchase }: PurchasePayload,
  { silence }: Pick<AlertRules, "silence">,
): Promise<void> {
  const text = (success ? message : error) ?? message ?? error;
  const isOfBank = purchase !== undefined && isAwaitingBank(purchase);
  const isUnderWay =
    purchase?.annulation !== undefined || (purchase?.status === ACHAT_EN_ATTENTE && !isOfBank);
  if (text === undefined || isUnderWay) return;
  // The server pushes neither simulations nor orders made elsewhere.
  const isElsewhere = purchase?.source === "externe" && purchase.filtre === null;
  const isAlsoPushed = purchase?.simulation !== true && !isElsewhere;
  const title = purchase?.product.title ?? "Synapse";
  await raise({ title, body: text, tag: `achat-${purchase?._id ?? ""}`, isAlsoPushed }, async () =>
    !isOfBank && (await silence()).isQuiet ? "silencieux" : "sonore",
  );
}

/** Notifies of a listing so cheap that its purchase needs the person's confirmation: the server pushes no such question. */
export async function alertOfQuestion(
  { product, raison }: Manque,
  { silence }: Pick<AlertRules, "silence">,
): Promise<void> {
  const tag = `a-confirmer-${product.id}`;
  await raise({ title: product.title, body: raison ?? "À confirmer", tag, isAlsoPushed: false }, async () =>
    (await silence()).isQuiet ? "silencieux" : "sonore",
  );
}

/** Notifies of new listings, at most every `MIN_INTERVAL_MS`; never of those whose filters are all on 'Rien'. */
export async function alertOfListings(
  items: readonly Pick<ProduitDuFlux, "title" | "filtres">[],
  { modeOf, silence }: AlertRules,
): Promise<void> {
  // Arrivals on a visible page do not start the delay: the first one on a hidden page notifies immediately.
  if (isSeen() || performance.now() - lastRungAtMs < MIN_INTERVAL_MS) return;
  const modes = items.map(({ filtres }) => filtres.map((id) => modeOf(id) ?? "sonore"));
  const told = items.filter((_unused, index) => modes[index]?.some((mode) => mode !== "rien"));
  if (told.length === 0) return;
  lastRungAtMs = performance.now();
  const body =
    told.length === 1 ? (told[0]?.title ?? "Un nouvel article") : `${told.length} nouveaux articles`;
  await raise({ title: "Synapse", body, tag: "articles", isAlsoPushed: true }, async () => {
    const { isQuiet, isPaused } = await silence();
    if (isQuiet || isPaused) return "rien";
    return modes.flat().includes("sonore") ? "sonore" : "silencieux";
  });
}

interface BrowserAlert {
  readonly title: string;
  readonly body: string;
  /** A notification replaces an earlier one with the same tag. */
  readonly tag: string;
  /** With push on this device, the service worker shows it instead. */
  readonly isAlsoPushed: boolean;
}

/** @param readMode called only if the person wants notifications or sounds here: it may read settings */
async function raise(
  { title, body, tag, isAlsoPushed }: BrowserAlert,
  readMode: () => Promise<Filtre["alerte"]>,
): Promise<void> {
  if (isSeen()) return;
  const { notifications, sound } = readAlertChoices();
  const isShown = notifications && !(isAlsoPushed && isPushed()) && areNotificationsAllowed();
  if (!isShown && !sound) return;
  const mode = await readMode();
  if (mode === "rien" || isSeen()) return;
  if (isShown) notify(title, { body, tag, silent: mode === "silencieux" });
  if (sound && mode === "sonore") await ring();
}

function isSeen(): boolean {
  return document.visibilityState === "visible";
}

export function areNotificationsAllowed(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}

function notify(title: string, options: NotificationOptions): void {
  try {
    const shown = new Notification(title, { ...options, icon: "/favicon.svg", lang: "fr" });
    shown.addEventListener("click", () => {
      window.focus();
      shown.close();
    });
  } catch (error) {
    // Phone browsers throw a TypeError: they notify only through a service worker. The sound is still played.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Plays two short rising tones, synthesised so that no audio file has to be fetched. */
export async function ring(): Promise<void> {
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.connect(audio.destination);
  volume.gain.setValueAtTime(0.0001, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.2, audio.currentTime + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + 0.45);
  for (const [index, frequencyHz] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = frequencyHz;
    tone.connect(volume);
    tone.start(audio.currentTime + index * 0.16);
    tone.stop(audio.currentTime + index * 0.16 + 0.28);
  }
  await new Promise((resolve) => setTimeout(resolve, 600));
  await audio.close();
}
