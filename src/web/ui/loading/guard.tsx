import { Button } from "@mantine/core";
import { Component, Suspense, useEffect, useEffectEvent, useState, type ReactNode } from "react";
import { Notice } from "../notice.tsx";
import { useIsOnline } from "./online.ts";
import { keepFocusInPage } from "../windows/keep-focus.ts";

interface GuardProps {
  /** Reset key: a new value renders the children again. */
  readonly of?: unknown;
  /** Rendered instead of children that throw. */
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

interface GuardState {
  readonly hasFailed: boolean;
  readonly of: unknown;
}

/** Error boundary: renders `fallback` instead of children that throw. app/start.tsx logs the error. */
export class Guard extends Component<GuardProps, GuardState> {
  override readonly state: GuardState = { hasFailed: false, of: this.props.of };

  static getDerivedStateFromError(): Partial<GuardState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ of }: GuardProps, state: GuardState): Partial<GuardState> | null {
    return of === state.of ? null : { hasFailed: false, of };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

/** Error boundary inside a dialog or disclosure, which can still be closed after a failure. */
export function WindowGuard({ children }: Pick<GuardProps, "children">) {
  return (
    <Guard fallback={<Notice tone="bad">Cette partie n'a pas pu s'afficher. Rechargez la page.</Notice>}>
      {children}
    </Guard>
  );
}

interface LazyWindowProps {
  readonly isOpen: boolean;
  /** Closes it while it waits for the network or could not be loaded. */
  readonly onClose: () => void;
  /** Loads the dialog's chunk with the screen, instead of at the first opening. */
  readonly isPreloaded?: boolean;
  readonly children: ReactNode;
}

/**
 * Boundary of a dialog made by `lazyPart`, which stays mounted after its first opening. Offline it opens once the
 * network is back, unless it is closed before. Its chunk may be gone after a deployment.
 */
export function LazyWindow({ isOpen, onClose, isPreloaded = false, children }: LazyWindowProps) {
  const [isMounted, setIsMounted] = useState(isOpen || isPreloaded);
  if (isOpen && !isMounted) setIsMounted(true);
  return (
    <Guard of={isOpen} fallback={isOpen ? <WindowLoadError onClose={onClose} /> : null}>
      <Suspense fallback={isOpen ? <WindowWaits onClose={onClose} /> : null}>
        {isMounted ? children : null}
      </Suspense>
    </Guard>
  );
}

type WindowNoticeProps = Pick<LazyWindowProps, "onClose">;

function WindowWaits({ onClose }: WindowNoticeProps) {
  const isOnline = useIsOnline();
  useCloseOnEscape(onClose);
  if (isOnline) return null;
  return (
    <div className="floating-notice" role="status">
      <Notice tone="warning" action={<CloseButton onClose={onClose} />}>
        Vous êtes hors ligne : cette fenêtre s'ouvrira dès que la connexion sera revenue.
      </Notice>
    </div>
  );
}

function WindowLoadError({ onClose }: WindowNoticeProps) {
  useCloseOnEscape(onClose);
  return (
    <div className="floating-notice" role="alert">
      <Notice
        tone="bad"
        action={
          <div className="buttons" data-align="end">
            <CloseButton onClose={onClose} />
            <Button onClick={() => window.location.reload()}>Recharger la page</Button>
          </div>
        }
      >
        Cette fenêtre n'a pas pu s'ouvrir : la connexion a été coupée, ou une version plus récente est en
        ligne.
      </Notice>
    </div>
  );
}

function CloseButton({ onClose }: WindowNoticeProps) {
  return (
    <Button
      variant="subtle"
      onClick={() => {
        onClose();
        keepFocusInPage();
      }}
    >
      Fermer
    </Button>
  );
}

function useCloseOnEscape(onClose: () => void): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") close();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
