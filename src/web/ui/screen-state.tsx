import { Button } from "@mantine/core";
import { IconCloudOff, IconPlugConnectedX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useIsOnline } from "./use-is-online.ts";
import "./screen-state.css";

interface ScreenStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: ReactNode;
  readonly children?: ReactNode;
}

/** What stands where a list would be: why it is not there, and the way on. */
export function ScreenState({ icon, title, text, children }: ScreenStateProps) {
  return (
    <div className="screen-state">
      <div className="screen-state__icon" aria-hidden="true">
        {icon}
      </div>
      <h2>{title}</h2>
      <p>{text}</p>
      {children === undefined ? null : <div className="screen-state__actions">{children}</div>}
    </div>
  );
}

interface ReadFailedProps {
  /** What could not be read: "Vos filtres". */
  readonly what: string;
  readonly onRetry: () => void;
}

/** A read that failed: said in place, never by a message (specification §8). */
export function ReadFailed({ what, onRetry }: ReadFailedProps) {
  const isOnline = useIsOnline();
  return isOnline ? (
    <ScreenState
      icon={<IconPlugConnectedX size={28} stroke={1.6} />}
      title={`${what}\u00a0: lecture impossible`}
      text="Le serveur n'a pas répondu comme prévu. Rien n'est perdu."
    >
      <Button onClick={onRetry}>Réessayer</Button>
    </ScreenState>
  ) : (
    <ScreenState
      icon={<IconCloudOff size={28} stroke={1.6} />}
      title="Vous êtes hors ligne"
      text={`${what} : la lecture reprendra dès que la connexion sera revenue.`}
    >
      <Button onClick={onRetry}>Réessayer</Button>
    </ScreenState>
  );
}
