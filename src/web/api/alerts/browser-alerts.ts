/** Notifications and sounds while the page is hidden; opt-in, and stored in this browser only. */
import type { Manque } from "#contract/achat.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import { readPreference, writePreference } from "../../ui/preference.ts";

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

let lastRungAtMs = -Infinity;

/** Notifies of a purchase immediately, without the delay between notifications of listings. */
export function alertOfPurchase({ success, message, error, purchase }: PurchasePayload): void {
  const text = (success ? message : error) ?? message ?? error;
  if (text === undefined) return;
  // The server pushes neither simulations nor orders made elsewhere.
  const isElsewhere = purchase?.source === "externe" && purchase.filtre === null;
  const isAlsoPushed = purchase?.simulation !== true && !isElsewhere;
  const title = purchase?.product.title ?? "Synapse";
  raise(title, { body: text, tag: `achat-${purchase?._id ?? ""}` }, isAlsoPushed);
}

/** Notifies of a listing so cheap that its purchase needs the person's confirmation: the server pushes no such question. */
export function alertOfQuestion({ product, raison }: Manque): void {
  raise(product.title, { body: raison ?? "À confirmer", tag: `a-confirmer-${product.id}` }, false);
}

/** Notifies of new listings, at most every `MIN_INTERVAL_MS`. */
export function alertOfListings(count: number, title: string | undefined): void {
  // Arrivals on a visible page do not start the delay: the first one on a hidden page notifies immediately.
  if (count === 0 || isSeen() || Date.now() - lastRungAtMs < MIN_INTERVAL_MS) return;
  lastRungAtMs = Date.now();
  const body = count === 1 ? (title ?? "Un nouvel article") : `${count} nouveaux articles`;
  raise("Synapse", { body, tag: "articles" }, true);
}

/** @param isAlsoPushed with push on this device, the service worker shows it instead */
function raise(title: string, options: NotificationOptions, isAlsoPushed: boolean): void {
  if (isSeen()) return;
  const { notifications, sound } = readAlertChoices();
  if (notifications && !(isAlsoPushed && isPushed()) && areNotificationsAllowed()) notify(title, options);
  if (sound) void ring();
}

const PUSH_KEY = "synapse.alertes-appareil";

function isPushed(): boolean {
  return readPreference(PUSH_KEY, (stored) => (stored === true ? true : undefined), false);
}

/** Remembers whether alerts are pushed to this browser. */
export function keepPushed(isActive: boolean): void {
  writePreference(PUSH_KEY, isActive ? true : undefined);
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
