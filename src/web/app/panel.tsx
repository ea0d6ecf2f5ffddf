/** The shell of /synapse; renders nothing without a user whose level is above 0 (specification §2). */
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { Suspense, useDeferredValue, useEffect, useState } from "react";
import type { Utilisateur } from "#contract/compte.ts";
import { LiveFeedProvider } from "../api/live/live-feed.ts";
import { hasSharedFilter } from "../api/shared-filter.ts";
import { personOf, userQuery, useSession } from "../api/session.ts";
import { AwaitingBadge, BottomBar, SIDE_MENU_ID, SideMenu, useMenuClosing } from "../layout/navigation.tsx";
import { PanelActionsProvider } from "../layout/panel-actions.ts";
import { shortcutKeyOf } from "../layout/shortcut-keys.ts";
import { TopBar } from "../layout/top-bar.tsx";
import { LazyWindow } from "../ui/loading/guard.tsx";
import { lazyPart } from "../ui/loading/lazy-part.ts";
import { LibraryProvider } from "../ui/theme/theme.tsx";
import { PurchaseToast, PurchaseToastProvider } from "../ui/toasts/purchase-toast.ts";
import { AskProvider } from "../ui/windows/ask.tsx";
import { useLivePanel, useRefresh, useSignOut } from "./use-live-panel.ts";

const HelpModal = lazyPart(async () => (await import("../layout/help-modal.tsx")).HelpModal);

const ParametresModal = lazyPart(
  async () => (await import("../features/parametres/parametres-modal.tsx")).ParametresModal,
);

// Must equal the breakpoint in navigation.css from which on the menu is beside the page.
const WIDE_SCREEN = "(min-width: 1024px)";

/** Opens the filters page for a shared filter, also after a sign-in that ended on another screen. */
function useSharedFilterPage(): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (hasSharedFilter()) void navigate({ to: "/synapse/filtres", replace: true });
  }, [navigate]);
}

/** Until the user has been read the panel is black, so a read that failed is repeated. */
const UNKNOWN_USER_MS = 5_000;

export function Panel() {
  useQuery({ ...userQuery, refetchInterval: ({ state }) => state.data === undefined && UNKNOWN_USER_MS });
  const { user, isSubscriber } = useSession();
  useRefresh(isSubscriber);
  // Deferred, also at the first render, so that React renders the panel in slices; it unmounts immediately when the
  // session ends.
  const shownUser = useDeferredValue(user, null);
  if (user === null || !isSubscriber || shownUser === null) return null;
  return (
    <LibraryProvider>
      <AskProvider key={personOf(shownUser)}>
        <OpenPanel user={shownUser} />
      </AskProvider>
    </LibraryProvider>
  );
}

function OpenPanel({ user }: { readonly user: Utilisateur }) {
  // One instance per person: the next user of the page must not see their purchases.
  const [purchaseToast] = useState(() => new PurchaseToast());
  const feed = useLivePanel(purchaseToast);
  const isWide = useMediaQuery(WIDE_SCREEN, false, { getInitialValueInEffect: false });
  const signOut = useSignOut(feed);
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [areSettingsOpen, setAreSettingsOpen] = useState(false);
  const [actions] = useState(() => ({
    openSettings: () => setAreSettingsOpen(true),
    openHelp: () => setIsHelpOpen(true),
  }));
  usePanelShortcuts(actions.openHelp);
  useSharedFilterPage();
  useMenuClosing(SIDE_MENU_ID, isMenuOpen, () => setIsMenuOpen(false));

  return (
    <LiveFeedProvider value={feed}>
      <PanelActionsProvider value={actions}>
        <a className="skip-link" href="#contenu">
          Aller au contenu
        </a>
        <TopBar
          user={user}
          isMenuOpen={isMenuOpen}
          onToggleMenu={() => setIsMenuOpen(!isMenuOpen)}
          onSignOut={() => void signOut()}
        />
        <SideMenu isOpen={isWide || isMenuOpen} isOverlay={!isWide} onClose={() => setIsMenuOpen(false)} />
        <main id="contenu" className="panel-content" tabIndex={-1}>
          <PurchaseToastProvider value={purchaseToast}>
            <Suspense>
              <Outlet />
            </Suspense>
          </PurchaseToastProvider>
        </main>
        {isWide || isMenuOpen ? null : <BottomBar purchasesBadge={<AwaitingBadge />} />}
        <LazyWindow isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)}>
          <HelpModal isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
        </LazyWindow>
        <LazyWindow isOpen={areSettingsOpen} onClose={() => setAreSettingsOpen(false)}>
          <ParametresModal isOpen={areSettingsOpen} onClose={() => setAreSettingsOpen(false)} />
        </LazyWindow>
      </PanelActionsProvider>
    </LiveFeedProvider>
  );
}

function usePanelShortcuts(openHelp: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      switch (shortcutKeyOf(event)) {
        case "f":
          void navigate({ to: "/synapse/filtres" });
          break;
        case "?":
          openHelp();
          break;
        case "/": {
          const search = document.querySelector<HTMLInputElement>("[data-search]");
          if (search === null) return;
          search.focus();
          search.select();
          break;
        }
        default:
          return;
      }
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate, openHelp]);
}
