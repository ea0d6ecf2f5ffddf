import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import { startTransition, StrictMode, type ReactNode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { logFailure } from "../api/log.ts";
import { createQueryClient } from "../api/query-client.ts";
import { userQuery } from "../api/session.ts";

/** Renders a page into #root, or hydrates it there, and prefetches the user meanwhile; returns the page's query client. */
export function start(page: ReactNode): QueryClient {
  const root = document.getElementById("root");
  if (root === null) throw new Error("the document has no #root");
  const queryClient = createQueryClient();
  void queryClient.prefetchQuery(userQuery);
  const tree = pageTree(queryClient, page);
  const handlers = { onCaughtError: logDrawing, onUncaughtError: logDrawing, onRecoverableError: logDrawing };
  // As a transition the first render is time-sliced, so that a slow phone stays responsive.
  startTransition(() => {
    if (root.dataset["prerendered"] === undefined) createRoot(root, handlers).render(tree);
    else hydrateRoot(root, tree, handlers);
  });
  return queryClient;
}

/** What surrounds every page, also while it is prerendered. */
export function pageTree(client: QueryClient, page: ReactNode): ReactNode {
  return (
    <StrictMode>
      <QueryClientProvider client={client}>{page}</QueryClientProvider>
    </StrictMode>
  );
}

function logDrawing(error: unknown): void {
  logFailure("a part could not be drawn", { error: error instanceof Error ? error.name : typeof error });
}
