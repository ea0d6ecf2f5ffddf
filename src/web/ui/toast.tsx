import { notifications, notificationsStore, type NotificationData } from "@mantine/notifications";
import { IconAlertTriangle, IconCheck, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import "./toast.css";

export type ToastTone = "good" | "bad" | "neutral";

interface Toast {
  readonly message: ReactNode;
  readonly tone?: ToastTone;
  readonly title?: string;
  /** A second toast of the same id takes the place of the first. */
  readonly id?: string;
  readonly picture?: ReactNode;
  /** Stays until the person closes it. */
  readonly stays?: boolean;
}

const SHOWN_MS: Readonly<Record<ToastTone, number>> = { good: 5_000, neutral: 6_000, bad: 9_000 };

const icons: Readonly<Record<ToastTone, ReactNode>> = {
  good: <IconCheck size={18} stroke={2.4} />,
  bad: <IconAlertTriangle size={18} stroke={2} />,
  neutral: <IconInfoCircle size={18} stroke={2} />,
};

/** Tells the person something, on whatever screen they are. */
export function showToast({ message, tone = "good", title, id, picture, stays = false }: Toast): void {
  const shown: NotificationData = {
    message,
    icon: picture ?? icons[tone],
    className: "toast",
    "data-tone": tone,
    "data-picture": picture === undefined ? undefined : true,
    autoClose: stays ? false : SHOWN_MS[tone],
    closeButtonProps: { "aria-label": "Fermer le message", size: "lg" },
    ...(title === undefined ? {} : { title }),
    ...(id === undefined ? {} : { id }),
  };
  if (isOnScreen(id)) notifications.update(shown);
  else notifications.show(shown);
}

function isOnScreen(id: string | undefined): boolean {
  const { notifications: visible, queue } = notificationsStore.getState();
  return id !== undefined && [...visible, ...queue].some((each) => each.id === id);
}
