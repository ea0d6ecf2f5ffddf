import { Button, type ButtonProps } from "@mantine/core";
import { IconAlertTriangle, IconCloudOff, IconInfoCircle, IconPlugConnectedX } from "@tabler/icons-react";
import { createLink } from "@tanstack/react-router";
import { useSyncExternalStore, type AnchorHTMLAttributes, type ReactNode, type Ref } from "react";
import { leftOut, type ListName } from "../api/answers.ts";
import { formatCounted } from "./format-panel.ts";
import { useIsOnline } from "./loading/online.ts";
import { leaveFocusAround } from "./windows/keep-focus.ts";
import "./notice.css";

interface NoticeProps {
  readonly tone: "neutral" | "warning" | "bad";
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** An inline message in a page or a form. */
export function Notice({ tone, children, action }: NoticeProps) {
  const Icon = tone === "neutral" ? IconInfoCircle : IconAlertTriangle;
  return (
    <div className="notice row" data-tone={tone}>
      <Icon size={18} stroke={1.8} aria-hidden="true" />
      <div className="notice__text">{children}</div>
      {action}
    </div>
  );
}

interface LeftOutLineProps {
  readonly count: number;
  /** "achat", "achats". */
  readonly one: string;
  readonly many: string;
}

interface LeftOutProps extends Omit<LeftOutLineProps, "count"> {
  readonly list: ListName;
}

/** Shows below a list how many of its items were invalid; renders nothing for 0. */
export function LeftOut({ list, one, many }: LeftOutProps) {
  const count = useSyncExternalStore(leftOut.subscribe, () => leftOut.of(list));
  return <LeftOutLine {...{ count, one, many }} />;
}

/** The same with a count from the caller. */
export function LeftOutLine({ count, one, many }: LeftOutLineProps) {
  if (count === 0) return null;
  return (
    <p className="left-out aside wide">
      {formatCounted(count, `${one} n'a pas pu être lu`, `${many} n'ont pas pu être lus`)} : le reste est
      complet.
    </p>
  );
}

interface ScreenStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: ReactNode;
  readonly children?: ReactNode;
}

/** Shown in place of a list: why there is none, and the next step. */
export function ScreenState({ icon, title, text, children }: ScreenStateProps) {
  return (
    <div className="screen-state stack" data-gap="8">
      <div className="screen-state__icon centred" aria-hidden="true">
        {icon}
      </div>
      <h2>{title}</h2>
      <p className="aside">{text}</p>
      {children === undefined ? null : <div className="screen-state__actions buttons">{children}</div>}
    </div>
  );
}

interface RetryProps {
  readonly onRetry: () => unknown;
}

interface PassingButtonProps extends ButtonProps {
  readonly "aria-label"?: string;
  readonly onPress: () => unknown;
}

/** React calls the returned function before it removes the button, which may be for another reason than a press. */
function leaveFocusOnRemoval(button: HTMLButtonElement) {
  return () => {
    if (document.activeElement === button) leaveFocusAround(button);
  };
}

/** A button that unmounts when pressed, or once that has had its effect, so it first moves the focus to its container. */
export function PassingButton({ onPress, ...button }: PassingButtonProps) {
  return (
    <Button
      ref={leaveFocusOnRemoval}
      {...button}
      onClick={({ currentTarget }) => {
        leaveFocusAround(currentTarget);
        onPress();
      }}
    />
  );
}

/** Unmounts as soon as the refetch begins. */
export function RetryButton({ onRetry }: RetryProps) {
  return <PassingButton onPress={onRetry}>Réessayer</PassingButton>;
}

interface ReadFailedProps extends RetryProps {
  /** What could not be read: "Vos filtres". */
  readonly what: string;
}

/** Shown in place of data that could not be read; never a toast (specification §8). */
export function ReadFailed({ what, onRetry }: ReadFailedProps) {
  const isOnline = useIsOnline();
  const Icon = isOnline ? IconPlugConnectedX : IconCloudOff;
  return (
    <ScreenState
      icon={<Icon size={28} stroke={1.6} />}
      title={isOnline ? `${what} : lecture impossible` : "Vous êtes hors ligne"}
      text={
        isOnline
          ? "Le serveur n'a pas répondu comme prévu. Rien n'est perdu."
          : `${what} : la lecture reprendra dès que la connexion sera revenue.`
      }
    >
      <RetryButton onRetry={onRetry} />
    </ScreenState>
  );
}

interface ButtonAnchorProps
  extends ButtonProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

function ButtonAnchor(props: ButtonAnchorProps) {
  return <Button {...props} component="a" />;
}

/** A link styled as a button, for navigation only. */
export const ButtonLink = createLink(ButtonAnchor);
