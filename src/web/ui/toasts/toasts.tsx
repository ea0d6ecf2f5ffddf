/** Renders the toasts. A chunk of its own, loaded by show-toast.ts. */
import {
  Notifications,
  notifications,
  notificationsStore,
  type NotificationData,
} from "@mantine/notifications";
import { IconAlertTriangle, IconCheck, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Manque } from "#contract/achat.ts";
import { withNoBreaks } from "../format-panel.ts";
import { LibraryProvider } from "../theme/theme.tsx";
import { keepFocusInPage } from "../windows/keep-focus.ts";
import type { PurchaseNews } from "./purchase-news.ts";
import { summaryOf } from "./purchase-summary.tsx";
import { questionOf } from "./to-confirm-toast.tsx";
import "./toast.css";

type ToastTone = "good" | "bad" | "neutral";

export interface Toast {
  readonly message: ReactNode;
  readonly tone?: ToastTone;
  readonly title?: string | null;
  /** A toast replaces an earlier one with the same id. */
  readonly id?: string;
  readonly picture?: ReactNode | undefined;
  /** Stays until the person closes it: for what concerns money. */
  readonly stays?: boolean;
  /** Higher ones are shown first if there is no room for all; by default 0 if it stays, else 1. */
  readonly priority?: number;
  readonly onClose?: () => void;
}

const PURCHASES_ID = "achats";
const TO_CONFIRM_ID = "a-confirmer";
/** More would cover the page. */
const MAX_TOASTS = 2;

/** After this long a closed toast has faded out. */
const GONE_MS = 400;

const SHOWN_MS: Readonly<Record<ToastTone, number>> = { good: 5_000, neutral: 6_000, bad: 9_000 };

const icons: Readonly<Record<ToastTone, ReactNode>> = {
  good: <IconCheck size={18} stroke={2.4} />,
  bad: <IconAlertTriangle size={18} stroke={2} />,
  neutral: <IconInfoCircle size={18} stroke={2} />,
};

export function Toasts() {
  return (
    <LibraryProvider>
      <Notifications position="bottom-right" limit={MAX_TOASTS} zIndex={500} />
    </LibraryProvider>
  );
}

export function show(toast: Toast): void {
  const { message, tone = "good", title, id, picture, stays = false, onClose } = toast;
  const shown: NotificationData = {
    message: typeof message === "string" ? withNoBreaks(message) : message,
    icon: picture ?? icons[tone],
    className: "toast",
    "data-tone": tone,
    "data-picture": picture === undefined ? undefined : true,
    autoClose: stays ? false : SHOWN_MS[tone],
    closeButtonProps: { "aria-label": "Fermer le message", size: "lg" },
    title: title ?? null,
    // One that stays makes room for one that closes by itself, and returns after it.
    priority: toast.priority ?? (stays ? 0 : 1),
    ...(id === undefined ? {} : { id }),
    onClose: () => {
      keepFocus();
      onClose?.();
    },
  };
  if (isOnScreen(id)) {
    keepFocus();
    notifications.update(shown);
    return;
  }
  makeRoom();
  notifications.show(shown);
}

/** The focus in a toast is lost when the toast closes or its content is replaced. */
function keepFocus(): void {
  if (document.activeElement?.closest(".toast")) setTimeout(keepFocusInPage, GONE_MS);
}

export function hide(id: string): void {
  notifications.hide(id);
}

/** Hides the toasts that stay until closed. */
export function hideStaying(): void {
  const { notifications: visible, queue } = notificationsStore.getState();
  for (const { id, autoClose } of [...visible, ...queue])
    if (autoClose === false && id !== undefined) hide(id);
}

/** Shows the purchases as one toast, which replaces the previous one; an empty list hides it. */
export function showPurchases(news: readonly PurchaseNews[], onClose: () => void): void {
  const summary = summaryOf(news);
  if (summary === null) hide(PURCHASES_ID);
  // A payment to confirm by a deadline is shown before all others.
  else show({ id: PURCHASES_ID, ...summary, priority: 2, onClose });
}

/** The listings that wait for a confirmation since the toast about them was last closed. */
let toConfirmIds: ReadonlySet<number> = new Set();

/** Asks about one more listing, in the one toast for all of them, which stays until closed. */
export function showToConfirm(manque: Manque, onDecide: () => void): void {
  toConfirmIds = new Set([...toConfirmIds, manque.product.id]);
  show({
    id: TO_CONFIRM_ID,
    stays: true,
    tone: "neutral",
    ...questionOf(manque, toConfirmIds.size, onDecide),
    onClose: () => {
      toConfirmIds = new Set();
    },
  });
}

export function hideToConfirm(): void {
  hide(TO_CONFIRM_ID);
}

/** Hides the oldest toast that closes automatically, so that the newest is visible immediately. */
function makeRoom(): void {
  const { notifications: visible } = notificationsStore.getState();
  if (visible.length < MAX_TOASTS) return;
  const oldest = visible.find(({ autoClose }) => autoClose !== false);
  if (oldest?.id !== undefined) notifications.hide(oldest.id);
}

function isOnScreen(id: string | undefined): boolean {
  const { notifications: visible, queue } = notificationsStore.getState();
  return id !== undefined && [...visible, ...queue].some((each) => each.id === id);
}
