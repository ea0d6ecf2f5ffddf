import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  redirect,
} from "@tanstack/react-router";
import { useEffect } from "react";
import { ProduitsPage } from "../features/produits/produits-page.tsx";
import { parseAchatsSearch, parseFiltresSearch, parsePrixSearch, parseRejeuSearch } from "./page-search.ts";
import { Panel } from "./panel.tsx";

const rootRoute = createRootRoute({
  errorComponent: PanelFailed,
  notFoundComponent: () => <Navigate to="/" replace />,
});

const landingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: lazyRouteComponent(() => import("../features/landing/landing-page.tsx"), "LandingPage"),
});

const panelRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/synapse",
  component: Panel,
  errorComponent: PanelFailed,
});

const panelIndexRoute = createRoute({
  getParentRoute: () => panelRoute,
  path: "/",
  beforeLoad: () => {
    // oxlint-disable-next-line typescript/only-throw-error -- the router redirects by a thrown object
    throw redirect({ to: "/synapse/articles", replace: true });
  },
});

const produitsRoute = createRoute({
  getParentRoute: () => panelRoute,
  path: "articles",
  // The first screen of nearly every visit, so it is part of the panel's chunk.
  component: ProduitsPage,
});

const filtresRoute = createRoute({
  getParentRoute: () => panelRoute,
  path: "filtres",
  validateSearch: parseFiltresSearch,
  component: lazyRouteComponent(() => import("../features/filtres/filtres-page.tsx"), "FiltresPage"),
});

const rejeuRoute = createRoute({
  getParentRoute: () => panelRoute,
  path: "filtres/rejeu",
  validateSearch: parseRejeuSearch,
  component: lazyRouteComponent(() => import("../features/filtres/replay/replay-page.tsx"), "ReplayPage"),
});

const achatsRoute = createRoute({
  getParentRoute: () => panelRoute,
  path: "achats",
  validateSearch: parseAchatsSearch,
  component: lazyRouteComponent(() => import("../features/achats/achats-page.tsx"), "AchatsPage"),
});

const prixRoute = createRoute({
  getParentRoute: () => panelRoute,
  path: "prix",
  validateSearch: parsePrixSearch,
  component: lazyRouteComponent(() => import("../features/prix/prix-page.tsx"), "PrixPage"),
});

const alertesRoute = createRoute({
  getParentRoute: () => panelRoute,
  path: "alertes",
  component: lazyRouteComponent(() => import("../features/alertes/alertes-page.tsx"), "AlertesPage"),
});

const routeTree = rootRoute.addChildren([
  landingRoute,
  panelRoute.addChildren([
    panelIndexRoute,
    produitsRoute,
    filtresRoute,
    rejeuRoute,
    achatsRoute,
    prixRoute,
    alertesRoute,
  ]),
]);

/** The router of /synapse and the landing page. Other screens than the stream are chunks loaded on demand. */
export function createPageRouter() {
  return createRouter({
    routeTree,
    defaultPreload: "intent",
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}

/**
 * Error page of a screen that threw, or whose chunk could not be loaded: offline, or replaced by a newer
 * version. The panel around it stays. Renders without the component library.
 */
function PageFailed() {
  const isOffline = !navigator.onLine;
  useEffect(() => {
    window.addEventListener("online", reload);
    return () => window.removeEventListener("online", reload);
  }, []);
  return (
    <div className="page-failed">
      <h1>{isOffline ? "Vous êtes hors ligne" : "Cette page n'a pas pu s'afficher"}</h1>
      <p>
        {isOffline
          ? "Cette page s'ouvrira dès le retour du réseau."
          : "Une version plus récente est peut-être en ligne."}{" "}
        Vos filtres et vos achats sont en sécurité.
      </p>
      <button type="button" onClick={reload}>
        Recharger la page
      </button>
    </div>
  );
}

function reload(): void {
  window.location.reload();
}

/** Error page when the panel itself failed. */
function PanelFailed() {
  return (
    <main>
      <PageFailed />
    </main>
  );
}
