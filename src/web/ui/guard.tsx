import { Button } from "@mantine/core";
import { Component, Suspense, useState, type ReactNode } from "react";
import { Notice } from "./notice.tsx";

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
  /** Loads the dialog's chunk with the screen, instead of at the first opening. */
  readonly isPreloaded?: boolean;
  readonly children: ReactNode;
}

/**
 * Boundary of a lazily loaded dialog, which stays mounted after its first opening. Its chunk may be gone after a
 * deployment.
 */
export function LazyWindow({ isOpen, isPreloaded = false, children }: LazyWindowProps) {
  const [isMounted, setIsMounted] = useState(isOpen || isPreloaded);
  if (isOpen && !isMounted) setIsMounted(true);
  return (
    <Guard of={isOpen} fallback={isOpen ? <WindowLoadError /> : null}>
      <Suspense>{isMounted ? children : null}</Suspense>
    </Guard>
  );
}

function WindowLoadError() {
  return (
    <div className="gone-window" role="alert">
      <Notice tone="bad" action={<Button onClick={() => window.location.reload()}>Recharger la page</Button>}>
        Cette fenêtre n'a pas pu s'ouvrir : une version plus récente est peut-être en ligne.
      </Notice>
    </div>
  );
}
