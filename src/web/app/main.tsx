/**
 * Where the page begins. Two worlds, each loaded alone: the public pages, which a stranger on a phone must see in one
 * breath, and the panel with its router and its component library.
 */
import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "../api/query-client.ts";
import { queries } from "../api/queries.ts";
import { applyColourScheme } from "../ui/colour-scheme.ts";
import "../ui/tokens.css";
import "../ui/base.css";

const PanelPages = lazy(async () => ({ default: (await import("./panel-pages.tsx")).PanelPages }));
const PublicPages = lazy(async () => ({ default: (await import("./public-pages.tsx")).PublicPages }));

applyColourScheme();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

const queryClient = createQueryClient();
// Both worlds need to know who is here: asked while their code is still on its way.
void queryClient.prefetchQuery(queries.user);
const isInPanel = window.location.pathname.startsWith("/synapse");

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Suspense>{isInPanel ? <PanelPages /> : <PublicPages />}</Suspense>
    </QueryClientProvider>
  </StrictMode>,
);
